/**
 * The sitemap and robots.txt.
 */
import { bodyOf, exactly, statementsOf, type TestTenant, until } from '@carton/runtime/testing';
import t from 'tap';
import { entriesOf, sitemapOf } from '../sitemap/xml.ts';
import { createPage, openBox, unknownId } from './helpers.ts';

const box = await openBox(t);
const addDomain = (tenant: TestTenant, host: string) =>
  bodyOf(box.operator.post(`/admin/tenants/${tenant.id}/domains`, { host }));

/** The response of a tenant at a host of the box, as text. */
async function read(tenant: TestTenant, path: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${box.url}${path}`, { headers: { ...tenant.visitor().headers, ...headers } });
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
}
/** Whether a statement lists the pages of a kind. */
const readsPages = (text: string) => text.includes('as is_public');
const locationsOf = (text: string) =>
  [...text.matchAll(/<loc>(.*?)<\/loc>/g)].map(([, location]) => location as string);

t.test('it has what is published, at the host of the store', async (t) => {
  const tenant = await box.openTenant();
  const other = await box.openTenant();
  await addDomain(tenant, 'www.one.example');
  await addDomain(tenant, '*.two.example');
  const post = (path: string, body: object) => bodyOf(tenant.staff.post(path, body));
  const shirt = await post('/admin/products', { title: 'Shirt', status: 'published' });
  await post('/admin/products', { title: 'Draft shirt', status: 'draft' });
  const gone = await post('/admin/products', { title: 'Gone', status: 'published' });
  await bodyOf(tenant.staff.delete(`/admin/products/${gone.id}`));
  await post('/admin/categories', { name: 'Clothes' });
  const hidden = await post('/admin/categories', { name: 'Hidden', visible: false });
  await post('/admin/categories', { name: 'Below', parentId: hidden.id });
  await createPage(tenant, { title: 'About us', status: 'published' });
  await createPage(tenant, { title: 'Draft page' });
  const later = new Date(Date.now() + 3_600_000).toISOString();
  await createPage(tenant, { title: 'Scheduled', status: 'published', publishAt: later });
  await createPage(other, { title: 'Theirs', status: 'published' });
  const paths = ['/categories/clothes', '/pages/about-us', '/products/shirt'];
  const at = (origin: string) => paths.map((path) => `${origin}${path}`);

  const { status, type, text } = await read(tenant, '/sitemap.xml');
  t.equal(status, 200);
  t.equal(type, 'application/xml; charset=utf-8');
  t.strictSame(locationsOf(text).toSorted(), at('https://www.one.example'));
  t.match(text, /^<\?xml version="1.0" encoding="UTF-8"\?>\n<urlset xmlns="http:\/\/www.sitemaps.org\/schemas/);
  t.match(text, `<loc>https://www.one.example/products/shirt</loc><lastmod>${shirt.updatedAt}</lastmod>`);
  const part = await read(tenant, '/sitemaps/products.xml');
  t.strictSame(locationsOf(part.text), ['https://www.one.example/products/shirt']);

  const forwarded = async (host: string) =>
    locationsOf((await read(tenant, '/sitemap.xml', { 'x-forwarded-host': host })).text).toSorted();
  t.strictSame(await forwarded('de.two.example'), at('https://de.two.example'));
  t.strictSame(await forwarded('evil.example'), at('https://www.one.example'), 'no host of others');
  t.strictSame(await forwarded('a.de.two.example'), at('https://www.one.example'));
  const robots = await read(tenant, '/robots.txt');
  t.match(robots, { status: 200, type: 'text/plain; charset=utf-8' });
  t.match(robots.text, /^User-agent: \*\n(Disallow: .*\n)+\nSitemap: https:\/\/www.one.example\/sitemap.xml\n$/);
});

t.test('crawlers may read what only begins like a closed path', async (t) => {
  const tenant = await box.openTenant();
  const { text } = await read(tenant, '/robots.txt');
  // As crawlers read rules (RFC 9309, section 2.2.3): `$` ends a path.
  const rules = [...text.matchAll(/^Disallow: (.+)$/gm)].map(([, rule = '']) => rule);
  const isClosed = (path: string) =>
    rules.some((rule) => (rule.endsWith('$') ? path === rule.slice(0, -1) : path.startsWith(rule)));
  for (const path of ['/cart', '/checkout', '/account', '/member', '/admin']) {
    t.ok([path, `${path}/`, `${path}/items`, `${path}?utm_source=a`].every(isClosed), path);
    t.notOk([`${path}ography`, `${path}-help`, `${path}s`, `/pages${path}`].some(isClosed), path);
  }
});

t.test('a store without hosts has the host of the request, and may have no pages', async (t) => {
  const tenant = await box.openTenant();
  const { text } = await read(tenant, '/robots.txt');
  t.match(text, `Sitemap: ${box.url}/sitemap.xml`);
  t.strictSame(locationsOf((await read(tenant, '/sitemap.xml')).text), []);
});

t.test('addresses are encoded and escaped', async (t) => {
  async function* entries() {
    yield entriesOf([{ path: `/a&b<c>"d'/ä?e=1&f`, changedAt: '2026-03-01T12:00:00.000Z' }]);
  }
  let text = '';
  for await (const chunk of sitemapOf('https://www.one.example', entries())) text += chunk;
  t.strictSame(locationsOf(text), ['https://www.one.example/a&amp;b%3Cc%3E%22d&apos;/%C3%A4?e=1&amp;f']);
});

t.test('above 50,000 addresses it is an index; each address is in one part', async (t) => {
  const tenant = await box.openTenant();
  await addDomain(tenant, 'www.large.example');
  await box.owner.query(
    `insert into products (tenant_id, id, handle, title, status, updated_at)
     select $1, gen_random_uuid(), 'p-' || number, 'Product', 'published', '2026-03-01'
       from generate_series(1, 120000) as number`,
    [tenant.id],
  );
  await createPage(tenant, { title: 'About us', status: 'published' });
  // What was changed just now is kept for seconds only, and reading it all may take longer.
  await box.owner.query("update pages set updated_at = '2026-03-01' where tenant_id = $1", [tenant.id]);
  const index = await read(tenant, '/sitemap.xml');
  t.match(index.text, /<sitemapindex xmlns=/);
  const origin = 'https://www.large.example';
  const parts = locationsOf(index.text);
  t.equal(parts.length, 4);
  t.ok(parts.every((part) => part.startsWith(`${origin}/sitemaps/`)));
  const addresses: string[] = [];
  const sizes: number[] = [];
  for (const part of parts) {
    const { status, text } = await read(tenant, part.slice(origin.length));
    t.equal(status, 200);
    const locations = locationsOf(text);
    sizes.push(locations.length);
    addresses.push(...locations);
  }
  t.strictSame(
    sizes.toSorted((a, b) => a - b),
    [1, 20_000, 50_000, 50_000],
  );
  t.equal(new Set(addresses).size, 120_001);
  t.ok(addresses.includes(`${origin}/products/p-77777`));

  const again = await statementsOf(tenant.db, async () => {
    for (const path of ['/sitemap.xml', ...parts.map((part) => part.slice(origin.length))]) await read(tenant, path);
    t.equal((await read(tenant, `/sitemaps/products~${unknownId}.xml`)).status, 404, 'no part begins there');
  });
  t.strictSame(again.filter(readsPages), [], 'nothing is read again');
});

t.test('the pages of a kind are read again after a change, and for no other reason', async (t) => {
  const tenant = await box.openTenant();
  await addDomain(tenant, '*.kept.example');
  const { id } = await bodyOf(tenant.staff.post('/admin/products', { title: 'Shirt', status: 'published' }));
  await bodyOf(tenant.staff.post('/admin/categories', { name: 'Clothes' }));
  const page = await createPage(tenant, { title: 'About us', status: 'published' });
  let shown: string[] = [];
  const kindsRead = async (host = 'www.kept.example') => {
    const statements = await statementsOf(tenant.db, async () => {
      const { text } = await read(tenant, '/sitemap.xml', { 'x-forwarded-host': host });
      shown = locationsOf(text);
    });
    return statements.flatMap((text) => (readsPages(text) ? (/from (\w+)/.exec(text)?.[1] ?? []) : [])).toSorted();
  };
  t.strictSame(await kindsRead(), ['categories', 'pages', 'products']);
  t.strictSame(await kindsRead(), []);
  t.equal(shown.length, 3);
  t.strictSame(await kindsRead('de.kept.example'), [], 'another host has the same pages');
  t.ok(shown.every((location) => location.startsWith('https://de.kept.example/')));

  const changes: [string, () => Promise<unknown>, string, number][] = [
    ['a new page', () => createPage(tenant, { title: 'Jobs', status: 'published' }), 'pages', 4],
    ['a hidden page', () => tenant.staff.patch(`/admin/pages/${page.id}`, { status: 'draft' }), 'pages', 3],
    ['a deleted product', () => tenant.staff.delete(`/admin/products/${id}`), 'products', 2],
    ['a new category', () => tenant.staff.post('/admin/categories', { name: 'Shoes' }), 'categories', 3],
  ];
  for (const [what, change, kind, count] of changes) {
    await change();
    t.strictSame(await kindsRead(), [kind], what);
    t.equal(shown.length, count, what);
    t.strictSame(await kindsRead(), [], `once after ${what}`);
  }
});

t.test('stores whose pages changed at the same time have their own', async (t) => {
  for (const title of ['Mug', 'Lamp']) {
    const tenant = await box.openTenant();
    const { handle } = await bodyOf(tenant.staff.post('/admin/products', { title, status: 'published' }));
    await box.owner.query("update products set updated_at = '2026-03-01' where tenant_id = $1", [tenant.id]);
    t.match(locationsOf((await read(tenant, '/sitemap.xml')).text), exactly([new RegExp(`/products/${handle}$`)]));
  }
});

t.test('a page appears at its time', async (t) => {
  const tenant = await box.openTenant();
  const soon = new Date(Date.now() + 1500).toISOString();
  await createPage(tenant, { title: 'Soon', status: 'published', publishAt: soon });
  await createPage(tenant, { title: 'Now', status: 'published' });
  const count = async () => locationsOf((await read(tenant, '/sitemap.xml')).text).length;
  t.equal(await count(), 1);
  t.equal(await until(count, (found) => found === 2), 2);
});

t.test('other parts do not exist', async (t) => {
  for (const name of ['orders', 'products~1', 'products~a~b', '..', 'products.xml.xml', '%27', 'x'.repeat(121)]) {
    t.match(await box.visitor().get(`/sitemaps/${name}`), { status: 404 }, name);
  }
});
