/**
 * Concurrency: one cart per session, no lost items, and a checkout that gets either the cart, the order it became, or
 * nothing.
 */
import { completeCart, type LockedCart, lockActiveCart } from '@carton/cart';
import { shopperWith } from '@carton/cart/testing';
import { newId } from '@carton/runtime';
import { exactly, raceRounds, untilWaiting } from '@carton/runtime/testing';
import t from 'tap';
import { type ForSale, forSale, openBox, quantitiesOf, sessionOf, withOpenTransaction } from './helpers.ts';

const box = await openBox(t);
const shirt = await forSale(box);
const socks = await forSale(box);
const hat = await forSale(box);

const add = (shopper: { post: (path: string, body: unknown) => Promise<unknown> }, { variantId }: ForSale) =>
  shopper.post('/cart/items', { variantId, quantity: 1 });
const cartsOf = (hash: string | null) =>
  box.db.query<{ id: string; status: string }>(
    'select id, status from carts where tenant_id = $1 and session_hash = $2 order by id',
    [hash],
  );

t.test('concurrent first writes create one cart', async (t) => {
  const shopper = box.shopper();
  await shopper.patch('/cart', { note: 'Starts the session' });
  await box.owner.query('delete from carts where session_hash = $1', [sessionOf(shopper).hash]);
  const answers = await Promise.all([
    ...Array.from({ length: 10 }, (_, at) => add(shopper, at % 2 ? shirt : socks)),
    shopper.patch('/cart', { email: 'ada@example.com' }),
    shopper.put('/cart/shipping-address', { name: 'Ada', line1: '12 Rue', city: 'Lyon', country: 'FR' }),
  ]);
  t.ok(answers.every((answer) => [200, 201].includes((answer as { status: number }).status)));
  t.equal((await cartsOf(sessionOf(shopper).hash)).length, 1);
  const { body } = await shopper.get('/cart');
  t.strictSame(
    new Map(quantitiesOf(body)),
    new Map([
      [shirt.variantId, 5],
      [socks.variantId, 5],
    ]),
    'no item is lost',
  );
  t.match(body, { email: 'ada@example.com', shippingAddress: { city: 'Lyon' } });
});

t.test('concurrent writers of a cart see each other', async (t) => {
  const shopper = await shopperWith(box, [shirt, 1], [socks, 1]);
  const [, second] = (await shopper.get('/cart')).body.items;
  const path = `/cart/items/${second.id}`;
  const removals = await Promise.all([shopper.delete(path), shopper.delete(path), add(shopper, shirt)]);
  t.strictSame(
    removals
      .slice(0, 2)
      .map((answer) => (answer as { status: number }).status)
      .sort(),
    [204, 404],
  );
  t.strictSame(quantitiesOf((await shopper.get('/cart')).body), [[shirt.variantId, 2]]);
});

t.test('a cart is locked with its lines in the order in which they were added, and completed once', async (t) => {
  const shopper = await shopperWith(box, [socks, 2], [shirt, 1]);
  await shopper.patch('/cart', { email: 'ada@example.com', note: 'Ring' });
  const session = sessionOf(shopper);
  const orderId = newId();
  await box.db.transaction(async (tx) => {
    const cart = await lockActiveCart(tx, session);
    if (cart?.state !== 'active') throw new Error('no active cart');
    t.match(cart, { currency: 'EUR', regionId: null, email: 'ada@example.com', note: 'Ring', shippingAddress: null });
    t.strictSame(
      cart.lines.map(({ variantId, quantity }) => [variantId, quantity]),
      [
        [socks.variantId, 2],
        [shirt.variantId, 1],
      ],
    );
    await completeCart(tx, cart.id, orderId);
    await t.rejects(completeCart(tx, cart.id, newId()), /is not active/);
  });
  const empty = (await shopper.get('/cart')).body;
  t.match(empty, { id: null, items: exactly([]) }, 'the next read returns an empty cart');
  t.equal(await box.db.transaction((tx) => lockActiveCart(tx, session)), null, 'a later checkout finds none');
  await add(shopper, shirt);
  t.match(
    await cartsOf(session.hash),
    exactly([{ status: 'completed' }, { status: 'active' }]),
    'the next write creates a new cart',
  );
  await t.rejects(lockActiveCart(box.db, session), /must run in a transaction/);
  t.equal(await box.db.transaction((tx) => lockActiveCart(tx, { hash: null, memberId: null })), null);
});

t.test('a checkout that waits while its cart is completed gets the order', async (t) => {
  const shopper = await shopperWith(box, [shirt, 1]);
  const session = sessionOf(shopper);
  const orderId = newId();
  const first = await withOpenTransaction(box, async (tx) => {
    const cart = (await lockActiveCart(tx, session)) as { id: string };
    await completeCart(tx, cart.id, orderId);
    return cart.id;
  });
  const waiting = Promise.all(Array.from({ length: 8 }, () => box.db.transaction((tx) => lockActiveCart(tx, session))));
  await untilWaiting(box, 8);
  await first.finish();
  for (const found of await waiting) t.strictSame(found, { state: 'completed', cartId: first.result, orderId });
  t.equal(await box.db.transaction((tx) => lockActiveCart(tx, session)), null);
});

t.test('of twenty concurrent checkouts one completes the cart', async (t) => {
  for (const _ of [1, 2, 3]) {
    const shopper = await shopperWith(box, [shirt, 1], [socks, 1]);
    const session = sessionOf(shopper);
    const checkOut = () =>
      box.db.transaction(async (tx) => {
        const cart = await lockActiveCart(tx, session);
        if (cart?.state !== 'active') return cart;
        const orderId = newId();
        await completeCart(tx, cart.id, orderId);
        return { ...cart, orderId };
      });
    // On a busy machine all others may begin when the cart is completed: some are made to wait for it.
    const held = await withOpenTransaction(box, (tx) =>
      tx.query('select id from carts where tenant_id = $1 and session_hash = $2 for update', [session.hash]),
    );
    const waiting = Array.from({ length: 8 }, checkOut);
    await untilWaiting(box, 8);
    const later = Array.from({ length: 12 }, checkOut);
    await held.finish();
    const found = await Promise.all([...waiting, ...later]);
    const winners = found.filter((each) => each?.state === 'active');
    t.equal(winners.length, 1);
    t.match(winners[0], { lines: { length: 2 } });
    const completed = found.filter((each) => each?.state === 'completed');
    t.ok(completed.length >= 7, 'those that waited for it know that it was completed');
    t.ok(
      completed.every((each) => each?.orderId === winners[0]?.orderId),
      'the others get the same order, or find no cart if they begin later',
    );
  }
});

t.test('a checkout that waits for an added item and an address includes them', async (t) => {
  const shopper = await shopperWith(box, [shirt, 1]);
  const session = sessionOf(shopper);
  const before = (await shopper.get('/cart')).body;
  const adding = await withOpenTransaction(box, async (tx) => {
    await tx.query(`update carts set version = version + 1 where tenant_id = $1 and id = $2`, [before.id]);
    await tx.query(
      'insert into cart_line_items (tenant_id, id, cart_id, variant_id, quantity) values ($1, $2, $3, $4, 3)',
      [newId(), before.id, socks.variantId],
    );
    await tx.query(
      `insert into cart_addresses (tenant_id, cart_id, type, name, line1, city, country)
       values ($1, $2, 'shipping', 'Ada', '1 Way', 'Lyon', 'FR')`,
      [before.id],
    );
  });
  const waiting = box.db.transaction((tx) => lockActiveCart(tx, session));
  await untilWaiting(box, 1);
  await adding.finish();
  const cart = (await waiting) as Extract<LockedCart, { state: 'active' }>;
  t.strictSame(
    cart.lines.map(({ variantId, quantity }) => [variantId, quantity]),
    [
      [shirt.variantId, 1],
      [socks.variantId, 3],
    ],
  );
  t.match(cart.shippingAddress, { line1: '1 Way', country: 'FR' });
});

t.test('an item that waits for a checkout is added to the next cart', async (t) => {
  const shopper = await shopperWith(box, [shirt, 5]);
  const session = sessionOf(shopper);
  const [line] = (await shopper.get('/cart')).body.items;
  const checkout = await withOpenTransaction(box, async (tx) => {
    const cart = (await lockActiveCart(tx, session)) as { id: string };
    await completeCart(tx, cart.id, newId());
  });
  const adding = shopper.post('/cart/items', { variantId: socks.variantId, quantity: 2 });
  const changing = shopper.patch(`/cart/items/${line.id}`, { quantity: 1 });
  const emptying = shopper.delete('/cart');
  await untilWaiting(box, 3);
  await checkout.finish();
  t.match(await adding, { status: 201, body: { items: exactly([{ variantId: socks.variantId, quantity: 2 }]) } });
  t.match(await changing, { status: 404 });
  t.match(await emptying, { status: 204 });
});

t.test('a failed checkout leaves the cart unchanged for the next one', async (t) => {
  const shopper = await shopperWith(box, [shirt, 1]);
  const session = sessionOf(shopper);
  const before = (await shopper.get('/cart')).body;
  const failing = box.db.transaction(async (tx) => {
    const cart = (await lockActiveCart(tx, session)) as { id: string };
    await completeCart(tx, cart.id, newId());
    throw new Error('no payment');
  });
  const next = box.db.transaction((tx) => lockActiveCart(tx, session));
  await t.rejects(failing, /no payment/);
  t.match(await next, { state: 'active', lines: exactly([{ variantId: shirt.variantId }]) });
  t.strictSame((await shopper.get('/cart')).body, before);
});

t.test('of concurrent replacements one is the cart; items added at the same time are in it or replaced', async (t) => {
  for (let round = 0; round < raceRounds; round++) {
    const shopper = await shopperWith(box, [shirt, 9]);
    const lists = [
      [
        [shirt.variantId, 1],
        [socks.variantId, 1],
      ],
      [[socks.variantId, 2]],
      [[shirt.variantId, 3]],
    ] as [string, number][][];
    const replacements = lists.map((list) =>
      shopper.put('/cart/items', { items: list.map(([variantId, quantity]) => ({ variantId, quantity })) }),
    );
    const answers = await Promise.all([...replacements, add(shopper, hat)]);
    t.strictSame(
      answers.map((answer) => (answer as { status: number }).status),
      [200, 200, 200, 201],
    );
    const found = quantitiesOf((await shopper.get('/cart')).body);
    const goods = JSON.stringify(found.filter(([variantId]) => variantId !== hat.variantId).sort());
    t.ok(
      lists.some((list) => JSON.stringify([...list].sort()) === goods),
      `one of the lists, not ${goods}`,
    );
    const hats = found.filter(([variantId]) => variantId === hat.variantId);
    t.ok(hats.length === 0 || hats[0]?.[1] === 1, 'the added item at most once');
  }
});

t.test('an item added during a replacement is replaced, or stays beside the new items', async (t) => {
  for (let round = 0; round < raceRounds; round++) {
    const shopper = await shopperWith(box, [shirt, 1]);
    const replacement = { items: [{ variantId: socks.variantId, quantity: 2 }] };
    const answers = await Promise.all([shopper.put('/cart/items', replacement), add(shopper, hat)]);
    t.strictSame(
      answers.map((answer) => (answer as { status: number }).status),
      [200, 201],
    );
    const found = quantitiesOf((await shopper.get('/cart')).body);
    const hats = found.filter(([variantId]) => variantId === hat.variantId);
    t.strictSame(
      found.filter((each) => !hats.includes(each)),
      [[socks.variantId, 2]],
    );
    t.ok(hats.length === 0 || (hats.length === 1 && hats[0]?.[1] === 1), 'the added item at most once');
  }
});

t.test('a replacement that waits for a checkout fills the next cart', async (t) => {
  const shopper = await shopperWith(box, [shirt, 5]);
  const session = sessionOf(shopper);
  const checkout = await withOpenTransaction(box, async (tx) => {
    const cart = (await lockActiveCart(tx, session)) as { id: string };
    await completeCart(tx, cart.id, newId());
    return cart.id;
  });
  const replacing = shopper.put('/cart/items', { items: [{ variantId: socks.variantId, quantity: 2 }] });
  await untilWaiting(box, 1);
  await checkout.finish();
  const { status, body } = (await replacing) as { status: number; body: { id: string; items: never[] } };
  t.equal(status, 200);
  t.not(body.id, checkout.result);
  t.strictSame(quantitiesOf(body), [[socks.variantId, 2]]);
  const lines = await box.db.query('select id from cart_line_items where tenant_id = $1 and cart_id = $2', [
    checkout.result,
  ]);
  t.strictSame(lines, [], 'the ordered cart has no lines');
});
