/**
 * Packages say which pages the storefront has, and another makes a sitemap of them, which knows none of them.
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

t.test('every page that anybody may find is listed, page by page, and no other', async (t) => {
  for (const handle of ['shirt', 'mug', 'notebook', 'lamp', 'chair']) {
    const made = await box.staff.post('/admin/products', {
      title: handle,
      handle,
      status: 'published',
      variants: [{}],
    });
    t.equal(made.status, 201);
  }
  await box.staff.post('/admin/products', { title: 'draft', handle: 'draft', status: 'draft', variants: [{}] });
  const gone = await box.staff.post('/admin/products', {
    title: 'gone',
    handle: 'gone',
    status: 'published',
    variants: [{}],
  });
  await box.staff.delete(`/admin/products/${gone.body.id}`);
  await box.staff.post('/admin/collections', { title: 'Summer', handle: 'summer' });
  const other = await box.openTenant();
  await other.staff.post('/admin/products', { title: 'x', handle: 'theirs', status: 'published', variants: [{}] });
  const answer = await fetch(`${box.url}/addresses.txt`, { headers: box.visitor().headers });
  t.strictSame((await answer.text()).trim().split('\n'), [
    'products /products/shirt',
    'products /products/mug',
    'products /products/notebook',
    'products /products/lamp',
    'products /products/chair',
    'collections /collections/summer',
    'pages /imprint',
  ]);
});
