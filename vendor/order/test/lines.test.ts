/**
 * Lines of an order: with or without a variant, with their properties.
 */
import { takeStock } from '@carton/inventory';
import { createOrder, findOrder, maskOrder } from '@carton/order';
import { newId } from '@carton/runtime';
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { draftOf, openBox, place, placeStocked } from '../testing/index.ts';

const box = await openBox(t);
const engraved = { properties: { engraving: 'For Ada', size: 7, gift: true } };
const custom = {
  variantId: null,
  productId: null,
  sku: null,
  title: 'Hand-bound book',
  variantTitle: null,
  quantity: 1,
  unitAmount: 4000,
  totalAmount: 4000,
};

t.test('custom lines, and lines of one variant with different properties', async (t) => {
  const [line] = draftOf().lines;
  const id = newId();
  const lines = [{ ...line, ...engraved, id }, { ...line, properties: { engraving: 'For Anne' } }, custom];
  const order = await place(box, { lines: lines as never });
  t.equal(order.items[0]?.id, id, 'the draft may set the id of a line');
  t.match(
    order.items,
    exactly([
      { properties: engraved.properties },
      { properties: { engraving: 'For Anne' } },
      { variantId: null, title: 'Hand-bound book' },
    ]),
  );
  t.strictSame(await findOrder(box.db, order.id), order, 'equals the stored order');
  const { status, body } = await box.staff.get(`/admin/orders/${order.id}`);
  t.equal(status, 200);
  t.strictSame(
    body.items.map(({ variantId, variantTitle, properties }: Record<string, unknown>) => [
      variantId,
      variantTitle,
      properties,
    ]),
    [
      [line?.variantId, 'M', engraved.properties],
      [line?.variantId, 'M', { engraving: 'For Anne' }],
      [null, null, {}],
    ],
  );
});

t.test('maskOrder masks line properties', async (t) => {
  const [line] = draftOf().lines;
  const order = await place(box, { lines: [{ ...line, ...engraved }] as never });
  t.strictSame(
    maskOrder(order).items.map(({ properties }) => properties),
    [{ engraving: '***', size: '***', gift: '***' }],
  );
});

t.test('canceling restocks lines with a variant', async (t) => {
  const { order, onHand } = await placeStocked(box, 5, 2);
  const [line] = order.items;
  const { variantId, productId } = line as { variantId: string; productId: string };
  const stocked = { ...custom, variantId, productId, variantTitle: 'M', quantity: 3 };
  const mixed = await box.db.transaction(async (tx) => {
    const draft = draftOf({ lines: [custom, stocked] });
    const placed = await createOrder(tx, draft);
    await takeStock(tx, [{ variantId, quantity: 3 }], { type: 'order', id: placed.id });
    return placed;
  });
  const before = await onHand();
  t.equal((await box.staff.post(`/admin/orders/${mixed.id}/cancel`)).status, 200);
  t.equal(await onHand(), before + 3);
});

t.test('an order stores region and locale of its draft', async (t) => {
  const regionId = newId();
  const order = await place(box, { regionId, locale: 'fr-FR' });
  t.match(await findOrder(box.db, order.id), { regionId, locale: 'fr-FR' });
  t.match(await findOrder(box.db, (await place(box)).id), { regionId: null, locale: null });
});
