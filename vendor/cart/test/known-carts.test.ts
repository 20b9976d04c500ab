/**
 * A change of a cart begins with the cart of the last request, and begins again where it is not the owner's any more.
 */
import { completeCart, lockActiveCart } from '@carton/cart';
import { shopperWith } from '@carton/cart/testing';
import { newId } from '@carton/runtime';
import { countRoundTrips, untilWaiting } from '@carton/runtime/testing';
import t from 'tap';
import { forSale, openBox, quantitiesOf, sessionOf, withOpenTransaction } from './helpers.ts';

const box = await openBox(t);
const shirt = await forSale(box);
const socks = await forSale(box);
const address = { name: 'Ada', line1: '12 Rue', city: 'Lyon', country: 'FR' };
const add = (shopper: Awaited<ReturnType<typeof shopperWith>>) =>
  shopper.post('/cart/items', { variantId: socks.variantId, quantity: 1 });

/** As another process would: this one does not notice. */
async function complete(shopper: Awaited<ReturnType<typeof shopperWith>>): Promise<string> {
  return box.db.transaction(async (tx) => {
    const cart = (await lockActiveCart(tx, sessionOf(shopper))) as { id: string };
    await completeCart(tx, cart.id, newId());
    return cart.id;
  });
}
const countsOf = (id: string) =>
  box.owner.query<{ lines: number; addresses: number; events: number }>(
    `select (select count(*)::int from cart_line_items where cart_id = $1) as lines,
            (select count(*)::int from cart_addresses where cart_id = $1) as addresses,
            (select count(*)::int from event_outbox where resource_id = $1) as events`,
    [id],
  );

t.test('a cart that another process has completed stays as it is', async (t) => {
  for (const change of [add, (shopper: typeof box.staff) => shopper.put('/cart/shipping-address', address)]) {
    const shopper = await shopperWith(box, [shirt, 1]);
    const id = await complete(shopper);
    const before = await countsOf(id);
    const { status, body } = await change(shopper);
    t.ok([200, 201].includes(status));
    t.not(body.id, id, 'the change is one of a new cart');
    t.strictSame(await countsOf(id), before, 'no line, address or event of the former');
    t.strictSame(quantitiesOf((await shopper.get('/cart')).body), change === add ? [[socks.variantId, 1]] : []);
  }
});

t.test('a change that waits while its cart is completed is one of the next cart', async (t) => {
  const shopper = await shopperWith(box, [shirt, 1]);
  const session = sessionOf(shopper);
  const checkout = await withOpenTransaction(box, async (tx) => {
    const cart = (await lockActiveCart(tx, session)) as { id: string };
    await completeCart(tx, cart.id, newId());
    return cart.id;
  });
  const adding = add(shopper);
  await untilWaiting(box, 1);
  const id = await checkout.finish();
  const { status, body } = await adding;
  t.equal(status, 201);
  t.not(body.id, id);
  t.strictSame(quantitiesOf(body), [[socks.variantId, 1]]);
});

t.test('a change that is refused leaves nothing', async (t) => {
  const shopper = await shopperWith(box, [shirt, 1]);
  const rare = await forSale(box, { stock: 1 });
  const refused = await shopper.post('/cart/items', { variantId: rare.variantId, quantity: 2 });
  t.match(refused, { status: 409, body: { code: 'insufficient_stock' } });
  t.match(await shopper.post('/cart/items', { variantId: newId(), quantity: 1 }), { status: 404 });
  t.strictSame(quantitiesOf((await shopper.get('/cart')).body), [[shirt.variantId, 1]]);
});

t.test('the round trips of changes', async (t) => {
  const count = async (work: () => Promise<unknown>) => {
    const counts: number[] = [];
    // The fewest: the box may deliver events at the same time.
    for (let attempt = 0; attempt < 4; attempt++) counts.push(await countRoundTrips(box.box.database, work));
    return Math.min(...counts);
  };
  const shopper = await shopperWith(box, [shirt, 1]);
  t.equal(await count(() => add(shopper)), 3, 'lock and line; prices and event; commit');
  t.equal(await count(() => shopper.put('/cart/shipping-address', address)), 2, 'lock and address; commit and prices');
  t.equal(await count(() => box.shopper().post('/cart/items', { variantId: shirt.variantId, quantity: 1 })), 3, 'new');
});
