/**
 * Packages list the pages of the storefront, and another package, which does not depend on them, makes a sitemap.
 */
import t from 'tap';
import { createTestBox, writePackage } from '../../testing/index.ts';

const index = `
import { definePackage, everyAddress, route, storefrontAddresses } from '@carton/runtime';

const readAddresses = route(
  {
    method: 'get', path: '/addresses.txt', operationId: 'readAddresses', tag: 'Sitemap', summary: 'Every page',
    access: 'public', status: 200, mediaType: 'text/plain', streamed: true,
  },
  async function* ({ db }) {
    for (const kind of storefrontAddresses.of(db)) {
      for await (const { path } of everyAddress(db, kind, 2)) yield kind.name + ' ' + path + '\\n';
    }
  },
);

const imprint = {
  name: 'pages',
  list: async () => ({ items: [{ path: '/imprint', changedAt: '2026-03-01T12:00:00.000Z' }], next: null }),
};

export default definePackage({ routes: [readAddresses], extends: [storefrontAddresses.with(imprint)] });
`;
const written = await writePackage(t, { name: 'sitemap', dependencies: ['core', 'product', 'collection'], index }, [
  'tenant',
  'auth',
]);
const box = await createTestBox(t, { ...written, database: 'empty' });

t.test('exactly the public pages are listed, in batches', async (t) => {
  for (const handle of ['shirt', 'mug', 'notebook', 'lamp', 'chair']) {
    const created = await box.staff.post('/admin/products', {
      title: handle,
      handle,
      status: 'published',
      variants: [{}],
    });
    t.equal(created.status, 201);
  }
  await box.staff.post('/admin/products', { title: 'draft', handle: 'draft', status: 'draft', variants: [{}] });
  const deleted = await box.staff.post('/admin/products', {
    title: 'deleted',
    handle: 'deleted',
    status: 'published',
    variants: [{}],
  });
  await box.staff.delete(`/admin/products/${deleted.body.id}`);
  await box.staff.post('/admin/collections', { title: 'Summer', handle: 'summer' });
  const other = await box.openTenant();
  await other.staff.post('/admin/products', { title: 'x', handle: 'theirs', status: 'published', variants: [{}] });
  const response = await fetch(`${box.url}/addresses.txt`, { headers: box.visitor().headers });
  t.strictSame((await response.text()).trim().split('\n'), [
    'products /products/shirt',
    'products /products/mug',
    'products /products/notebook',
    'products /products/lamp',
    'products /products/chair',
    'collections /collections/summer',
    'pages /imprint',
  ]);
});
