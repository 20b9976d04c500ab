/**
 * The lifecycle of a licence, from minting to revocation, and the outcome of activation in each state.
 */
import { hashToken, packageName, vendor } from '@carton/runtime/service';
import { exactly, pointersOf } from '@carton/runtime/testing';
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, importSPKI, jwtVerify } from 'jose';
import t from 'tap';
import { generateKey } from '../license/key.ts';
import { firstRelease } from './release.ts';
import { registryUrl, startTestControlPlane } from './test-control-plane.ts';

const controlPlane = await startTestControlPlane(t);
const activate = (key: unknown, caller = controlPlane.visitor()) => caller.post('/license/activate', { key });

t.test('a key is minted, shown once and stored as a hash', async (t) => {
  const expiresAt = '2036-01-01T00:00:00+02:00';
  const minted = await controlPlane.admin.post('/license/keys', {
    customerId: 'customer-1',
    tier: 'growth',
    expiresAt,
  });
  t.equal(minted.status, 201);
  const { key, id, ...license } = minted.body;
  t.match(key, /^ctn_growth_[a-z2-7]{32}_[a-z2-7]{6}$/);
  t.match(license, {
    customerId: 'customer-1',
    tier: 'growth',
    status: 'active',
    expiresAt: '2035-12-31T22:00:00.000Z',
    last4: key.slice(-4),
    lastActivatedAt: null,
  });
  t.equal(minted.headers.get('location'), `/license/keys/${id}`);
  t.equal(minted.headers.get('cache-control'), 'no-store');

  const read = await controlPlane.admin.get(`/license/keys/${id}`);
  t.strictSame(read.body, { id, ...license });
  t.notMatch(JSON.stringify((await controlPlane.admin.get('/license/keys')).body), key);
  const row = await controlPlane.db('license_keys').where({ id }).first();
  t.equal(row.keyHash, hashToken(key));
  t.notMatch(JSON.stringify(row), key);
});

t.test('an invalid request to mint a licence is rejected with the field at fault', async (t) => {
  const good = { customerId: 'customer-1', tier: 'basic' };
  const cases: [body: unknown, pointer: string][] = [
    [{ tier: 'basic' }, '/customerId'],
    [{ customerId: 'customer-1' }, '/tier'],
    [{ ...good, customerId: '' }, '/customerId'],
    [{ ...good, customerId: '  ' }, '/customerId'],
    [{ ...good, customerId: 17 }, '/customerId'],
    [{ ...good, customerId: 'a\u0000b' }, '/customerId'],
    [{ ...good, customerId: 'a'.repeat(256) }, '/customerId'],
    [{ ...good, tier: 'Basic' }, '/tier'],
    [{ ...good, tier: 'platinum' }, '/tier'],
    [{ ...good, expiresAt: '2001-01-01T00:00:00Z' }, '/expiresAt'],
    [{ ...good, expiresAt: '2036-01-01' }, '/expiresAt'],
    [{ ...good, expiresAt: '2036-01-01T00:00:00' }, '/expiresAt'],
    [{ ...good, expiresAt: '2036-02-30T00:00:00Z' }, '/expiresAt'],
    [{ ...good, expiresAt: '2036-06-30T23:59:60Z' }, '/expiresAt'],
    [{ ...good, expiresAt: 'tomorrow' }, '/expiresAt'],
    [{ ...good, expiresAt: 2_082_758_400 }, '/expiresAt'],
    [{ ...good, seats: 5 }, '/seats'],
  ];
  for (const [body, pointer] of cases) {
    const response = await controlPlane.admin.post('/license/keys', body);
    const { status, body: problem } = response;
    t.strictSame([status, problem.code, pointersOf(response)], [400, 'invalid_request', [pointer]], pointer);
  }
});

t.test('activation returns exactly six fields, with a token that the published keys verify', async (t) => {
  const { key, id, customerId } = await controlPlane.mint('customer-2', 'enterprise');
  const { status, body, headers } = await activate(key);
  t.equal(status, 200);
  t.equal(headers.get('cache-control'), 'no-store');
  t.strictSame(Object.keys(body).sort(), ['customerId', 'expiresIn', 'packages', 'registryUrl', 'tier', 'token']);
  t.match(body, { tier: 'enterprise', customerId, expiresIn: 3600, registryUrl });
  const entitled = firstRelease.packages.filter(({ kind }) => kind !== 'library').map(({ name }) => name);
  t.strictSame(body.packages, entitled.sort());

  const jwks = (await controlPlane.visitor().get('/.well-known/jwks.json')).body;
  t.match(decodeProtectedHeader(body.token), { alg: 'RS256', typ: 'JWT', kid: /./ });
  const expected = { issuer: vendor.issuer, audience: registryUrl, subject: customerId, algorithms: ['RS256'] };
  const { payload } = await jwtVerify(body.token, createLocalJWKSet(jwks), expected);
  t.strictSame(Object.keys(payload).sort(), [
    'aud',
    'channel',
    'exp',
    'iat',
    'iss',
    'jti',
    'license',
    'packages',
    'sub',
    'tier',
  ]);
  t.match(payload, { tier: 'enterprise', packages: body.packages });
  t.equal((payload.exp as number) - (payload.iat as number), 3600);

  const { publicKey } = (await controlPlane.visitor().get('/license/jwks')).body;
  t.ok(await jwtVerify(body.token, await importSPKI(publicKey, 'RS256'), expected));
  t.type((await controlPlane.admin.get(`/license/keys/${id}`)).body.lastActivatedAt, 'string');

  const again = (await activate(key)).body;
  t.not(decodeJwt(again.token).jti, payload.jti, 'each token has a unique id');
});

t.test('a tier entitles to its packages, those of the tiers below, and their dependencies', async (t) => {
  const platform = ['postgresql-linux-x64', 'runtime'];
  const expected = {
    basic: ['cart', 'core', ...platform],
    growth: ['cart', 'collection', 'core', ...platform],
    enterprise: ['audit', 'cart', 'collection', 'core', ...platform],
  };
  for (const [tier, names] of Object.entries(expected)) {
    const { body } = await activate((await controlPlane.mint(undefined, tier)).key);
    t.strictSame(body.packages, names.map(packageName), tier);
  }
});

t.test('mistyped keys, unknown keys and values that are not strings have different problems', async (t) => {
  const { key } = await controlPlane.mint();
  const cases: [key: unknown, status: number, code: string][] = [
    [generateKey('basic').key, 401, 'license_key_unknown'],
    [`${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}`, 401, 'license_key_malformed'],
    [key.toUpperCase(), 401, 'license_key_malformed'],
    ['hello', 401, 'license_key_malformed'],
    ["' or 1=1 --", 401, 'license_key_malformed'],
    ['', 400, 'invalid_request'],
    [17, 400, 'invalid_request'],
    [null, 400, 'invalid_request'],
    [undefined, 400, 'invalid_request'],
  ];
  for (const [wrong, status, code] of cases) {
    const response = await activate(wrong);
    t.match(response, { status, body: { code } }, JSON.stringify(wrong));
    if (status === 401) t.equal(response.headers.get('www-authenticate'), 'Bearer');
  }
  t.equal((await activate(key)).status, 200);
});

t.test('an expired licence cannot be activated, but can deploy and read its boxes', async (t) => {
  const { key, id } = await controlPlane.mint(undefined, 'basic', '2036-01-01T00:00:00Z');
  const box = { key, name: 'shop', backendUrl: 'https://box.example.com', domains: [] };
  t.equal((await activate(key)).status, 200);
  await controlPlane.expire(id);
  t.match(await activate(key), { status: 403, body: { code: 'license_expired' } });
  t.match(await controlPlane.admin.get(`/license/keys/${id}`), { body: { status: 'expired' } });
  t.equal((await controlPlane.visitor().post('/boxes/deploy', box)).status, 200);
  const headers = { authorization: `Bearer ${key}` };
  t.equal((await controlPlane.visitor().get('/boxes/deploy/status?name=shop', { headers })).status, 200);

  const renew = (expiresAt: unknown) => controlPlane.admin.post(`/license/keys/${id}/renew`, { expiresAt });
  t.match(await renew('2001-01-01T00:00:00Z'), { status: 400, body: { errors: exactly([{ pointer: '/expiresAt' }]) } });
  t.match(await renew(undefined), { status: 400 });
  t.match(await renew('2037-01-01T00:00:00Z'), { status: 200, body: { status: 'active' } });
  t.equal((await activate(key)).status, 200);
  t.match(await renew(null), { status: 200, body: { expiresAt: null } });
});

t.test('a suspended licence can be reinstated, a revoked one cannot', async (t) => {
  const { key, id, customerId } = await controlPlane.mint();
  const act = (action: string) => controlPlane.admin.post(`/license/keys/${id}/${action}`);
  const deploy = () =>
    controlPlane.visitor().post('/boxes/deploy', { key, name: 'b', backendUrl: 'https://b.example.com', domains: [] });
  const status = () =>
    controlPlane.visitor().get('/boxes/deploy/status?name=b', { headers: { authorization: `Bearer ${key}` } });
  t.equal((await deploy()).status, 200);

  t.match(await act('suspend'), { status: 200, body: { id, customerId, status: 'suspended' } });
  t.match(await act('suspend'), { status: 200 }, 'a repetition changes nothing');
  for (const response of [await activate(key), await deploy(), await status()]) {
    t.match(response, { status: 403, body: { code: 'license_suspended' } });
  }
  t.match(await act('reinstate'), { status: 200, body: { status: 'active' } });
  for (const response of [await activate(key), await deploy(), await status()]) t.equal(response.status, 200);

  t.match(await act('revoke'), { status: 200, body: { status: 'revoked' } });
  t.match(await act('revoke'), { status: 200, body: { status: 'revoked' } });
  for (const response of [await activate(key), await deploy(), await status()]) {
    t.match(response, { status: 403, body: { code: 'license_revoked' } });
  }
  for (const action of ['suspend', 'reinstate']) {
    t.match(await act(action), { status: 409, body: { code: 'license_revoked_for_good' } });
  }
  const renewed = await controlPlane.admin.post(`/license/keys/${id}/renew`, { expiresAt: null });
  t.match(renewed, { status: 409, body: { code: 'license_revoked_for_good' } });

  const unknownId = '01a1fdaa-43b1-71ce-9f75-a1414806b8a2';
  for (const action of ['suspend', 'reinstate', 'revoke']) {
    t.match(await controlPlane.admin.post(`/license/keys/${unknownId}/${action}`), { status: 404 });
  }
  t.match(await controlPlane.admin.post(`/license/keys/${unknownId}/renew`, { expiresAt: null }), { status: 404 });
  t.match(await controlPlane.admin.get('/license/keys/1'), { status: 404, body: { code: 'not_found' } });
});

t.test('the registry reads which licences are withdrawn, and tokens name theirs', async (t) => {
  const [suspended, revoked, reinstated, active] = await Promise.all([1, 2, 3, 4].map(() => controlPlane.mint()));
  const licences = [suspended, revoked, reinstated, active] as { id: string; key: string; customerId: string }[];
  const act = (licence: { id: string } | undefined, action: string) =>
    controlPlane.admin.post(`/license/keys/${licence?.id}/${action}`);
  for (const { key, id } of licences) t.match(decodeJwt((await activate(key)).body.token), { license: id });
  const listed = async () => {
    const { status, body } = await controlPlane.registry.get('/license/withdrawals');
    if (status !== 200) throw new Error(JSON.stringify(body));
    const own = body.items.filter(({ licenseId }: { licenseId: string }) =>
      licences.some(({ id }) => id === licenseId),
    );
    return own as { licenseId: string; customerId: string; withdrawnAt: string }[];
  };
  t.strictSame(await listed(), []);
  await act(suspended, 'suspend');
  await act(reinstated, 'suspend');
  await act(reinstated, 'reinstate');
  await act(revoked, 'suspend');
  const before = await listed();
  t.strictSame(
    before.map(({ licenseId }) => licenseId),
    [suspended?.id, revoked?.id],
  );
  await act(revoked, 'revoke');
  t.strictSame(await listed(), before, 'since the first withdrawal');
  t.strictSame(
    before.map(({ customerId }) => customerId),
    [suspended?.customerId, revoked?.customerId],
  );

  const ago = (hours: number) => controlPlane.db.raw(`now() - interval '${hours} hours'`);
  const moveTo = (withdrawnAt: unknown) =>
    controlPlane.db('license_keys').where({ id: suspended?.id }).update({ withdrawnAt });
  await moveTo(ago(24.5));
  t.equal((await listed()).length, 2, 'a token may be a day old');
  await moveTo(ago(25.5));
  t.strictSame(
    (await listed()).map(({ licenseId }) => licenseId),
    [revoked?.id],
  );
  for (const caller of [controlPlane.admin, controlPlane.publisher, controlPlane.visitor()]) {
    t.equal((await caller.get('/license/withdrawals')).status, 401);
  }
});

t.test('licences are listed by page, customer, tier and state', async (t) => {
  const minted = [];
  for (const tier of ['basic', 'growth', 'basic']) minted.push(await controlPlane.mint('customer-list', tier));
  await controlPlane.expire(minted[0]?.id as string);
  const list = async (query: string) =>
    (await controlPlane.admin.get(`/license/keys?customerId=customer-list&${query}`)).body;
  const ids = (body: { items: { id: string }[] }) => body.items.map(({ id }) => id);
  const newestFirst = minted.map(({ id }) => id).reverse();

  const first = await list('limit=2');
  t.strictSame(ids(first), newestFirst.slice(0, 2));
  const second = await list(`limit=2&cursor=${first.nextCursor}`);
  t.strictSame([ids(second), second.nextCursor], [newestFirst.slice(2), null]);
  t.strictSame(ids(await list('tier=growth')), [minted[1]?.id]);
  t.strictSame(ids(await list('status=expired')), [minted[0]?.id]);
  t.strictSame(ids(await list('status=active')), newestFirst.slice(0, 2));
  for (const wrong of ['status=lost', 'tier=x', 'limit=0', 'cursor=x', 'colour=red']) {
    t.match(await controlPlane.admin.get(`/license/keys?${wrong}`), { status: 400 }, wrong);
  }
});

t.test('a key is taken with the spaces around it', async (t) => {
  const { key } = await controlPlane.mint();
  for (const sent of [` ${key}`, `${key}\n`, `\t${key}\r\n`, `\u00a0${key}\ufeff`]) {
    t.equal((await activate(sent)).status, 200, JSON.stringify(sent));
    const box = { key: sent, name: 'spaces', backendUrl: 'https://b.example.com', domains: [] };
    t.equal((await controlPlane.visitor().post('/boxes/deploy', box)).status, 200, JSON.stringify(sent));
  }
  t.equal((await activate(key.replace('_', '_ '))).status, 401, 'within it they are mistyped');
});
