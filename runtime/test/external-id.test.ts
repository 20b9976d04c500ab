/**
 * `externalId` and `metadata`, the fields of a resource for integrators.
 */
import { createTestBox, exactly } from '@carton/runtime/testing';
import t from 'tap';

const box = await createTestBox(t);
const { staff } = box;
const conflict = { status: 409, body: { code: 'external_id_taken' } };

t.test('an externalId is unique for a type of resource and tenant', async (t) => {
  const region = { name: 'Europe', currency: 'EUR', externalId: 'EU', metadata: { ledger: 4711 } };
  const created = await staff.post('/admin/regions', region);
  t.match(created, { status: 201, body: { externalId: 'EU', metadata: { ledger: 4711 } } });
  t.match(await staff.post('/admin/regions', { ...region, name: 'Again' }), conflict);
  t.match(await staff.post('/admin/collections', { title: 'Europe', externalId: 'EU' }), { status: 201 });
  const other = await box.openTenant();
  t.match(await other.staff.post('/admin/regions', region), { status: 201 });
  const found = await staff.get('/admin/regions?externalId=EU');
  t.strictSame(found.body, { items: [created.body], nextCursor: null });
  t.strictSame((await staff.get('/admin/regions?externalId=eu')).body.items, [], 'case-sensitive');

  const second = await staff.post('/admin/regions', { name: 'Asia', currency: 'JPY' });
  t.match(second, { status: 201, body: { externalId: null, metadata: {} } });
  const path = `/admin/regions/${second.body.id}`;
  t.match(await staff.patch(path, { externalId: 'EU' }), conflict);
  t.match(await staff.patch(path, { externalId: 'ASIA' }), { status: 200, body: { externalId: 'ASIA' } });
  t.match(await staff.patch(path, { externalId: null }), { status: 200, body: { externalId: null } });
});

t.test('a patch replaces the complete metadata, whose size is limited', async (t) => {
  const { body } = await staff.post('/admin/collections', { title: 'Summer', metadata: { one: 1, two: [2] } });
  const path = `/admin/collections/${body.id}`;
  t.match(await staff.patch(path, { title: 'Autumn' }), { body: { metadata: { one: 1, two: exactly([2]) } } });
  t.strictSame((await staff.patch(path, { metadata: { three: { of: 'it' } } })).body.metadata, { three: { of: 'it' } });
  t.match(await staff.patch(path, { metadata: { long: 'x'.repeat(16_384) } }), {
    status: 400,
    body: { errors: exactly([{ in: 'body', pointer: '/metadata' }]) },
  });
  const many = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`key${index}`, index]));
  t.match(await staff.patch(path, { metadata: many }), { status: 400 });
  t.match(await staff.patch(path, { externalId: 'x'.repeat(256) }), { status: 400 });
});
