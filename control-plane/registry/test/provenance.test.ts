// Provenance: stored only if the vendor has signed it for the very bytes of a version, and served as the version itself.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { makeFolder, openRegistry, prepareStorage, publishSecret, send, signToken } from '../testing/index.ts';
import { makeKey } from './package-key.ts';

const key = makeKey();
const expired = makeKey('2026-01-01T00:00:00.000Z');
const unknown = makeKey();
const packageKeysFile = join(await makeFolder(t), 'keys.json');
await writeFile(packageKeysFile, JSON.stringify({ keys: [key.published, expired.published] }));
const storage = await (
  await prepareStorage(
    t,
    { name: '@carton/cart', version: '1.2.0', carton: { tier: 'basic' } },
    { name: '@carton/growth', version: '1.0.0', carton: { tier: 'growth' } },
  )
)(t);
const { controlPlane, registry, tokenOf, key: tokenKey } = await openRegistry(t, { storage, packageKeysFile });
const token = await tokenOf();
const path = (spec: string) => `/-/carton/v1/provenance/${spec}`;
const cart = path('@carton%2fcart@1.2.0');

/** The SHA-512 of a published version in hexadecimal. */
async function digestOf(name: string, version: string): Promise<string> {
  const { versions } = JSON.parse((await send(registry, `/${name}`, publishSecret)).body);
  return Buffer.from(versions[version].dist.integrity.slice(7), 'base64').toString('hex');
}
const cartDigest = await digestOf('@carton/cart', '1.2.0');

const payloadType = 'application/vnd.in-toto+json';
type Changes = { type?: string; sign?: typeof key.sign; text?: (text: string) => string; statement?: object };

/** An envelope as the vendor's publisher sends it. `changes` falsify it. */
function envelopeOf(
  sha512: string,
  { type = payloadType, sign = key.sign, text = (all) => all, ...rest }: Changes = {},
) {
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: 'pkg:npm/%40carton/cart@1.2.0', digest: { sha512 } }],
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: { note: 'Grüße' },
    ...rest.statement,
  };
  const payload = Buffer.from(JSON.stringify(statement));
  const signed = text(`DSSEv1 28 ${payloadType} ${payload.length} ${payload}`);
  return { payloadType: type, payload: payload.toString('base64'), signatures: [sign(signed)] };
}

async function put(to: string, body: unknown, secret = publishSecret) {
  const content = typeof body === 'string' ? body : JSON.stringify(body);
  const { status, body: answer } = await send(registry, to, secret, { method: 'PUT', body: content });
  return { status, code: JSON.parse(answer).code };
}

t.test('only a signed statement of the bytes of the version is stored', async (t) => {
  const good = envelopeOf(cartDigest);
  const cases: [body: unknown, status: number, code: string][] = [
    ['', 400, 'provenance_invalid'],
    ['null', 400, 'provenance_invalid'],
    [{ ...good, signatures: [] }, 400, 'provenance_invalid'],
    [{ ...good, signatures: [{ sig: 'x' }] }, 400, 'provenance_invalid'],
    [envelopeOf(cartDigest, { type: 'text/plain' }), 400, 'provenance_invalid'],
    [envelopeOf(cartDigest, { sign: unknown.sign }), 403, 'signature_invalid'],
    [envelopeOf(cartDigest, { sign: expired.sign }), 403, 'signature_invalid'],
    [{ ...good, signatures: [...good.signatures, unknown.sign('')] }, 403, 'signature_invalid'],
    [envelopeOf(cartDigest, { text: (text) => text.replace('DSSEv1 ', '') }), 403, 'signature_invalid'],
    [{ ...envelopeOf('0'.repeat(128)), payload: good.payload }, 403, 'signature_invalid'],
    [envelopeOf('0'.repeat(128)), 400, 'provenance_invalid'],
    [envelopeOf(await digestOf('@carton/growth', '1.0.0')), 400, 'provenance_invalid'],
    [envelopeOf(cartDigest, { statement: { _type: 'other' } }), 400, 'provenance_invalid'],
    [envelopeOf(cartDigest, { statement: { predicateType: 'other' } }), 400, 'provenance_invalid'],
    [
      envelopeOf(cartDigest, { statement: { subject: [{ digest: { sha512: cartDigest } }, {}] } }),
      400,
      'provenance_invalid',
    ],
    ['x'.repeat(300_000), 413, 'provenance_too_large'],
  ];
  for (const [index, [body, status, code]] of cases.entries()) {
    t.strictSame(await put(cart, body), { status, code }, `case ${index}`);
  }
  t.strictSame(await put(path('@carton/cart@1.3.0'), good), { status: 404, code: 'not_found' });
  t.equal((await send(registry, cart, publishSecret)).status, 404, 'nothing was stored');

  t.strictSame(await put(cart, good), { status: 201, code: undefined });
  const { status, headers, body } = await send(registry, cart, publishSecret);
  t.strictSame([status, headers['content-type']], [200, 'application/vnd.dsse.envelope.v1+json']);
  t.strictSame(JSON.parse(body), good);
});

t.test('it is served to licences with the package, as its tarball', async (t) => {
  const growth = path('@carton/growth@1.0.0');
  t.equal((await put(growth, envelopeOf(await digestOf('@carton/growth', '1.0.0')))).status, 201);
  t.equal((await send(registry, cart, token)).status, 200);
  const head = await send(registry, cart, token, { method: 'HEAD' });
  t.strictSame([head.status, head.body], [200, '']);
  t.match(await send(registry, growth, token), { status: 403, body: '"code":"not_entitled"' });
  t.match(await send(registry, cart), { status: 401, body: '"code":"token_missing"' });
  const other = await signToken(tokenKey, 'http://other.example');
  t.match(await send(registry, cart, other), { status: 401, body: '"code":"token_invalid"' });
  t.match(await send(registry, path('@carton/none@1.0.0'), token), { status: 404 });
  for (const body of [JSON.stringify(envelopeOf(cartDigest)), undefined]) {
    const sent = await send(registry, cart, token, { method: 'PUT', ...(body && { body }) });
    t.match(sent, { status: 403, body: '"code":"publisher_only"' });
  }
});

t.test('that of a release is served to every licence', async (t) => {
  const digest = '0f'.repeat(64);
  const release = path(`releases/${digest}`);
  t.equal((await send(registry, release, token)).status, 404);
  t.strictSame(await put(release, envelopeOf(cartDigest)), { status: 400, code: 'provenance_invalid' });
  t.strictSame(await put(release, envelopeOf(digest, { sign: unknown.sign })), {
    status: 403,
    code: 'signature_invalid',
  });
  t.equal((await put(release, envelopeOf(digest))).status, 201);
  t.equal((await send(registry, release, token)).status, 200);
  t.equal((await send(registry, release)).status, 401);
  t.equal((await send(registry, release, token, { method: 'PUT' })).status, 403);
  t.equal((await send(registry, path(`releases/${cartDigest}`), token)).status, 404, 'not that of a package');
});

t.test('a version that was replaced loses its provenance', async (t) => {
  const { registry: unsigned } = await openRegistry(t, { controlPlane, storage });
  const { versions, ...rest } = JSON.parse((await send(unsigned, '/@carton/cart', publishSecret)).body);
  versions['1.2.0'].dist.integrity = `sha512-${Buffer.from('0f'.repeat(64), 'hex').toString('base64')}`;
  await writeFile(join(storage, 'packages/@carton/cart/package.json'), JSON.stringify({ ...rest, versions }));
  t.equal((await send(unsigned, cart, publishSecret)).status, 404);
});
