/**
 * Redirects from paths with a query: pages of other systems differ in nothing else.
 */
import { bodyOf, exactly, type TestTenant } from '@carton/runtime/testing';
import t from 'tap';
import { parsePath } from '../redirects/paths.ts';
import { allOf, openBox, targetOf } from './helpers.ts';

const box = await openBox(t);
const create = (tenant: TestTenant, path: string, target: string) =>
  tenant.staff.post('/admin/redirects', { path, target });
const redirect = (tenant: TestTenant, path: string, target: string) => bodyOf(create(tenant, path, target));
const refused = (code: string, status = 409) => ({ status, body: { code } });

t.test('pages of other systems differ in their query', async (t) => {
  const tenant = await box.openTenant();
  const made = await redirect(tenant, '/index.php?id=5', '/products/five');
  t.equal(made.path, '/index.php?id=5');
  await redirect(tenant, '/index.php?route=product/product&product_id=42', '/products/forty-two');
  await redirect(tenant, '/?p=123', '/pages/about');
  await redirect(tenant, '/index.php', '/start');
  for (const [path, target] of [
    ['/index.php?id=5', '/products/five'],
    ['/index.php?id=5&utm_source=mail&gclid=x', '/products/five'],
    ['/index.php/?&id=%35&#top', '/products/five'],
    ['/index.php?product_id=42&route=product%2Fproduct', '/products/forty-two'],
    ['/?p=123', '/pages/about'],
    ['/index.php?id=6', '/start'],
    ['/index.php?id=5&page=2', '/products/five'],
    ['/index.php?id=5&id=6', '/products/five'],
    ['/index.php?route=product/product&product_id=43', '/start'],
    ['/index.php?route=product/product', '/start'],
    ['/index.php?a=1&route=product/product&b=2&product_id=42', '/products/forty-two'],
    ['/index.php?ID=5', '/start'],
    ['/?p=124', null],
  ] as const) {
    t.equal(await targetOf(tenant, path), target, path);
  }
  t.match(await create(tenant, '/index.php?utm_source=a&id=5', '/x'), refused('redirect_exists'));
  const listed = await bodyOf(tenant.staff.get(`/admin/redirects?path=${encodeURIComponent('/index.php?id=5')}`));
  t.match(listed, { items: exactly([{ id: made.id }]) });
  t.match(await create(tenant, `/a?b=${'ä'.repeat(300)}`, '/x'), refused('invalid_request', 400));
});

t.test('a query has one form', async (t) => {
  for (const [text, address] of [
    ['/a?', '/a'],
    ['/a?b&a=1', '/a?a=1&b'],
    ['/a?b=', '/a?b'],
    ['/a?b=x+y', '/a?b=x%20y'],
    ['/a?b=x%20y', '/a?b=x%20y'],
    ['/a?b=c=d', '/a?b=c%3Dd'],
    ['/a?b=%e4', '/a?b=%E4'],
    ['/a?b=ä', '/a?b=%C3%A4'],
    ['/a?b[]=2&b[]=1', '/a?b%5B%5D=1&b%5B%5D=2'],
    ['/a?utm_source=x', '/a'],
    ['/a?c=/d:e,f@g', '/a?c=/d:e,f@g'],
  ] as const) {
    t.equal(parsePath(text)?.address, address, text);
    t.equal(parsePath(address)?.address, address, 'it stays as it is');
  }
});

t.test('redirects with queries form no chains and no loops', async (t) => {
  const tenant = await box.openTenant();
  const loop = refused('redirect_loop');
  await redirect(tenant, '/a', '/b?x=1');
  await redirect(tenant, '/c', '/b?x=2');
  t.match(await create(tenant, '/b?x=1', '/a'), loop);
  t.match(await create(tenant, '/b', '/a'), loop, 'the path alone is for all queries');
  t.match(await create(tenant, '/b', '/b?x=3'), loop);
  t.match(await create(tenant, '/d?e', '/d?utm_source=a&e'), loop);
  await redirect(tenant, '/b?x=1', '/end');
  t.strictSame(await allOf(tenant), ['/a /end', '/b?x=1 /end', '/c /b?x=2']);
  await redirect(tenant, '/b', '/b?x=1');
  t.strictSame(await allOf(tenant), ['/a /end', '/b /end', '/b?x=1 /end', '/c /end'], 'that has a redirect of its own');
  await redirect(tenant, '/e', '/b?x=9');
  t.equal(await targetOf(tenant, '/e'), '/end');
  await redirect(tenant, '/f?g=1', '/f');
  t.equal(await targetOf(tenant, '/f?g=1'), '/f', 'the query is removed');
  t.match(await create(tenant, '/f', '/f?g=1'), loop);
});

t.test('a parameter that campaigns and pages may have tells pages apart', async (t) => {
  const tenant = await box.openTenant();
  for (const name of ['ref', 'pk_id', 'cm_id', 'trk', 'spm', '_', 'aff', 'ga_x', 'fb_y', 'clickid']) {
    const made = await redirect(tenant, `/p?${name}=A`, `/${name}/a`);
    t.equal(made.path, `/p?${name}=A`);
    await redirect(tenant, `/p?${name}=B&gclid=1`, `/${name}/b`);
    for (const [query, target] of [
      [`${name}=A`, `/${name}/a`],
      [`${name}=B`, `/${name}/b`],
      [`${name}=A&utm_source=x&fbclid=y`, `/${name}/a`],
      [`${name}=C`, null],
    ] as const) {
      t.equal(await targetOf(tenant, `/p?${query}`), target, query);
    }
    t.match(await create(tenant, `/p?${name}=B`, '/x'), refused('redirect_exists'));
  }
  t.equal(await targetOf(tenant, '/p'), null);
  await redirect(tenant, '/q?id=7', '/seven');
  t.equal(await targetOf(tenant, '/q?id=7&ref=mail&_=1700000000'), '/seven', 'also with what may be a mark');
  await redirect(tenant, '/q?id=7&ref=mail', '/mail');
  t.equal(await targetOf(tenant, '/q?ref=mail&id=7&utm_id=1'), '/mail', 'the more complete one counts');
  t.equal(await targetOf(tenant, '/q?ref=other&id=7'), '/seven');
  t.match(await create(tenant, '/r?id=1', '/r?id=1&ref=x'), refused('redirect_loop'));
  await redirect(tenant, '/r?ref=x', '/r?ref=y');
  await redirect(tenant, '/s', '/r?ref=y');
  await redirect(tenant, '/r', '/end');
  t.strictSame(
    (await allOf(tenant)).filter((each) => /^\/[rs]/.test(each)),
    ['/r /end', '/r?ref=x /end', '/s /end'],
    'no redirect leads to another',
  );
});

t.test('all parameters of a redirect are in the request, and the one with the most counts', async (t) => {
  const tenant = await box.openTenant();
  await redirect(tenant, '/p?ref=A', '/a');
  t.equal(await targetOf(tenant, '/p?ref=A&trk=x'), '/a', 'two parameters that pages and campaigns may have');
  t.equal(await targetOf(tenant, '/p?trk=x'), null);
  await redirect(tenant, '/p?ref=A&trk=x', '/both');
  await redirect(tenant, '/p?id=1', '/one');
  await redirect(tenant, '/p?category=shirts-of-linen', '/shirts');
  for (const [query, target] of [
    ['trk=x&ref=A', '/both'],
    ['trk=x&ref=A&utm_id=1&other', '/both'],
    ['trk=y&ref=A', '/a'],
    ['ref=A&id=1', '/one'],
    ['category=shirts-of-linen&id=1', '/shirts'],
    ['id=1&id=2', '/one'],
    ['id=12', null],
  ] as const) {
    t.equal(await targetOf(tenant, `/p?${query}`), target, query);
  }
  const many = Array.from({ length: 100 }, (_, at) => `x${at}`).join('&');
  t.equal(await targetOf(tenant, `/p?${many}&ref=A&trk=x`), null, 'beyond eight, only the first count');
  t.equal(await targetOf(tenant, `/p?${many.slice(0, 20)}&id=1`), '/one');
  await redirect(tenant, `/p?${many}&id=1`, '/all');
  t.equal(await targetOf(tenant, `/p?id=1&${many}`), '/all', 'the same query always does');
  t.equal(new Set(parsePath(`/p?${many}`)?.found).size, 257);
});

t.test('a redirect to its own address with more parameters is a loop, and one of before leads nowhere', async (t) => {
  const tenant = await box.openTenant();
  t.match(await create(tenant, '/p?id=1', '/p?id=1&view=2'), refused('redirect_loop'));
  await redirect(tenant, '/p?id=1', '/end');
  const stored = "update redirects set target = '/p?id=1&view=2', target_path = '/p' where tenant_id = $1";
  await box.owner.query(stored, [tenant.id]);
  t.equal(await targetOf(tenant, '/p?id=1'), '/p?id=1&view=2');
  t.equal(await targetOf(tenant, '/p?id=1&view=2'), null);
});
