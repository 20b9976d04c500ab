/**
 * Signing keys: shared by all control planes on a database, and rotated without invalidating earlier tokens.
 */
import { createPublicKey } from 'node:crypto';
import { vendor } from '@carton/runtime/service';
import { callerOf } from '@carton/runtime/testing';
import { createLocalJWKSet, jwtVerify } from 'jose';
import t, { type Test } from 'tap';
import { startControlPlane } from '../index.ts';
import { firstRelease } from './release.ts';
import { makeDatabase, optionsFor, startTestControlPlane, type TestControlPlane } from './test-control-plane.ts';

const verify = async ({ url }: { url: string }, token: string) =>
  jwtVerify(token, createLocalJWKSet((await callerOf(url).get('/.well-known/jwks.json')).body));

async function newToken(controlPlane: TestControlPlane): Promise<string> {
  const { key } = await controlPlane.mint();
  return (await controlPlane.visitor().post('/license/activate', { key })).body.token;
}

t.test('the public keys are published in both forms', async (t) => {
  const controlPlane = await startTestControlPlane(t);
  const single = await controlPlane.visitor().get('/license/jwks');
  t.equal(single.status, 200);
  t.strictSame(Object.keys(single.body).sort(), ['algorithm', 'issuer', 'publicKey']);
  t.match(single.body, { algorithm: 'RS256', issuer: vendor.issuer, publicKey: /^-----BEGIN PUBLIC KEY-----\n/ });
  const set = await controlPlane.visitor().get('/.well-known/jwks.json');
  t.equal(set.body.keys.length, 2, 'the current and the next one');
  const { protectedHeader } = await verify(controlPlane, await newToken(controlPlane));
  const { n, e, ...key } = set.body.keys.find(({ kid }: { kid: string }) => kid === protectedHeader.kid);
  t.match(key, { kty: 'RSA', alg: 'RS256', use: 'sig', kid: /^[\w-]{43}$/ });
  t.match(createPublicKey(single.body.publicKey).export({ format: 'jwk' }), { n, e }, 'both forms are of the same key');
  t.notMatch(JSON.stringify(set.body), /"d"|PRIVATE/);
  for (const { headers } of [single, set]) {
    t.equal(headers.get('cache-control'), 'public, max-age=30');
    t.ok(headers.get('etag'));
  }
  const headers = { 'if-none-match': set.headers.get('etag') as string };
  t.equal((await controlPlane.visitor().get('/.well-known/jwks.json', { headers })).status, 304);
});

t.test('a retired key verifies until the last token it signed has expired', async (t) => {
  const controlPlane = await startTestControlPlane(t);
  const oldToken = await newToken(controlPlane);
  const before = (await controlPlane.visitor().get('/license/jwks')).body.publicKey;
  const cached = createLocalJWKSet((await controlPlane.visitor().get('/.well-known/jwks.json')).body);
  const rotated = await controlPlane.admin.post('/signing-keys/rotate');
  t.equal(rotated.status, 201);
  const newTokenAfter = await newToken(controlPlane);
  t.not((await controlPlane.visitor().get('/license/jwks')).body.publicKey, before);
  t.match((await verify(controlPlane, oldToken)).protectedHeader, { kid: rotated.body.retired.kid });
  t.match((await verify(controlPlane, newTokenAfter)).protectedHeader, { kid: rotated.body.kid });
  t.ok(await jwtVerify(newTokenAfter, cached), 'keys that were cached before the rotation include the new one');
  const kids = (await controlPlane.visitor().get('/.well-known/jwks.json')).body.keys.map(
    ({ kid }: { kid: string }) => kid,
  );
  const { kid, nextKid, retired: old } = rotated.body;
  t.strictSame(new Set(kids), new Set([kid, nextKid, old.kid]));

  const { payload } = await verify(controlPlane, oldToken);
  t.ok(Date.parse(rotated.body.retired.verifiesUntil) > (payload.exp as number) * 1000);
  const retired = await controlPlane.db('signing_keys').where({ kid: rotated.body.retired.kid }).first();
  t.equal(retired.privateKey, null, 'the private half is erased');

  await controlPlane
    .db('signing_keys')
    .where({ kid: retired.kid })
    .update({ verifiesUntil: controlPlane.db.raw('now()') });
  await t.rejects(verify(controlPlane, oldToken), { code: 'ERR_JWKS_NO_MATCHING_KEY' });
  t.ok(await verify(controlPlane, newTokenAfter));
});

t.test('concurrent rotations are applied one after the other, and leave one current key', async (t) => {
  const controlPlane = await startTestControlPlane(t);
  const rotations = await Promise.all(Array.from({ length: 4 }, () => controlPlane.admin.post('/signing-keys/rotate')));
  t.strictSame(
    rotations.map(({ status }) => status),
    [201, 201, 201, 201],
  );
  t.equal(new Set(rotations.map(({ body }) => body.kid)).size, 4);
  t.equal(new Set(rotations.map(({ body }) => body.retired.kid)).size, 4);
  t.equal((await controlPlane.db('signing_keys').whereNull('retiredAt')).length, 2, 'the current and the next one');
  t.ok(await verify(controlPlane, await newToken(controlPlane)));
});

/** Starts control planes concurrently on one database; they stop with the test. */
async function startConcurrently(t: Test, databaseUrl: string, count: number) {
  const options = optionsFor(databaseUrl);
  const started = await Promise.all(Array.from({ length: count }, () => startControlPlane(options)));
  for (const controlPlane of started) t.teardown(() => controlPlane.stop());
  return { started, options };
}

t.test('control planes that start concurrently on an empty database share one key and its rotation', async (t) => {
  const { url, db } = await makeDatabase(t);
  const { started, options } = await startConcurrently(t, url, 3);
  t.equal((await db('signing_keys')).length, 2, 'the current and the next one');
  const keys = await Promise.all(started.map(async ({ url }) => (await callerOf(url).get('/license/jwks')).body));
  t.equal(new Set(keys.map(({ publicKey }) => publicKey)).size, 1);

  const [one, other] = started as [(typeof started)[0], (typeof started)[0]];
  const headers = { authorization: `Bearer ${options.adminSecret}` };
  const admin = callerOf(one.url, headers);
  await callerOf(one.url, { authorization: `Bearer ${options.publishSecret}` }).post('/releases', firstRelease);
  const { key } = (await admin.post('/license/keys', { customerId: 'c', tier: 'basic' })).body;
  const { kid } = (await admin.post('/signing-keys/rotate')).body;
  const { token } = (await callerOf(other.url).post('/license/activate', { key })).body;
  t.match(await verify(other, token), { protectedHeader: { kid } });
});

t.test('the key survives a restart', async (t) => {
  const { url } = await makeDatabase(t);
  const read = async () => {
    const controlPlane = await startControlPlane(optionsFor(url));
    const { body } = await callerOf(controlPlane.url).get('/license/jwks');
    await controlPlane.stop();
    return body.publicKey;
  };
  t.equal(await read(), await read());
});

t.test('a retired key outlives the longest token it may have signed, whatever the current lifetime', async (t) => {
  const { url } = await makeDatabase(t);
  await (await startControlPlane(optionsFor(url, { tokenLifetimeSeconds: 60 }))).stop();
  await (await startControlPlane(optionsFor(url, { tokenLifetimeSeconds: 7200 }))).stop();
  const options = optionsFor(url, { tokenLifetimeSeconds: 60 });
  const controlPlane = await startControlPlane(options);
  t.teardown(() => controlPlane.stop());
  const before = Date.now();
  const admin = callerOf(controlPlane.url, { authorization: `Bearer ${options.adminSecret}` });
  const { retired } = (await admin.post('/signing-keys/rotate')).body;
  t.ok(Date.parse(retired.verifiesUntil) >= before + 7_200_000);
});

t.test(
  'with a secret, private keys are encrypted; with another secret, the control plane does not start',
  async (t) => {
    const { url, db } = await makeDatabase(t);
    const signingKeySecret = 'a secret of the signing key';
    await (await startControlPlane(optionsFor(url, { signingKeySecret }))).stop();
    for (const { privateKey } of await db('signing_keys').select('privateKey')) {
      t.match(privateKey, /^-----BEGIN ENCRYPTED PRIVATE KEY-----/);
    }
    for (const wrong of [undefined, 'another secret of the key']) {
      await t.rejects(startControlPlane(optionsFor(url, { signingKeySecret: wrong })), {
        message: /SIGNING_KEY_SECRET/,
      });
    }
    const controlPlane = await startControlPlane(optionsFor(url, { signingKeySecret }));
    await controlPlane.stop();
  },
);
