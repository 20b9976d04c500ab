/**
 * Carts of members, and the merge at log-in, which loses nothing.
 */

import { type CartMerge, cartMerges, completeCart, lockActiveCart } from '@carton/cart';
import { shopperWith } from '@carton/cart/testing';
import { memberAuthenticators, newId } from '@carton/runtime';
import { type Caller, eventsOf, exactly, extendBox, untilWaiting } from '@carton/runtime/testing';
import t from 'tap';
import { mergeCarts } from '../guests/merging.ts';
import {
  createRegion,
  type ForSale,
  forSale,
  openBox,
  quantitiesOf,
  sessionOf,
  withOpenTransaction,
} from './helpers.ts';

// Authenticates any member id, as a member package would authenticate a token.
const authenticator = memberAuthenticators.with({ identify: async (_, memberId) => ({ memberId }) });
const box = await openBox(t, { extends: [authenticator] });

function member(): { id: string; caller: Caller } {
  const id = newId();
  const caller = box.shopper();
  caller.headers.authorization = `Bearer ${id}`;
  return { id, caller };
}
async function addItems(caller: Caller, ...items: [ForSale, number][]): Promise<void> {
  for (const [{ variantId }, quantity] of items) await caller.post('/cart/items', { variantId, quantity });
}
const logIn = (shopper: Caller, memberId: string) =>
  box.db.transaction((tx) => mergeCarts(tx, sessionOf(shopper), memberId));
const address = { name: 'Ada', line1: '12 Rue', city: 'Lyon', country: 'FR' };
const [shirt, socks, hat] = [await forSale(box), await forSale(box), await forSale(box)];

t.test('packages move what they store for a cart, in the same transaction', async (t) => {
  const guest = await shopperWith(box, [shirt, 1]);
  const from = (await guest.get('/cart')).body.id;
  const { id, caller } = member();
  await addItems(caller, [socks, 1]);
  const into = (await caller.get('/cart')).body.id;
  const calls: unknown[] = [];
  const move: CartMerge = async (tx, carts) => {
    calls.push({ ...carts, inTransaction: tx.inTransaction });
    if (calls.length === 1) throw new Error('moved nothing');
  };
  const db = extendBox(t, box, [cartMerges.with(move)]);
  const merge = () => db.transaction((tx) => mergeCarts(tx, sessionOf(guest), id));
  await t.rejects(merge(), /moved nothing/);
  t.equal((await guest.get('/cart')).body.id, from, 'an error rolls the merge back');
  await merge();
  const call = { fromId: from, intoId: into, inTransaction: true };
  t.strictSame(calls, [call, call]);
});

t.test('a member has one cart whatever the session, invisible to guests', async (t) => {
  const { caller } = member();
  await addItems(caller, [shirt, 1]);
  t.notOk(caller.headers['x-session-id'], 'a member needs no session');
  const guest = await shopperWith(box, [socks, 1]);
  const asMember = { headers: { authorization: caller.headers.authorization as string } };
  t.strictSame(quantitiesOf((await guest.get('/cart', asMember)).body), [[shirt.variantId, 1]]);
  t.strictSame(quantitiesOf((await guest.get('/cart')).body), [[socks.variantId, 1]]);
  const other = member().caller;
  t.match((await other.get('/cart')).body, { id: null });
});

t.test("a member without a cart gets one with all contents of the guest's", async (t) => {
  const us = await createRegion(box, 'USD');
  const guest = await shopperWith(box, [shirt, 2], [socks, 1]);
  await guest.patch('/cart', { regionId: us, email: 'ada@example.com', note: 'Ring' });
  await guest.put('/cart/shipping-address', address);
  const before = (await guest.get('/cart')).body;
  const { id, caller } = member();
  const cartId = await logIn(guest, id);
  const after = (await caller.get('/cart')).body;
  t.equal(after.id, cartId);
  t.strictSame({ ...after, id: 0, updatedAt: 0 }, { ...before, id: 0, updatedAt: 0 });
  t.match((await guest.get('/cart')).body, { id: null, items: exactly([]) }, 'the session has an empty cart');
  t.match((await box.staff.get(`/admin/carts/${before.id}`)).body, { status: 'merged', items: exactly([]) });
  t.match((await eventsOf(box, cartId as string)).at(-1), {
    type: 'cart.merged',
    payload: { memberId: id, mergedCartId: before.id, itemCount: 3, currency: 'USD' },
  });
});

t.test("quantities add up, other lines stay, the member's details take precedence", async (t) => {
  const { id, caller } = member();
  await addItems(caller, [shirt, 2], [hat, 4]);
  await caller.patch('/cart', { email: 'member@example.com' });
  await caller.put('/cart/shipping-address', { ...address, city: 'Paris' });
  const guest = await shopperWith(box, [shirt, 3], [socks, 1]);
  await guest.patch('/cart', { email: 'guest@example.com', note: 'Ring' });
  await guest.put('/cart/shipping-address', address);
  await guest.put('/cart/billing-address', address);
  const { id: cartId } = (await caller.get('/cart')).body;
  t.equal(await logIn(guest, id), cartId);
  const { body } = await caller.get('/cart');
  t.strictSame(
    new Map(quantitiesOf(body)),
    new Map([
      [shirt.variantId, 5],
      [hat.variantId, 4],
      [socks.variantId, 1],
    ]),
  );
  t.match(body, { email: 'member@example.com', note: 'Ring', currency: 'EUR' });
  t.strictSame([body.shippingAddress.city, body.billingAddress.city], ['Paris', 'Lyon']);
  t.equal(await logIn(guest, id), null, 'a second log-in has nothing to merge');
  t.equal(await box.db.transaction((tx) => mergeCarts(tx, { hash: null }, id)), null);
});

t.test('a merge caps a line at 9999 units', async (t) => {
  const plenty = await forSale(box, { stock: 100_000 });
  const { id, caller } = member();
  await addItems(caller, [plenty, 6000]);
  await logIn(await shopperWith(box, [plenty, 6000]), id);
  t.strictSame(quantitiesOf((await caller.get('/cart')).body), [[plenty.variantId, 9999]]);
});

t.test('concurrent log-ins lose nothing', async (t) => {
  for (const withCart of [false, true]) {
    const { id, caller } = member();
    if (withCart) await addItems(caller, [hat, 1]);
    const guests = await Promise.all(
      Array.from({ length: 4 }, () => shopperWith(box, [shirt, 1], [withCart ? hat : socks, 2])),
    );
    await Promise.all([...guests.map((guest) => logIn(guest, id)), logIn(guests[0] as Caller, id)]);
    const quantities = new Map(quantitiesOf((await caller.get('/cart')).body));
    t.equal(quantities.get(shirt.variantId), 4);
    t.equal(quantities.get((withCart ? hat : socks).variantId), withCart ? 9 : 8);
  }
});

t.test("a member's cart is locked and completed like a guest's", async (t) => {
  const { id, caller } = member();
  await addItems(caller, [shirt, 1]);
  await box.db.transaction(async (tx) => {
    const cart = await lockActiveCart(tx, { hash: null, memberId: id });
    if (cart?.state !== 'active') throw new Error('no active cart');
    t.match(cart, { memberId: id, lines: exactly([{ variantId: shirt.variantId }]) });
    await completeCart(tx, cart.id, newId());
  });
  t.match((await caller.get('/cart')).body, { id: null });
});

t.test('a checkout that waits while its cart is merged finds none', async (t) => {
  const guest = await shopperWith(box, [shirt, 1]);
  const { id } = member();
  const merging = await withOpenTransaction(box, (tx) => mergeCarts(tx, sessionOf(guest), id));
  const waiting = box.db.transaction((tx) => lockActiveCart(tx, sessionOf(guest)));
  await untilWaiting(box, 1);
  await merging.finish();
  t.equal(await waiting, null);
});
