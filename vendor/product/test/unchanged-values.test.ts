/**
 * Values that earlier releases stored and that are refused today can be sent back with a change of other fields.
 */
import { createTestBox, eventsOf, exactly } from '@carton/runtime/testing';
import t from 'tap';
import { packages, publishProduct } from './helpers.ts';

const box = await createTestBox(t, { packages, tier: 'basic' });
const { staff } = box;
const { id, variants } = await publishProduct(box, { title: 'Mug' });
const path = `/admin/products/${id}`;
const first = '0001-01-01T00:00:00.000Z';
await box.owner.query("update products set title = '  ', publish_at = $2::timestamptz where id = $1", [id, first]);
const refusedAt = (...pointers: string[]) => ({
  ...{ status: 400, body: { code: 'invalid_request', errors: exactly(pointers.map((pointer) => ({ pointer }))) } },
});

t.test('what is sent as it was read is no change, and other fields are changed', async (t) => {
  const before = await staff.get(path);
  const events = (await eventsOf(box, id)).length;
  for (const body of [{ title: '  ' }, { title: '  ', publishAt: first }]) {
    const answer = await staff.patch(path, body);
    t.equal(answer.status, 200, JSON.stringify(body));
    t.strictSame(answer.body, before.body, 'nothing is changed');
    t.equal(answer.headers.get('etag'), before.headers.get('etag'));
  }
  t.equal((await eventsOf(box, id)).length, events);
  const ifMatch = { headers: { 'if-match': before.headers.get('etag') as string } };
  const sent = { title: '  ', publishAt: first, brand: 'Alder' };
  t.match(await staff.patch(path, sent, ifMatch), { status: 200, body: sent });
  t.match(await staff.patch(path, { title: '  ' }, ifMatch), { status: 412 }, 'also without a change');
});

t.test('other values are refused, whatever is sent beside them', async (t) => {
  t.match(await staff.patch(path, { title: ' ' }), refusedAt('/title'));
  t.match(await staff.patch(path, { title: '  ', tags: [1] }), refusedAt('/title', '/tags/0'));
  t.match(await staff.patch(path, { title: '   ', publishAt: first }), refusedAt('/title', '/publishAt'));
  t.match(await staff.patch(path, { id, title: 'Mug' }), refusedAt('/id'), 'what cannot be changed');
  t.match(await staff.patch(path, {}), refusedAt(''));
  t.match(await staff.patch(path, []), refusedAt(''));
  t.match(await staff.post('/admin/products', { title: '  ' }), refusedAt('/title'));
  t.equal((await staff.patch(`/admin/products/${variants[0].id}`, { title: '  ' })).status, 400, 'no product');
  t.equal((await staff.patch(path, { title: '  ' }, { headers: { authorization: 'Bearer none' } })).status, 401);
});

t.test('a SKU that is another one but for case and spaces stays, or loses the spaces', async (t) => {
  const paths: string[] = [];
  for (const sku of ['ABC-1', 'abc-1 ', ' Alone ']) {
    const [variant] = (await publishProduct(box, { title: sku })).variants;
    await box.owner.query('update product_variants set sku = $2 where id = $1', [variant.id, sku]);
    paths.push(`/admin/variants/${variant.id}`);
  }
  const [capitals, spaced, alone] = paths as [string, string, string];
  t.match(await staff.patch(capitals, { sku: 'ABC-1' }), { status: 200, body: { sku: 'ABC-1' } });
  t.match(await staff.patch(spaced, { sku: 'abc-1 ', weight: 5 }), { status: 200, body: { sku: 'abc-1 ', weight: 5 } });
  t.match(await staff.patch(spaced, { sku: 'Abc-1' }), { status: 409, body: { code: 'sku_taken' } });
  t.match(await staff.patch(alone, { sku: ' Alone ' }), { status: 200, body: { sku: 'Alone' } });
});
