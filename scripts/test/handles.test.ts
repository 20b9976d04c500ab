/**
 * Handles follow the language of the store, and are found as they are written in the script of the title.
 */
import { bodyOf, createTestBox } from '@carton/runtime/testing';
import t from 'tap';

const box = await createTestBox(t, { tier: 'growth' });

const resources: Record<string, (title: string) => [path: string, body: object]> = {
  products: (title: string) => ['/admin/products', { title, status: 'published' }],
  collections: (title: string) => ['/admin/collections', { title }],
  categories: (name: string) => ['/admin/categories', { name }],
  pages: (title: string) => ['/admin/pages', { title, status: 'published' }],
  menus: (name: string) => ['/admin/menus', { name }],
};

t.test('a path with a title in another script finds what has its handle, in each kind of resource', async (t) => {
  const tenant = await box.openTenant();
  for (const [kind, request] of Object.entries(resources)) {
    const { handle } = await bodyOf(tenant.staff.post(...request('キーボード')));
    t.equal(handle, 'kibodo');
    const written = ['kibodo', 'キーボード', 'キーボード'.normalize('NFD'), 'ｷｰﾎﾞｰﾄﾞ'];
    for (const name of written) {
      const { status, body } = await tenant.visitor().get(`/${kind}/${encodeURIComponent(name)}`);
      t.strictSame([status, body.handle], [200, handle], `${kind} ${name}`);
    }
    t.equal((await tenant.visitor().get(`/${kind}/${encodeURIComponent('マウス')}`)).status, 404);
  }
  const related = await tenant.visitor().get(`/products/${encodeURIComponent('キーボード')}/related`);
  t.equal(related.status, 200);
});

t.test('a German store writes umlauts with an e, and finds them so', async (t) => {
  const tenant = await box.openTenant();
  const before = await bodyOf(tenant.staff.post('/admin/products', { title: 'Bär', status: 'published' }));
  t.equal(before.handle, 'bar');
  await bodyOf(tenant.staff.patch('/admin/store', { defaultLocale: 'de-AT' }));
  for (const request of Object.values(resources)) {
    t.equal((await bodyOf(tenant.staff.post(...request('Größe')))).handle, 'groesse');
  }
  const found = await tenant.visitor().get(`/products/${encodeURIComponent('GRÖSSE')}`);
  t.equal(found.body.handle, 'groesse');
  t.equal((await tenant.visitor().get('/products/bar')).body.id, before.id, 'a handle stays');
});
