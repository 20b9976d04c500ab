// Parsing of raw request targets. A customer can only send those of the grammar.

import t from 'tap';
import { parseTarget, redactPath } from '../request-target.ts';

t.test('escaped and unescaped scoped names', async (t) => {
  const packument = { kind: 'packument', packageName: '@carton/cart' };
  for (const path of ['/@carton/cart', '/@carton%2fcart', '/@carton%2Fcart', '/%40carton%2fcart', '/%40carton/cart']) {
    t.match(parseTarget('GET', path), packument, path);
    t.match(parseTarget('GET', `${path}?write=true`), packument);
    t.match(parseTarget('GET', `${path}/1.2.0`), { ...packument, version: '1.2.0' });
    t.match(parseTarget('GET', `${path}/latest`), packument);
    const tags = `/-/package${path}/dist-tags`;
    t.strictSame(parseTarget('GET', tags), packument, tags);
    for (const wrong of [`${tags}/latest`, `${tags}/`, `${tags}x`]) {
      t.strictSame(parseTarget('GET', wrong), { kind: 'other' }, wrong);
    }
    const tarball = { kind: 'tarball', packageName: '@carton/cart', version: '1.2.0' };
    t.strictSame(parseTarget('GET', `${path}/-/cart-1.2.0.tgz`), tarball);
    t.strictSame(parseTarget('HEAD', `${path}/-/cart-1.2.0.tgz`), tarball);
  }
});

t.test('names and versions with hyphens', async (t) => {
  const packageName = '@carton/postgresql-linux-x64';
  t.strictSame(parseTarget('GET', `/${packageName}/-/postgresql-linux-x64-18.4.0-beta.17.tgz`), {
    kind: 'tarball',
    packageName,
    version: '18.4.0-beta.17',
  });
});

t.test('provenance of versions and releases', async (t) => {
  const path = '/-/carton/v1/provenance';
  const digest = '0f'.repeat(64);
  for (const [method, isChange] of [
    ['GET', false],
    ['HEAD', false],
    ['PUT', true],
  ] as const) {
    for (const name of ['@carton/cart', '@carton%2fcart', '%40carton%2Fcart']) {
      const expected = { kind: 'provenance', packageName: '@carton/cart', version: '1.2.0-rc.1', isChange };
      t.strictSame(parseTarget(method, `${path}/${name}@1.2.0-rc.1`), expected, `${method} ${name}`);
    }
    const release = { kind: 'release-provenance', digest, isChange };
    t.strictSame(parseTarget(method, `${path}/releases/${digest}`), release);
  }
  for (const wrong of [
    '@carton/cart',
    '@carton/cart@latest',
    '@carton/cart@1.2.0/',
    '@other/cart@1.2.0',
    'releases/0f',
  ])
    t.strictSame(parseTarget('GET', `${path}/${wrong}`), { kind: 'other' }, wrong);
  t.strictSame(parseTarget('POST', `${path}/@carton/cart@1.2.0`), { kind: 'other' });
});

t.test('paths outside the grammar', async (t) => {
  for (const path of [
    '/',
    '/cart',
    '/@other/cart',
    '/@Carton/cart',
    '/@carton/Cart',
    '/@carton/cart/',
    '//@carton/cart',
    '/@carton//cart',
    '/@carton/../@carton/cart',
    '/@carton/cart/../collection',
    '/@carton%2f..%2fcollection',
    '/@carton%252fcart',
    '/%2540carton/cart',
    '/@carton/%63art',
    '/@carton/cart%00',
    '/@carton/cart\\-\\cart-1.2.0.tgz',
    '/@carton/cart/-/collection-2.0.0.tgz',
    '/@carton/cart/-/../../collection/-/collection-2.0.0.tgz',
    '/@carton/cart/-/..%2f..%2fcollection%2f-%2fcollection-2.0.0.tgz',
    '/@carton/cart/-/cart-1.2.0.tgz/',
    '/@carton/cart/-/cart-latest.tgz',
    '/@carton/cart/-/package.json',
    'http://example.com/@carton/cart',
    '/-/v1/login',
    '/-/npm/v1/tokens',
    '/-/static/favicon.ico',
  ]) {
    t.strictSame(parseTarget('GET', path), { kind: 'other' }, path);
  }
});

t.test('requests for the publisher only', async (t) => {
  for (const [method, path] of [
    ['PUT', '/@carton%2fcart'],
    ['PUT', '/@carton%2fcart/-rev/14-5d50'],
    ['DELETE', '/@carton/cart/-/cart-1.2.0.tgz/-rev/16-e11c'],
    ['PUT', '/-/package/@carton%2fcart/dist-tags/old'],
    ['GET', '/-/v1/search?text=cart'],
    ['GET', '/-/all'],
  ] as const) {
    t.strictSame(parseTarget(method, path), { kind: 'publisher', isChange: method !== 'GET' }, `${method} ${path}`);
  }
  t.strictSame(parseTarget('PUT', '/-/user/org.couchdb.user:eve'), { kind: 'other' });
  t.strictSame(parseTarget('POST', '/-/npm/v1/tokens'), { kind: 'other' });
  t.strictSame(parseTarget('PUT', '/@other%2fcart'), { kind: 'other' });
  t.strictSame(parseTarget('PUT', '/@carton%2fcart/../collection'), { kind: 'other' });
});

t.test('questions of clients that are not about one package', async (t) => {
  t.strictSame(parseTarget('GET', '/-/whoami'), { kind: 'whoami' });
  t.strictSame(parseTarget('GET', '/-/ping?write=true'), { kind: 'ping' });
  t.strictSame(parseTarget('GET', '/metrics?name=x'), { kind: 'metrics' });
  const bulk = '/-/npm/v1/security/advisories/bulk';
  t.strictSame(parseTarget('POST', bulk), { kind: 'audit', form: 'bulk' });
  t.strictSame(parseTarget('POST', '/-/npm/v1/security/audits'), { kind: 'audit', form: 'full' });
  t.strictSame(parseTarget('POST', '/-/npm/v1/security/audits/quick'), { kind: 'audit', form: 'full' });
  for (const [method, path] of [
    ['GET', bulk],
    ['PUT', bulk],
    ['POST', `${bulk}/`],
    ['POST', '/-/whoami'],
    ['POST', '/metrics'],
  ] as const) {
    t.strictSame(parseTarget(method, path), { kind: 'other' }, `${method} ${path}`);
  }
});

t.test('what is logged of a request target', async (t) => {
  for (const [url, logged] of [
    ['/@carton/cart', '/@carton/cart'],
    ['/@carton/cart?write=true&_authToken=secret', '/@carton/cart'],
    ['/@carton/cart#secret', '/@carton/cart'],
    ['/@carton/cart?\nsecret', '/@carton/cart'],
    ['?secret', ''],
    ['/-/user/token/secret/more', '/-/user/token/…'],
    ['/-/user/token/secret?more', '/-/user/token/…'],
  ] as const) {
    t.equal(redactPath(url), logged);
  }
});
