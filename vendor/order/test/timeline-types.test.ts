/**
 * Packages add entries of their own types to the timeline of orders.
 */
import { addTimelineEntry } from '@carton/order';
import { newId } from '@carton/runtime';
import { createTestBox, writePackage } from '@carton/runtime/testing';
import t from 'tap';
import { openBox, place } from '../testing/index.ts';

const index = `
import { addTimelineEntry, orderTimelineTypes } from '@carton/order';
import { definePackage, object, route, Type } from '@carton/runtime';

const ship = route(
  {
    method: 'post', path: '/admin/orders/:id/parcels', operationId: 'shipParcel', tag: 'Parcels', summary: 'Ship',
    access: 'staff', body: object({ carrier: Type.String() }), status: 204,
  },
  ({ db, params, body }) => addTimelineEntry(db, params.id, 'parcel.shipped', 'Shipped with ' + body.carrier),
);

export default definePackage({
  routes: [ship],
  extends: [orderTimelineTypes.with({ type: 'parcel.shipped', label: 'Shipped' })],
});
`;
const migration = 'export const up = () => {}; export const down = () => {};';

t.test("a package's entry has its type and label, and its type is documented", async (t) => {
  const written = { name: 'parcels', dependencies: ['order'], index, migration };
  const others = ['core', 'auth', 'tenant', 'product', 'inventory'];
  const box = await createTestBox(t, await writePackage(t, written, others));
  const { id } = await place(box);
  t.equal((await box.staff.post(`/admin/orders/${id}/parcels`, { carrier: 'UPS' })).status, 204);
  const { body } = await box.staff.get(`/admin/orders/${id}/timeline`);
  t.strictSame(
    body.items.map(({ type, label, message }: Record<string, string>) => [type, label, message]),
    [
      ['parcel.shipped', 'Shipped', 'Shipped with UPS'],
      ['placed', 'Placed', 'Order placed'],
    ],
  );
  t.equal(body.items[0].actor.label, box.email);
  t.match(await box.staff.post(`/admin/orders/${id}/notes`, { note: 'x' }), { body: { type: 'note', label: 'Note' } });
  const document = (await box.visitor().get('/docs/json')).body;
  const { description } = document.components.schemas.OrderEvent.properties.type;
  t.equal(
    description,
    'Not an enumeration; types of this box: `pending`, `placed`, `updated`, `canceled`, `archived`, `unarchived`, `note`, `payment`, `units`, `parcel.shipped`',
  );
});

t.test('an undeclared type cannot be written; entries of a removed package remain readable', async (t) => {
  const box = await openBox(t);
  const { id } = await place(box);
  await t.rejects(addTimelineEntry(box.db, id, 'parcel.shipped', 'x'), /no package declares the type parcel.shipped/);
  await box.db.insert('order_events', {
    orderId: id,
    id: newId(),
    type: 'parcel.lost',
    message: 'Lost',
    actorType: 'carrier',
  });
  const [entry] = (await box.staff.get(`/admin/orders/${id}/timeline`)).body.items;
  t.match(entry, { type: 'parcel.lost', label: 'parcel.lost', actor: { type: 'carrier', id: null, label: null } });
});
