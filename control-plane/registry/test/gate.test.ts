// The gate over HTTP: valid and invalid tokens, the requests they authorise, and paths that try to bypass it.

import { createHmac } from 'node:crypto';
import t from 'tap';
import {
  generateKey,
  openRegistry,
  publish,
  publishSecret,
  send,
  signToken,
  type TestResponse,
} from '../testing/index.ts';

const { controlPlane, registry, tokenOf, key } = await openRegistry(t);
await publish(
  t,
  registry,
  { name: '@carton/cart', version: '1.2.0', carton: { tier: 'basic' } },
  { name: '@carton/collection', version: '2.0.0', carton: { tier: 'growth' } },
);
const token = await tokenOf();
const collectionContent = (await send(registry, '/@carton/collection/-/collection-2.0.0.tgz', publishSecret)).body;

const refusalOf = ({ status, body }: TestResponse) => ({ status, ...JSON.parse(body) });
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const inTenMinutes = Math.floor(Date.now() / 1000) + 600;
const claims = {
  iss: 'carton-control-plane',
  aud: registry.url,
  sub: 'customer-1',
  tier: 'enterprise',
  packages: ['@carton/cart', '@carton/collection'],
  exp: inTenMinutes,
};

t.test('serves packument, manifest and tarball of an entitled package', async (t) => {
  const packument = await send(registry, '/@carton%2fcart', token);
  t.equal(packument.status, 200);
  const { versions } = JSON.parse(packument.body);
  t.equal(versions['1.2.0'].dist.tarball, `${registry.url}/@carton/cart/-/cart-1.2.0.tgz`);
  t.equal((await send(registry, '/@carton/cart/1.2.0', token)).status, 200);
  t.equal((await send(registry, '/@carton/cart/latest', token)).status, 200);
  for (const path of ['/@carton/cart/-/cart-1.2.0.tgz', '/@carton%2fcart/-/cart-1.2.0.tgz']) {
    const tarball = await send(registry, path, token);
    t.equal(tarball.status, 200, path);
    t.equal(tarball.body.slice(0, 2), '\x1f\x8b', 'a gzip file');
  }
  t.equal((await send(registry, '/@carton/cart/-/cart-9.9.9.tgz', token)).status, 404);
});

t.test('responds to a ping without a credential', async (t) => {
  t.equal((await send(registry, '/-/ping')).status, 200);
  t.equal((await send(registry, '/-/ping', token)).status, 200);
});

t.test('tarball URLs have the public URL, whatever host the client sends', async (t) => {
  const headers = { Host: 'elsewhere.example', 'X-Forwarded-Proto': 'https' };
  const { versions } = JSON.parse((await send(registry, '/@carton/cart', token, { headers })).body);
  t.equal(versions['1.2.0'].dist.tarball, `${registry.url}/@carton/cart/-/cart-1.2.0.tgz`);
});

t.test('rejects a package of a higher tier, naming the tier', async (t) => {
  const expected = {
    status: 403,
    error: '@carton/collection is in the growth tier; this licence is basic',
    code: 'not_entitled',
    package: '@carton/collection',
    requiredTier: 'growth',
    tier: 'basic',
  };
  for (const path of [
    '/@carton/collection',
    '/@carton%2Fcollection',
    '/@carton/collection/2.0.0',
    '/@carton/collection/-/collection-2.0.0.tgz',
    '/@carton%2fcollection/-/collection-2.0.0.tgz',
  ]) {
    t.strictSame(refusalOf(await send(registry, path, token)), expected, path);
  }
});

t.test('rejects a package of the same tier that the licence does not include', async (t) => {
  const other = await tokenOf({ tier: 'growth', packages: ['@carton/cart'] });
  const { status, error } = refusalOf(await send(registry, '/@carton/collection', other));
  t.strictSame(
    { status, error },
    { status: 403, error: '@carton/collection is not included in this licence (growth)' },
  );
});

t.test('an unpublished package is not found', async (t) => {
  t.match(refusalOf(await send(registry, '/@carton/nothing', token)), { status: 404, code: 'not_found' });
});

t.test('rejects invalid tokens', async (t) => {
  const otherKey = { ...generateKey(), kid: key.kid };
  const publicKey = key.publicKey.export({ type: 'spki', format: 'pem' });
  const unsigned = `${encode({ alg: 'HS256', kid: key.kid })}.${encode(claims)}`;
  const [header, , signature] = token.split('.');
  const cases: [name: string, token: string | undefined, code: string, error: RegExp][] = [
    ['none', undefined, 'token_missing', /activate your licence key/],
    ['not a token', 'nonsense', 'token_invalid', /not an activation token/],
    ['expired', await tokenOf({ exp: inTenMinutes - 660 }), 'token_expired', /activate again/],
    ['for another registry', await signToken(key, 'http://other'), 'token_invalid', /another registry/],
    ['of another issuer', await tokenOf({ iss: 'eve' }), 'token_invalid', /another issuer/],
    ['signed with another key under a known id', await signToken(otherKey, registry.url), 'token_invalid', /signature/],
    ['signed with an unknown key', await signToken(generateKey(), registry.url), 'token_invalid', /unknown/],
    ['with other claims', `${header}.${encode(claims)}.${signature}`, 'token_invalid', /signature/],
    ['alg none', `${encode({ alg: 'none', kid: key.kid })}.${encode(claims)}.`, 'token_invalid', /RS256/],
    [
      'HS256 with the public key as secret',
      `${unsigned}.${createHmac('sha256', publicKey).update(unsigned).digest('base64url')}`,
      'token_invalid',
      /RS256/,
    ],
    ['without a customer', await tokenOf({ sub: '' }), 'token_invalid', /claims/],
  ];
  for (const [name, bearer, code, error] of cases) {
    for (const path of ['/@carton/cart', '/@carton/cart/-/cart-1.2.0.tgz', '/-/v1/search']) {
      const response = await send(registry, path, bearer);
      t.match(refusalOf(response), { status: 401, code, error }, `${name}: ${path}`);
      t.match(response.headers['www-authenticate'], /^bearer realm="carton"/);
    }
  }
});

t.test('does not accept Basic authentication', async (t) => {
  const headers = { Authorization: `Basic ${Buffer.from(`publisher:${publishSecret}`).toString('base64')}` };
  t.match(refusalOf(await send(registry, '/@carton/cart', undefined, { headers })), {
    status: 401,
    code: 'token_missing',
  });
});

t.test('no spelling of a path serves a package that the licence does not include', async (t) => {
  for (const path of [
    '/@carton/Collection',
    '/@CARTON/collection',
    '/@carton//collection',
    '//@carton/collection',
    '/@carton/collection/',
    '/@carton/./collection',
    '/@carton%252fcollection',
    '/%2540carton%252fcollection',
    '/@carton%2f%63ollection',
    '/@carton/cart/../collection',
    '/@carton/cart%2f..%2fcollection',
    '/@carton/cart/-/../../collection/-/collection-2.0.0.tgz',
    '/@carton/cart/-/..%2f..%2fcollection%2fcollection-2.0.0.tgz',
    '/@carton%2fcart/-/%2e%2e%2f%2e%2e%2fcollection%2fcollection-2.0.0.tgz',
    '/@carton/cart/-/collection-2.0.0.tgz',
    '/@carton/cart?/../collection',
    `http://${new URL(registry.url).host}/@carton/collection`,
    '/-/package/@carton%2fcollection/dist-tags',
    '/-/v1/search?text=collection',
    '/-/all',
    '/-/all/since',
    '/-/verdaccio/data/packages',
    '/-/web/detail/@carton/collection',
    '/.verdaccio-db.json',
  ]) {
    const { status, body } = await send(registry, path, token);
    t.notSame(body, collectionContent, path);
    if (status === 200) t.equal(JSON.parse(body).name, '@carton/cart', path);
    else t.ok(status === 403 || status === 404, `${path}: ${status}`);
  }
});

t.test('a customer cannot change anything, with or without a body', async (t) => {
  const headers = { 'Content-Type': 'application/json' };
  for (const [method, path, body] of [
    ['PUT', '/@carton%2fcart', '{"name":"@carton/cart"}'],
    ['PUT', '/@carton%2fcart', undefined],
    ['DELETE', '/@carton%2fcart/-rev/1', undefined],
    ['DELETE', '/@carton/cart/-/cart-1.2.0.tgz/-rev/1', undefined],
    ['PUT', '/-/package/@carton%2fcart/dist-tags/old', '"1.2.0"'],
    ['PUT', '/-/user/org.couchdb.user:eve', '{"name":"eve","password":"secret-of-eve"}'],
    ['POST', '/-/npm/v1/tokens', '{"password":"x","readonly":false,"cidr_whitelist":[]}'],
    ['GET', '/@carton/cart', '{}'],
  ] as const) {
    const { status } = await send(registry, path, token, { method, body, headers });
    t.ok(status === 403 || status === 404, `${method} ${path}: ${status}`);
    t.equal((await send(registry, path, undefined, { method, body, headers })).status, 401, `${method} ${path}`);
  }
  t.equal((await send(registry, '/@carton/cart/-/cart-1.2.0.tgz', token)).status, 200);
});

t.test('the publisher reads everything and is not a customer', async (t) => {
  for (const path of ['/@carton/cart', '/@carton/collection', '/-/package/@carton%2fcart/dist-tags']) {
    t.equal((await send(registry, path, publishSecret)).status, 200, path);
  }
  const user = await send(registry, '/-/user/org.couchdb.user:eve', publishSecret, {
    method: 'PUT',
    body: '{"name":"eve","password":"secret-of-eve"}',
    headers: { 'Content-Type': 'application/json' },
  });
  t.equal(user.status, 404, 'there are no users');
  t.notOk(controlPlane.state.received.some(({ report }) => report.customerId === 'publisher'));
});

t.test('a library with native code is served with the packages that list it', async (t) => {
  await publish(
    t,
    registry,
    {
      name: '@carton/images',
      version: '1.0.0',
      optionalDependencies: { '@carton/lens-linux-x64': '2.0.0', '@carton/collection': '2.0.0' },
      carton: { tier: 'basic' },
    },
    { name: '@carton/lens-linux-x64', version: '2.0.0', carton: { native: true } },
  );
  const entitled = await tokenOf({ packages: ['@carton/cart', '@carton/images'] });
  for (const path of ['/@carton/lens-linux-x64', '/@carton/lens-linux-x64/-/lens-linux-x64-2.0.0.tgz']) {
    t.equal((await send(registry, path, entitled)).status, 200, path);
    t.match(refusalOf(await send(registry, path, token)), { status: 403, code: 'not_entitled' }, path);
  }
  const listed = refusalOf(await send(registry, '/@carton/collection', entitled));
  t.match(listed, { status: 403, code: 'not_entitled' }, 'a listed package that is not a library is not served');
});
