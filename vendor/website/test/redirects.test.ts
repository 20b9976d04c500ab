/**
 * Redirects: paths that lead on, without loops and to no other site.
 */
import { bodyOf, raceRounds, type TestTenant } from '@carton/runtime/testing';
import t from 'tap';
import { parsePath } from '../redirects/paths.ts';
import { allOf, createPage, openBox, targetOf } from './helpers.ts';

const box = await openBox(t);
const create = (tenant: TestTenant, path: string, target: string, more: object = {}) =>
  tenant.staff.post('/admin/redirects', { path, target, ...more });
const redirect = (tenant: TestTenant, path: string, target: string) => bodyOf(create(tenant, path, target));
const refused = (code: string, status = 409) => ({ status, body: { code } });

t.test('a path leads on until the redirect is deleted', async (t) => {
  const tenant = await box.openTenant();
  const made = await redirect(tenant, '/old/', '/new?color=red#sizes');
  t.match(made, { path: '/old', target: '/new?color=red#sizes', permanent: true });
  const found = await tenant.visitor().get('/redirects/resolve?path=/old%3Futm=1');
  t.equal(found.status, 200);
  t.strictSame(found.body, { path: '/old', target: '/new?color=red#sizes', permanent: true });
  t.match(await create(tenant, '/%6Fld', '/other'), refused('redirect_exists'));
  t.match(await create(tenant, '/moved', '/x', { permanent: false }), { status: 201, body: { permanent: false } });
  const paths = async (query: string) =>
    (await bodyOf(tenant.staff.get(`/admin/redirects${query}`))).items.map(({ path }: { path: string }) => path);
  t.strictSame(await paths(''), ['/moved', '/old']);
  t.strictSame(await paths('?path=/old/'), ['/old']);
  t.match(await tenant.staff.delete(`/admin/redirects/${made.id}`), { status: 204 });
  t.equal(await targetOf(tenant, '/old'), null);
  t.match(await tenant.visitor().get('/redirects/resolve?path=old'), { status: 404 });
});

t.test('an address has one form', async (t) => {
  for (const [text, path] of [
    ['/', '/'],
    ['/a/', '/a'],
    ['/a//b///', '/a/b'],
    ['/a/./b/../c', '/a/c'],
    ['/../../a', '/a'],
    ['/a/%2E%2e/b', '/b'],
    ['/..//evil.example', '/evil.example'],
    ['/%61', '/a'],
    ['/a%2fb', '/a%2Fb'],
    ['/a b', '/a%20b'],
    ['/ä', '/%C3%A4'],
    ['/a\u0308', '/%C3%A4'],
    ['/%c3%a4', '/%C3%A4'],
    ['/%ff', '/%FF'],
    ['/%', '/%'],
    ['/A', '/A'],
    ['/a?b#c', '/a'],
    ['/%5Cevil', '/%5Cevil'],
    ['/%252e', '/%252e'],
    ['a', null],
    ['', null],
    ['//evil.example', null],
    ['/\\evil.example', null],
    ['\\evil', null],
    ['/\t/evil.example', null],
    ['/\n/evil.example', null],
    ['https://evil.example', null],
    [`/${'a'.repeat(1000)}`, null],
  ] as const) {
    t.equal(parsePath(text)?.path ?? null, path, JSON.stringify(text));
    if (path !== null) t.equal(parsePath(path)?.path, path, 'it stays as it is');
  }
});

t.test('chains are flattened, in any order', async (t) => {
  const tenant = await box.openTenant();
  await redirect(tenant, '/a', '/b');
  await redirect(tenant, '/b', '/c');
  t.strictSame(await allOf(tenant), ['/a /c', '/b /c']);
  await redirect(tenant, '/d', '/a/');
  t.strictSame(await allOf(tenant), ['/a /c', '/b /c', '/d /c']);
  await redirect(tenant, '/c', '/e?f');
  t.strictSame(await allOf(tenant), ['/a /e?f', '/b /e?f', '/c /e?f', '/d /e?f']);
});

t.test('loops are refused', async (t) => {
  const tenant = await box.openTenant();
  const loop = refused('redirect_loop');
  t.match(await create(tenant, '/a', '/a'), loop);
  t.match(await create(tenant, '/a', '/x/../a/?b#c'), loop);
  await redirect(tenant, '/a', '/b');
  t.match(await create(tenant, '/b', '/a'), loop);
  await redirect(tenant, '/b', '/c');
  t.match(await create(tenant, '/c', '/a'), loop);
  t.match(await create(tenant, '/c', '/b'), loop);
  t.match(await create(tenant, '/c', '/%61'), loop);
  t.strictSame(await allOf(tenant), ['/a /c', '/b /c']);
});

t.test('a redirect leads to no other site', async (t) => {
  const tenant = await box.openTenant();
  const path = `/admin/tenants/${tenant.id}/domains`;
  for (const host of ['www.ours.example', '*.ours.example']) {
    await bodyOf(box.operator.post(path, { host }));
  }
  const { items } = await bodyOf(box.operator.get(path));
  const target = '/target';
  for (const url of [
    'https://evil.example/a',
    'https://ours.example/a',
    'https://a.b.ours.example/a',
    'https://www.ours.example.evil.example/a',
    'https://www.ours.example@evil.example/a',
    'https://user@www.ours.example/a',
    'https://www.ours.example:8443/a',
    'http://www.ours.example/a',
    'https:/www.ours.example/a',
    'https:www.ours.example/a',
    'https:///www.ours.example/a',
    'https://127.0.0.1/a',
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    '\\\\evil.example',
    'evil.example',
    'javascript:alert(1)',
    'data:text/html,a',
  ]) {
    const answer = await create(tenant, '/out', url);
    t.match(answer, { ...refused('invalid_request', 400), body: { errors: { 0: { pointer: '/target' } } } }, url);
  }
  t.match(await create(tenant, '//evil.example', target), { status: 201, body: { path: '/evil.example' } });
  t.match(await create(tenant, '/a#b', target), refused('invalid_request', 400));
  t.match(await create(tenant, 'https://www.ours.example/a', target), refused('invalid_request', 400));
  await redirect(tenant, '/in', 'https://WWW.ours.example//a/?b');
  await redirect(tenant, '/sub', 'https://de.ours.example');
  t.strictSame(await allOf(tenant), [
    '/evil.example /target',
    '/in https://www.ours.example/a?b',
    '/sub https://de.ours.example/',
  ]);
  t.match(await create(tenant, '/x', 'https://de.ours.example/x'), refused('redirect_loop'), 'at its own path');
  await redirect(tenant, '/a', '/c');
  t.equal(await targetOf(tenant, '/in'), 'https://www.ours.example/c', 'a chain stays at its host');
  t.match(await create(tenant, '/c', '/in'), refused('redirect_loop'));
  const other = await box.openTenant();
  t.match(
    await create(other, '/in', 'https://www.ours.example/a'),
    refused('invalid_request', 400),
    'of another store',
  );
  for (const { id } of items) await bodyOf(box.operator.delete(`${path}/${id}`));
  t.equal(await targetOf(tenant, '/in'), null, 'the store has lost the host');
});

t.test('redirects that are created concurrently form no loop and no chain', async (t) => {
  const tenant = await box.openTenant();
  for (let round = 0; round < raceRounds; round++) {
    const [a, b, c] = ['a', 'b', 'c'].map((name) => `/${round}${name}`) as [string, string, string];
    const answers = await Promise.all([create(tenant, a, b), create(tenant, b, c), create(tenant, c, a)]);
    t.strictSame(answers.map(({ status }) => status).toSorted(), [201, 201, 409]);
    t.equal(answers.find(({ status }) => status === 409)?.body.code, 'redirect_loop');
    const pair = await Promise.all([create(tenant, `${a}1`, `${b}1`), create(tenant, `${b}1`, `${a}1`)]);
    t.strictSame(pair.map(({ status }) => status).toSorted(), [201, 409]);
    const chained = await tenant.db.query(
      `select from redirects one join redirects other on other.tenant_id = $1 and other.path = one.target_path
        where one.tenant_id = $1`,
    );
    t.equal(chained.length, 0);
  }
});

t.test('a store has at most 10,000 redirects', async (t) => {
  const tenant = await box.openTenant();
  await box.owner.query(
    `insert into redirects (tenant_id, id, path, target, target_path, permanent)
     select $1, gen_random_uuid(), '/old-' || number, '/new', '/new', true from generate_series(1, 9999) as number`,
    [tenant.id],
  );
  await redirect(tenant, '/last', '/new');
  t.match(await create(tenant, '/more', '/new'), refused('redirect_limit'));
  const page = await createPage(tenant, { title: 'A', status: 'published' });
  t.match(await tenant.staff.patch(`/admin/pages/${page.id}`, { handle: 'b' }), { status: 200 }, 'a move works');
});

t.test('a page that gets another handle leaves a redirect', async (t) => {
  const tenant = await box.openTenant();
  const page = await createPage(tenant, { title: 'A', status: 'published' });
  const rename = (handle: string) => bodyOf(tenant.staff.patch(`/admin/pages/${page.id}`, { handle }));
  await redirect(tenant, '/about', '/pages/a');
  await rename('b');
  t.strictSame(await allOf(tenant), ['/about /pages/b', '/pages/a /pages/b']);
  await rename('c');
  t.strictSame(await allOf(tenant), ['/about /pages/c', '/pages/a /pages/c', '/pages/b /pages/c']);
  await rename('a');
  t.strictSame(await allOf(tenant), ['/about /pages/a', '/pages/b /pages/a', '/pages/c /pages/a'], 'back again');
  await rename('a');
  t.equal((await allOf(tenant)).length, 3);
  const draft = await createPage(tenant, { title: 'Draft' });
  await bodyOf(tenant.staff.patch(`/admin/pages/${draft.id}`, { handle: 'other' }));
  t.equal(await targetOf(tenant, '/pages/draft'), null, 'nobody knows the address of a draft');
});

const kinds: { path: string; create: object; hide: object }[] = [
  { path: 'products', create: { title: 'A', status: 'published' }, hide: { status: 'draft' } },
  { path: 'categories', create: { name: 'A' }, hide: { visible: false } },
];
for (const { path, create: fields, hide } of kinds) {
  t.test(`one of the ${path} that gets another handle leaves a redirect while it is visible`, async (t) => {
    const tenant = await box.openTenant();
    const { id } = await bodyOf(tenant.staff.post(`/admin/${path}`, { ...fields, handle: 'a' }));
    const change = (patch: object) => bodyOf(tenant.staff.patch(`/admin/${path}/${id}`, patch));
    await change({ handle: 'b' });
    await change({ handle: 'c' });
    t.strictSame(await allOf(tenant), [`/${path}/a /${path}/c`, `/${path}/b /${path}/c`]);
    await change({ handle: 'a' });
    t.strictSame(await allOf(tenant), [`/${path}/b /${path}/a`, `/${path}/c /${path}/a`], 'back again');
    await change(hide);
    await change({ handle: 'd' });
    t.equal((await allOf(tenant)).length, 2, 'nobody knows the new address');
  });
}

t.test('a category below a hidden one leaves no redirect', async (t) => {
  const tenant = await box.openTenant();
  const create = (fields: object) => bodyOf(tenant.staff.post('/admin/categories', fields));
  const { id: parentId } = await create({ name: 'Secret', visible: false });
  const { id } = await create({ name: 'A', handle: 'a', parentId });
  await bodyOf(tenant.staff.patch(`/admin/categories/${id}`, { handle: 'b' }));
  t.strictSame(await allOf(tenant), []);
});

t.test('a redirect belongs to one tenant', async (t) => {
  const [ours, theirs] = [await box.openTenant(), await box.openTenant()];
  const { id } = await redirect(theirs, '/a', '/b');
  t.equal(await targetOf(ours, '/a'), null);
  t.match(await ours.staff.delete(`/admin/redirects/${id}`), { status: 404 });
  t.match(await create(ours, '/b', '/a'), { status: 201 }, 'no loop');
  t.strictSame(await allOf(theirs), ['/a /b']);
  t.strictSame((await bodyOf(ours.staff.get('/admin/redirects'))).items.length, 1);
});
