/**
 * Inputs to which boxes have responded with 500.
 */
import { createForSale } from '@carton/cart/testing';
import { subject } from '../subject.ts';

subject('inputs', async (t, { url, openTenant }) => {
  const store = await openTenant();
  await createForSale(store, 1000);
  const { staff } = store;

  await t.test('times at the edges of what PostgreSQL stores', async (t) => {
    const edges = ['0001-01-01T00:00:00+01:00', '9999-12-31T23:59:59-01:00', '2026-12-31T23:59:60Z'];
    for (const publishAt of edges) {
      const { status } = await staff.post('/admin/products', { title: 'n', publishAt });
      t.ok([201, 400].includes(status), `publishAt ${publishAt}`);
    }
    for (const path of ['/admin/products', '/admin/orders', '/admin/members', '/admin/promotions']) {
      const { status } = await staff.get(`${path}?updatedAfter=2026-12-31T23:59:60Z`);
      t.ok([200, 400].includes(status), `${path}?updatedAfter with a leap second`);
    }
  });

  await t.test('a picture that claims to be huge', async (t) => {
    // A JPEG whose header says 40000 × 40000.
    const size = Buffer.from([0xff, 0xc0, 0, 17, 8, 0x9c, 0x40, 0x9c, 0x40, 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1]);
    const bytes = Buffer.concat([Buffer.from([0xff, 0xd8]), size, Buffer.from([0xff, 0xd9])]);
    const form = new FormData();
    form.append('file', new Blob([bytes], { type: 'image/jpeg' }), 'huge.jpg');
    const response = await fetch(`${url}/admin/media`, { method: 'POST', headers: staff.headers, body: form });
    t.ok(response.status >= 400 && response.status < 500, `${response.status}`);
  });
});
