/**
 * The sitemap and robots.txt.
 */
import { bodyOf, type TestTenant } from '@carton/runtime/testing';
import t from 'tap';
import { sitemapOf } from '../sitemap/xml.ts';
import { createPage, openBox } from './helpers.ts';

const box = await openBox(t);
const addDomain = (tenant: TestTenant, host: string) =>
  bodyOf(box.operator.post(`/admin/tenants/${tenant.id}/domains`, { host }));

/** The response of a tenant at a host of the box, as text. */
async function read(tenant: TestTenant, path: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${box.url}${path}`, { headers: { ...tenant.visitor().headers, ...headers } });
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
}
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

t.test('a store without hosts has the host of the request, and may have no pages', async (t) => {
  const tenant = await box.openTenant();
  const { text } = await read(tenant, '/robots.txt');
  t.match(text, `Sitemap: ${box.url}/sitemap.xml`);
  t.strictSame(locationsOf((await read(tenant, '/sitemap.xml')).text), []);
});

t.test('addresses are encoded and escaped', async (t) => {
  async function* addresses() {
    yield { path: `/a&b<c>"d'/ä?e=1&f`, changedAt: '2026-03-01T12:00:00.000Z' };
  }
  let text = '';
  for await (const chunk of sitemapOf('https://www.one.example', addresses())) text += chunk;
  t.strictSame(locationsOf(text), ['https://www.one.example/a&amp;b%3Cc%3E%22d&apos;/%C3%A4?e=1&amp;f']);
});

t.test('above 50,000 addresses it is an index; each address is in one part', async (t) => {
  const tenant = await box.openTenant();
  await addDomain(tenant, 'www.large.example');
  await box.owner.query(
    `insert into products (tenant_id, id, handle, title, status)
     select $1, gen_random_uuid(), 'p-' || number, 'Product', 'published' from generate_series(1, 120000) as number`,
    [tenant.id],
  );
  await createPage(tenant, { title: 'About us', status: 'published' });
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
});

t.test('other parts do not exist', async (t) => {
  for (const name of ['orders', 'products~1', 'products~a~b', '..', 'products.xml.xml', '%27', 'x'.repeat(121)]) {
    t.match(await box.visitor().get(`/sitemaps/${name}`), { status: 404 }, name);
  }
});
