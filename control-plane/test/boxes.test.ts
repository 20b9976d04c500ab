/**
 * Boxes: registration, ownership of domains, and the resolution of hosts.
 */
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { nameservers, startTestControlPlane } from './test-control-plane.ts';

const controlPlane = await startTestControlPlane(t);

interface Deployment {
  name?: string;
  backendUrl?: string;
  frontendUrl?: unknown;
  domains?: unknown;
}
const deploy = (key: string, { name = 'shop', backendUrl = 'https://box.example.com', ...rest }: Deployment) =>
  controlPlane.visitor().post('/boxes/deploy', { key, name, backendUrl, ...rest });
const ago = (column: string) => ({ [column]: controlPlane.db.raw("now() - interval '1 second'") });
const resolve = (host: string) => controlPlane.visitor().get(`/boxes/resolve?host=${encodeURIComponent(host)}`);

t.test('a deployment returns its domains as sent, and the nameservers', async (t) => {
  const { key } = await controlPlane.mint();
  const domains = ['WWW.Given.example.', '*.given.example', 'bücher.given.example', 'given.example:443'];
  const { status, body } = await deploy(key, { domains, frontendUrl: 'https://front.given.example:3000/' });
  t.equal(status, 200);
  t.strictSame(body, { registered: domains, nameservers });
  const stored = await controlPlane
    .db('box_domains')
    .join('boxes', 'boxes.id', 'boxId')
    .where({ name: 'shop' })
    .orderBy('position')
    .pluck('domain');
  t.strictSame(stored, ['www.given.example', '*.given.example', 'xn--bcher-kva.given.example', 'given.example']);
});

t.test('an invalid deployment is rejected with the field at fault', async (t) => {
  const { key } = await controlPlane.mint();
  const good = { key, name: 'shop', backendUrl: 'https://box.example.com', domains: ['wrong.example'] };
  const cases: [change: Record<string, unknown>, pointer: string][] = [
    [{ key: undefined }, '/key'],
    [{ name: undefined }, '/name'],
    [{ name: ' ' }, '/name'],
    [{ name: 'a\nb' }, '/name'],
    [{ backendUrl: undefined }, '/backendUrl'],
    [{ backendUrl: 'box.example.com' }, '/backendUrl'],
    [{ backendUrl: 'ftp://box.example.com' }, '/backendUrl'],
    [{ backendUrl: 'javascript:alert(1)' }, '/backendUrl'],
    [{ backendUrl: 'https://' }, '/backendUrl'],
    [{ backendUrl: 'https://user:secret@box.example.com' }, '/backendUrl'],
    [{ frontendUrl: 'file:///etc/passwd' }, '/frontendUrl'],
    [{ frontendUrl: null }, '/frontendUrl'],
    [{ domains: undefined }, '/domains'],
    [{ domains: 'shop.example' }, '/domains'],
    [{ domains: Array.from({ length: 101 }, (_, index) => `d${index}.example`) }, '/domains'],
    [{ domains: ['ok.example', ''] }, '/domains/1'],
    [{ domains: ['https://shop.example'] }, '/domains/0'],
    [{ domains: ['shop.example/path'] }, '/domains/0'],
    [{ domains: ['shop_1.example'] }, '/domains/0'],
    [{ domains: ['192.0.2.1'] }, '/domains/0'],
    [{ domains: ['*'] }, '/domains/0'],
    [{ domains: ['a.example', '*.com'] }, '/domains/1'],
    [{ domains: ['co.uk'] }, '/domains/0'],
    [{ domains: ['*.co.uk'] }, '/domains/0'],
    [{ domains: ['*.github.io'] }, '/domains/0'],
    [{ domains: ['*.test'] }, '/domains/0'],
    [{ domains: ['localhost'] }, '/domains/0'],
    [{ domains: ['intranet'] }, '/domains/0'],
    [{ domains: ['a..example'] }, '/domains/0'],
    [{ domains: [`${'a.'.repeat(124)}example`] }, '/domains/0'],
    [{ domains: ['*.*.example.com'] }, '/domains/0'],
    [{ domains: ['a.*.example.com'] }, '/domains/0'],
    [{ domains: [17] }, '/domains/0'],
    [{ region: 'eu' }, '/region'],
  ];
  for (const [change, pointer] of cases) {
    const response = await controlPlane.visitor().post('/boxes/deploy', { ...good, ...change });
    t.match(response, { status: 400, body: { errors: exactly([{ in: 'body', pointer }]) } }, JSON.stringify(change));
  }
  t.equal((await resolve('wrong.example')).status, 404, 'nothing was registered');
  const many = await deploy(key, { backendUrl: 'ftp://x.example', domains: ['a b', 'ok.example', '-.example'] });
  const pointers = many.body.errors.map(({ pointer }: { pointer: string }) => pointer);
  t.strictSame(pointers, ['/backendUrl', '/domains/0', '/domains/2'], 'every fault is reported');
});

t.test('a host is resolved by its exact domain, or else by the wildcard for its first label', async (t) => {
  const { key } = await controlPlane.mint();
  // 253 characters.
  const longest = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(53)}.example`;
  t.equal(longest.length, 253);
  const boxes: [name: string, domains: string[]][] = [
    ['exact', ['one.shops.example', 'shops.example', 'deep.a.shops.example']],
    ['wide', ['*.shops.example']],
    ['long', ['*.a.shops.example', '*.xn--bcher-kva.example']],
    ['local', ['*.shops.localhost', longest]],
  ];
  for (const [name, domains] of boxes) {
    t.equal((await deploy(key, { name, backendUrl: `https://${name}.example.com`, domains })).status, 200);
  }
  const cases: [host: string, box: string | null, tenantSlug?: string][] = [
    ['one.shops.example', 'exact'],
    ['ONE.Shops.Example', 'exact'],
    ['one.shops.example.', 'exact'],
    ['one.shops.example:8443', 'exact'],
    ['shops.example', 'exact'],
    ['two.shops.example', 'wide', 'two'],
    ['TWO.shops.example:80', 'wide', 'two'],
    ['a.shops.example', 'wide', 'a'],
    ['x.a.shops.example', 'long', 'x'],
    ['deep.a.shops.example', 'exact'],
    ['x.y.shops.example', null],
    ['x.y.a.shops.example', null],
    ['two.bücher.example', 'long', 'two'],
    ['größe.bücher.example', 'long', 'xn--gre-6ka8i'],
    ['bücher.example', null],
    ['demo.shops.localhost', 'local', 'demo'],
    ['localhost', null],
    [longest, 'local'],
    [`${longest}.`, 'local'],
    [`a${longest}`, null],
    ['.shops.example', null],
    ['a..shops.example', null],
    ['shops.example.evil.example', null],
    ['xshops.example', null],
    ['shops-example', null],
    ['shops.examp1e', null],
    // Other spellings of a name (UTS #46).
    ['\uff2f\uff2e\uff25\uff0eshops\u3002example', 'exact'],
    ['o\u00adne.shops.example', 'exact'],
    // Cyrillic letters that look like Latin ones: other names.
    ['\u043ene.shops.example', 'wide', 'xn--ne-emc'],
    ['two.sh\u043eps.example', null],
    ['two.bücher.ex\u0430mple', null],
    ['example', null],
    ['co.uk', null],
    ['[::1]', null],
    ['*.shops.example', null],
    ['evilshops.example', null],
    ['192.0.2.1', null],
    ['no host', null],
    ["' or true --", null],
  ];
  for (const [host, box, tenantSlug] of cases) {
    const { status, body } = await resolve(host);
    t.equal(status, box ? 200 : 404, host);
    if (!box) t.match(body, { code: 'not_found' });
    else {
      const backendUrl = `https://${box}.example.com`;
      const expected = tenantSlug ? { backendUrl, match: 'wildcard', tenantSlug } : { backendUrl, match: 'exact' };
      t.strictSame(body, expected, host);
    }
  }
});

t.test('a resolution may be cached for a minute and has an ETag', async (t) => {
  const { key } = await controlPlane.mint();
  await deploy(key, { domains: ['cached.example'] });
  const { headers } = await resolve('cached.example');
  t.equal(headers.get('cache-control'), 'public, max-age=60');
  const etag = headers.get('etag') as string;
  const revalidate = () =>
    controlPlane.visitor().get('/boxes/resolve?host=cached.example', { headers: { 'if-none-match': etag } });
  t.equal((await revalidate()).status, 304);
  await deploy(key, { domains: ['cached.example'], backendUrl: 'https://moved.example.com' });
  t.match(await revalidate(), { status: 200, body: { backendUrl: 'https://moved.example.com' } });
  t.equal((await resolve('unknown.example')).headers.get('cache-control'), 'no-store');
  for (const query of ['', '?host=', '?host=a&host=b', '?name=a']) {
    t.equal((await controlPlane.visitor().get(`/boxes/resolve${query}`)).status, 400, query);
  }
});

t.test('deploying a box again replaces its domains; domains of another box are not moved', async (t) => {
  const { key } = await controlPlane.mint();
  t.equal((await deploy(key, { name: 'one', domains: ['keep.again.example', 'drop.again.example'] })).status, 200);
  t.equal((await deploy(key, { name: 'one', domains: ['new.again.example', 'keep.again.example'] })).status, 200);
  t.equal((await resolve('keep.again.example')).status, 200);
  t.equal((await resolve('new.again.example')).status, 200);
  t.equal((await resolve('drop.again.example')).status, 404);

  const second = await deploy(key, { name: 'two', domains: ['free.again.example', 'keep.again.example'] });
  t.match(second, { status: 409, body: { code: 'domain_taken', errors: exactly([{ pointer: '/domains/1' }]) } });
  t.match(second.body.detail, /keep\.again\.example.*one/);
  t.equal((await resolve('free.again.example')).status, 404, 'all or nothing');
  t.equal(
    (await deploy(key, { name: 'two', domains: ['drop.again.example'] })).status,
    200,
    'a removed domain is available',
  );
  t.equal((await deploy(key, { name: 'one', domains: [] })).status, 200);
  t.equal((await resolve('keep.again.example')).status, 404);
  const spelled = ['Twice.again.example', 'twice.again.example.'];
  t.match(await deploy(key, { name: 'one', domains: spelled }), {
    status: 200,
    body: { registered: exactly(spelled) },
  });
});

t.test('a domain belongs to one customer, as do the names above and below it', async (t) => {
  const first = await controlPlane.mint();
  const second = await controlPlane.mint();
  await deploy(first.key, { domains: ['owned.example', '*.deep.owned.example', 'x.side.example'] });
  const claims: [domain: string, status: number][] = [
    ['owned.example', 409],
    ['OWNED.example.', 409],
    ['*.owned.example', 409],
    ['shop.owned.example', 409],
    ['*.shop.owned.example', 409],
    ['a.b.owned.example', 409],
    ['deep.owned.example', 409],
    ['a.deep.owned.example', 409],
    ['side.example', 409],
    ['*.side.example', 409],
    ['*.x.side.example', 409],
    ['y.side.example', 200],
    ['x-side.example', 200],
    ['notowned.example', 200],
    ['other.example', 200],
  ];
  for (const [domain, status] of claims) {
    const claim = await deploy(second.key, { domains: ['fine.other.example', domain] });
    t.equal(claim.status, status, domain);
    if (status !== 409) continue;
    t.match(claim.body, { code: 'domain_taken', errors: exactly([{ in: 'body', pointer: '/domains/1' }]) });
    t.ok(claim.body.detail.includes(domain), claim.body.detail);
    t.notOk(claim.body.detail.includes(first.customerId), 'the owner is not revealed');
  }
  t.match(await deploy(first.key, { name: 'more', domains: ['shop.owned.example'] }), { status: 200 });
});

t.test('a released domain rests, unless the vendor releases it', async (t) => {
  const first = await controlPlane.mint();
  const second = await controlPlane.mint();
  await deploy(first.key, { domains: ['rest.example', 'www.rest.example'] });
  await deploy(first.key, { domains: ['www.rest.example'] });
  t.equal((await resolve('rest.example')).status, 404);
  await controlPlane.admin.delete('/boxes/domains/www.rest.example');
  for (const domain of ['rest.example', 'a.rest.example', '*.rest.example']) {
    const resting = await deploy(second.key, { domains: [domain] });
    t.match(resting, { status: 409, body: { code: 'domain_taken', detail: /available from .*Z/ } }, domain);
  }
  const [{ days }] = await controlPlane
    .db('box_domains')
    .where({ domain: 'rest.example' })
    .select(controlPlane.db.raw('round(extract(epoch from rests_until - now()) / 86400)::int as days'));
  t.equal(days, 7);
  t.equal((await deploy(first.key, { domains: ['rest.example'] })).status, 200, 'its customer gets it back');
  t.equal((await resolve('rest.example')).status, 200);
  await deploy(first.key, { domains: [] });

  await controlPlane.db('box_domains').where({ domain: 'rest.example' }).update(ago('restsUntil'));
  t.equal((await deploy(second.key, { domains: ['rest.example'] })).status, 200, 'after the rest');
  await deploy(second.key, { domains: [] });
  t.equal((await controlPlane.admin.delete('/boxes/domains/REST.example')).status, 204);
  t.match(await controlPlane.admin.delete('/boxes/domains/rest.example'), { status: 404 });
  t.match(await controlPlane.admin.delete('/boxes/domains/no%20domain'), { status: 404 });
  t.equal((await deploy(first.key, { domains: ['rest.example'] })).status, 200, 'immediately');
});

t.test('of concurrent claims of a domain, one succeeds', async (t) => {
  const keys = await Promise.all(Array.from({ length: 8 }, async () => (await controlPlane.mint()).key));
  const claims = await Promise.all(
    keys.map((key, index) =>
      deploy(key, {
        backendUrl: `https://box-${index}.example.com`,
        domains: [`free-${index}.race.example`, 'the.race.example'],
      }),
    ),
  );
  t.strictSame(claims.map(({ status }) => status).sort(), [200, ...Array(7).fill(409)]);
  const winner = claims.findIndex(({ status }) => status === 200);
  t.match(await resolve('the.race.example'), { body: { backendUrl: `https://box-${winner}.example.com` } });
  for (const [index] of keys.entries()) {
    t.equal((await resolve(`free-${index}.race.example`)).status, index === winner ? 200 : 404);
  }
});

t.test('concurrent claims of the same domains in opposite orders do not deadlock', async (t) => {
  const keys = await Promise.all(Array.from({ length: 8 }, async () => (await controlPlane.mint()).key));
  for (let round = 0; round < 20; round += 1) {
    const domains = Array.from({ length: 50 }, (_, index) => `d${index}.round-${round}.example`);
    const claims = await Promise.all(
      keys.map((key, index) => deploy(key, { domains: index % 2 === 0 ? domains : domains.toReversed() })),
    );
    t.strictSame(claims.map(({ status }) => status).sort(), [200, ...Array(7).fill(409)]);
  }
});
