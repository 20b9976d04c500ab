/**
 * What caches may keep: reads that are the same for everybody, and of those only what a request without cookies and
 * credentials got, with a tag by which they revalidate it. Everything else is not stored.
 */
import { bodyOf, type Caller, createTestBox, type TestTenant } from '@carton/runtime/testing';
import t from 'tap';
import { accessKindsOf } from '../../runtime/http/route.ts';

const box = await createTestBox(t, { idleJobs: true });
const other = await box.openTenant();

const post = (tenant: TestTenant, path: string, body: object) => bodyOf(tenant.staff.post(`/admin/${path}`, body));
async function fill(tenant: TestTenant, word: string) {
  const product = await post(tenant, 'products', { title: `${word} shirt`, handle: 'shirt', status: 'published' });
  await post(tenant, 'categories', { name: `${word} clothes`, handle: 'clothes' });
  await post(tenant, 'collections', { title: `${word} summer`, handle: 'summer', productIds: [product.id] });
  await post(tenant, 'pages', { title: `${word} about`, handle: 'about', status: 'published' });
  const region = await post(tenant, 'regions', { name: `${word} region`, currency: 'EUR', countries: ['FR'] });
  await post(tenant, 'redirects', { path: '/old', target: `/new-${word}` });
  await post(tenant, 'menus', { name: word, handle: 'main', items: [{ title: word, url: '/a' }] });
  const [{ id: variantId }] = product.variants;
  await bodyOf(
    tenant.staff.put(`/admin/variants/${variantId}/prices`, { prices: [{ currency: 'EUR', amount: 1000 }] }),
  );
  await bodyOf(tenant.staff.patch(`/admin/stock-items/${variantId}`, { tracked: false }));
  return { variantId, regionId: region.id };
}
const own = await fill(box, 'own');
const foreign = await fill(other, 'foreign');

const pathsOf = ({ variantId, regionId }: typeof own): Record<string, string> => ({
  '/store': '/store',
  '/products': '/products',
  '/products/:handle': '/products/shirt',
  '/products/:handle/related': '/products/shirt/related',
  '/variants/:id': `/variants/${variantId}`,
  '/variants/:id/availability': `/variants/${variantId}/availability`,
  '/regions': '/regions',
  '/regions/:id': `/regions/${regionId}`,
  '/countries': '/countries',
  '/categories': '/categories',
  '/categories/:handle': '/categories/clothes',
  '/collections': '/collections',
  '/collections/:handle': '/collections/summer',
  '/pages/:handle': '/pages/about',
  '/menus/:handle': '/menus/main',
  '/redirects/resolve': '/redirects/resolve?path=/old',
  '/sitemap.xml': '/sitemap.xml',
  '/sitemaps/:page': '/sitemaps/products.xml',
  '/robots.txt': '/robots.txt',
});
const paths = pathsOf(own);
const cacheOf = async (caller: Pick<Caller, 'get'>, path: string, headers: Record<string, string> = {}) => {
  const response = await caller.get(path, { headers });
  return [response.status, response.headers.get('cache-control')];
};

t.test('which operations are shared', (t) => {
  const { routes } = box.box;
  const shared = routes.filter(({ declaration }) => declaration.shared).map(({ declaration }) => declaration.path);
  t.strictSame(shared.toSorted(), Object.keys(paths).toSorted());
  for (const { declaration } of routes) {
    const { shared, operationId, cacheControl = 'no-store' } = declaration;
    if (shared)
      t.ok(
        accessKindsOf(declaration).every((kind) => kind === 'session' || kind === 'public'),
        operationId,
      );
    else if (cacheControl.startsWith('public')) t.equal(operationId, 'readMediaFile');
  }
  t.end();
});

t.test('a read without credentials may be kept, and is revalidated by its tag', async (t) => {
  const visitor = box.visitor();
  for (const path of Object.values(paths)) {
    const { status, headers } = await visitor.get(path);
    t.strictSame([status, headers.get('cache-control')], [200, 'public, no-cache'], path);
    const etag = headers.get('etag') as string;
    t.ok(etag, path);
    const vary = (headers.get('vary') ?? '').toLowerCase().split(', ');
    for (const name of ['origin', 'cookie', 'authorization', 'accept-language', 'x-forwarded-host', 'x-tenant-slug'])
      t.ok(vary.includes(name), `${path} ${name}`);
    const again = await visitor.get(path, { headers: { 'if-none-match': etag } });
    t.strictSame(
      [again.status, again.headers.get('cache-control'), again.headers.get('etag')],
      [304, 'public, no-cache', etag],
    );
  }
});

t.test('the tag of one store confirms nothing of another', async (t) => {
  const foreignPaths = pathsOf(foreign);
  for (const [name, path] of Object.entries(paths)) {
    // These are about no content of a store.
    if (['/countries', '/products/:handle/related', '/variants/:id/availability', '/robots.txt'].includes(name))
      continue;
    const etag = (await box.visitor().get(path)).headers.get('etag') as string;
    const answer = await other.visitor().get(foreignPaths[name] as string, { headers: { 'if-none-match': etag } });
    t.equal(answer.status, 200, path);
  }
});

t.test('a read with a cookie or a credential is kept by its browser at most', async (t) => {
  const shopper = box.shopper();
  await bodyOf(shopper.post('/cart/items', { variantId: own.variantId, quantity: 1 }));
  for (const path of Object.values(paths)) {
    t.strictSame(await cacheOf(box.visitor(), path, { cookie: 'theme=dark' }), [200, 'private, no-cache'], path);
    t.match((await cacheOf(shopper, path))[1], /^private, no-(cache|store)$/, path);
    const bearer = await cacheOf(box.visitor(), path, { authorization: 'Bearer none' });
    t.not(bearer[1], 'public, no-cache', path);
  }
  for (const path of [paths['/products'], paths['/products/:handle'], paths['/categories/:handle']])
    t.strictSame(await cacheOf(shopper, path as string), [200, 'private, no-store'], path);
  const { headers } = await box.visitor().get('/cart');
  t.equal(headers.get('cache-control'), 'no-store');
});

t.test('problems are not kept', async (t) => {
  for (const path of ['/products/none', '/pages/none', '/products?sort=nonsense', '/redirects/resolve?path=/none']) {
    const { status, headers } = await box.visitor().get(path);
    t.ok(status >= 400, path);
    t.equal(headers.get('cache-control'), 'no-store', path);
  }
});

t.test('the tag of the sitemap changes with its addresses', async (t) => {
  const tagOf = async () => (await box.visitor().get('/sitemap.xml')).headers.get('etag') as string;
  const before = await tagOf();
  await post(box, 'pages', { title: 'New page', status: 'published' });
  const after = await tagOf();
  t.not(after, before);
  const { status } = await box.visitor().get('/sitemap.xml', { headers: { 'if-none-match': before } });
  t.equal(status, 200);
});
