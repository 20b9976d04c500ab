/**
 * Carts for staff.
 */
import { completeCart, lockActiveCart } from '@carton/cart';
import { shopperWith } from '@carton/cart/testing';
import { newId } from '@carton/runtime';
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { forSale, openBox, sessionOf } from './helpers.ts';

const box = await openBox(t);

t.test('staff list and read carts, by status', async (t) => {
  const shirt = await forSale(box);
  const shoppers = [
    await shopperWith(box, [shirt, 2]),
    await shopperWith(box, [shirt, 3]),
    await shopperWith(box, [shirt, 1]),
  ];
  const ids = await Promise.all(shoppers.map(async (shopper) => (await shopper.get('/cart')).body.id));
  const orderId = newId();
  await box.db.transaction(async (tx) => {
    const cart = await lockActiveCart(tx, sessionOf(shoppers[0] as never));
    await completeCart(tx, (cart as { id: string }).id, orderId);
  });
  const list = async (query: string) => (await box.staff.get(`/admin/carts${query}`)).body;
  t.match(
    (await list('')).items,
    exactly([
      { id: ids[2], status: 'active', itemCount: 1, memberId: null, orderId: null, currency: 'EUR' },
      { id: ids[1], itemCount: 3 },
      { id: ids[0], status: 'completed', itemCount: 0, orderId },
    ]),
  );
  t.match(await list('?status=completed'), { items: exactly([{ id: ids[0] }]), nextCursor: null });
  const merged = await list('?status=merged');
  t.strictSame([merged.items, merged.nextCursor], [[], null]);
  const first = await list('?status=active&limit=1');
  t.match(first.items, exactly([{ id: ids[2] }]));
  t.match(await list(`?status=active&limit=1&cursor=${first.nextCursor}`), {
    items: exactly([{ id: ids[1] }]),
    nextCursor: null,
  });
  t.match(await box.staff.get('/admin/carts?status=lost'), { status: 400 });

  const { status, body } = await box.staff.get(`/admin/carts/${ids[1]}`);
  t.equal(status, 200);
  t.match(body, {
    id: ids[1],
    status: 'active',
    items: exactly([{ quantity: 3 }]),
    totals: { total: { amount: 3000 } },
  });
  t.notMatch(JSON.stringify(body), /hash|session/i, 'nothing that would let staff act as the shopper');
  t.match(await box.staff.get(`/admin/carts/${ids[0]}`), {
    body: { status: 'completed', orderId, items: exactly([]) },
  });
});
