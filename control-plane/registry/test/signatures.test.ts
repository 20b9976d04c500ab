// Signed packages: npm's own verification with the keys that the registry serves, and what the registry refuses to
// publish.

import { createHash, generateKeyPairSync } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { publish } from 'libnpmpublish';
import pacote from 'pacote';
import t, { type Test } from 'tap';
import { create } from 'tar';
import { openPackageKeys, type PackageKey } from '../signatures/package-keys.ts';
import {
  makeFolder,
  makePackage,
  npm,
  openRegistry,
  publishSecret,
  send,
  startTestRegistry,
} from '../testing/index.ts';
import { makeKey } from './package-key.ts';

const key = makeKey();
const expiring = makeKey('2999-01-01T00:00:00.000Z');
const expired = makeKey('2026-01-01T00:00:00.000Z');
const unknown = makeKey();
const keys = [key, expiring, expired].map(({ published }) => published);
const packageKeysFile = join(await makeFolder(t), 'keys.json');
await writeFile(packageKeysFile, JSON.stringify({ keys }));

const storage = await makeFolder(t);
const { controlPlane, registry, tokenOf } = await openRegistry(t, { storage, packageKeysFile });
const token = await tokenOf({ packages: ['@carton/cart', '@carton/core'] });
const address = `${registry.url.replace('http:', '')}/`;

/** The tarball of a package, as npm packs it. */
async function pack(name: string, version: string): Promise<Buffer> {
  const cwd = await makePackage(t as Test, { name, version, carton: { tier: 'basic' } });
  return create({ cwd, gzip: true, portable: true, prefix: 'package' }, ['package.json', 'index.js']).concat();
}

type Signing = { sign: ReturnType<typeof makeKey>['sign'] };
type Changes = { text?: (text: string) => string; dist?: object; manifest?: object };

/** Publishes a package as the vendor's publisher does. `changes` falsify what is signed or sent. */
async function publishSigned(name: string, version: string, signers: Signing[], changes: Changes = {}) {
  const data = await pack(name, version);
  const integrity = `sha512-${createHash('sha512').update(data).digest('base64')}`;
  const text = changes.text?.(`${name}@${version}:${integrity}`) ?? `${name}@${version}:${integrity}`;
  const dist = {
    signatures: signers.map((signer) => signer.sign(text)),
    fileCount: 2,
    unpackedSize: 99,
    ...changes.dist,
  };
  const manifest = { name, version, carton: { tier: 'basic' }, ...changes.manifest, dist };
  const sent = manifest as unknown as Parameters<typeof publish>[0];
  return publish(sent, data, { registry: registry.url, [`${address}:_authToken`]: publishSecret }).then(
    () => 'published',
    ({ statusCode, body }: { statusCode: number; body: { code: string; error: string } }) => ({ statusCode, ...body }),
  );
}

/** Verifies a package as `npm audit signatures` does, with these keys. */
function verify(spec: string, known: PackageKey[]) {
  const begin = '-----BEGIN PUBLIC KEY-----';
  const registryKeys = known.map((each) => ({ ...each, pemkey: `${begin}\n${each.key}\n-----END PUBLIC KEY-----` }));
  const options = { registry: registry.url, [`${address}:_authToken`]: token, [`${address}:_keys`]: registryKeys };
  return pacote.manifest(spec, { ...options, verifySignatures: true } as pacote.Options);
}

const published = [
  await publishSigned('@carton/cart', '1.0.0', [key]),
  await publishSigned('@carton/cart', '1.1.0', [key, expiring]),
];

t.test('the keys are public, in the format of npm', async (t) => {
  const { status, headers, body } = await send(registry, '/-/npm/v1/keys');
  t.equal(status, 200);
  t.equal(headers['content-type'], 'application/json; charset=utf-8');
  t.strictSame(JSON.parse(body), { keys });
  t.equal((await send(registry, '/-/npm/v1/keys', token)).status, 200);
  t.equal((await send(registry, '/-/npm/v1/keys', publishSecret, { method: 'PUT', body: '{}' })).status, 404);
});

t.test("npm's own verification accepts signed packages, and finds forged ones", async (t) => {
  t.strictSame(published, ['published', 'published']);
  const served = JSON.parse((await send(registry, '/-/npm/v1/keys')).body).keys;
  const cart = (await verify('@carton/cart@1.1.0', served)) as unknown as { _signatures: object[]; dist: object };
  t.equal(cart._signatures.length, 2);
  t.match(cart.dist, { fileCount: 2, unpackedSize: 99 });

  await t.rejects(verify('@carton/cart@1.0.0', [unknown.published]), { code: 'EMISSINGSIGNATUREKEY' });
  const past = { ...key.published, expires: '2026-01-01T00:00:00.000Z' };
  await t.rejects(verify('@carton/cart@1.0.0', [past]), { code: 'EEXPIREDSIGNATUREKEY' });

  // An attacker who can write the files of the registry changes the package: neither the digest nor the version may differ.
  const file = join(storage, 'packages/@carton/cart/package.json');
  const packument = JSON.parse(await readFile(file, 'utf8'));
  const other = `sha512-${createHash('sha512').update('other code').digest('base64')}`;
  const forged = structuredClone(packument);
  forged.versions['1.0.0'].dist.integrity = other;
  forged.versions['1.1.0'].dist = {
    ...forged.versions['1.1.0'].dist,
    signatures: packument.versions['1.0.0'].dist.signatures,
  };
  await writeFile(file, JSON.stringify(forged));
  await t.rejects(verify('@carton/cart@1.0.0', served), { code: 'EINTEGRITYSIGNATURE' });
  await t.rejects(verify('@carton/cart@1.1.0', served), { code: 'EINTEGRITYSIGNATURE' });
  await writeFile(file, JSON.stringify(packument));

  // A tampered tarball does not have the digest that is signed.
  const tarball = join(storage, 'packages/@carton/cart/cart-1.0.0.tgz');
  const content = await readFile(tarball);
  await writeFile(tarball, await pack('@carton/core', '1.0.0'));
  const { _integrity } = await verify('@carton/cart@1.0.0', served);
  const options = { registry: registry.url, [`${address}:_authToken`]: token, integrity: _integrity };
  await t.rejects(pacote.tarball('@carton/cart@1.0.0', options as pacote.Options), { code: 'EINTEGRITY' });
  await writeFile(tarball, content);
  t.ok((await pacote.tarball('@carton/cart@1.0.0', options as pacote.Options)).equals(content));
});

t.test('the secret of the publisher alone publishes nothing', async (t) => {
  const packed = await makePackage(t, { name: '@carton/core', version: '1.0.0' });
  const { code, output } = await npm(registry, packed, publishSecret, 'publish');
  t.equal(code, 1);
  t.match(output, '@carton/core@1.0.0 is not signed: this registry accepts only packages signed by the vendor');

  const core = (signers: Signing[], changes?: Changes) => publishSigned('@carton/core', '1.0.0', signers, changes);
  const refused = (reason: string) => ({
    statusCode: 403,
    error: `@carton/core@1.0.0 is not signed by the vendor: ${reason}`,
    code: 'signature_invalid',
  });
  const mismatch = refused(`the signature of the key ${key.published.keyid} does not match`);
  t.strictSame(await core([unknown]), refused(`the key ${unknown.published.keyid} is unknown`));
  t.strictSame(await core([expired]), refused(`the key ${expired.published.keyid} has expired`));
  t.strictSame(await core([key, unknown]), refused(`the key ${unknown.published.keyid} is unknown`));
  t.strictSame(await core([key], { text: (text) => text.replace('1.0.0', '0.9.0') }), mismatch);
  t.strictSame(await core([key], { text: (text) => text.replace('core', 'cart') }), mismatch);
  t.match(await core([], { dist: { signatures: [{ keyid: key.published.keyid }] } }), mismatch);
  t.match(await core([], { dist: { signatures: [null] } }), { code: 'signature_invalid' });
  t.match(await core([]), { statusCode: 403, code: 'signature_missing' });

  // A signature of published code does not cover other bytes, another version or another file.
  const invalid = { statusCode: 400, code: 'publication_invalid' };
  t.match(await core([key], { manifest: { version: '9.0.0' } }), { statusCode: 403, code: 'signature_invalid' });
  const data = await pack('@carton/core', '1.0.0');
  const integrity = `sha512-${createHash('sha512').update(data).digest('base64')}`;
  const body = (changes: { data?: string; file?: string; tarball?: string; more?: object; versions?: object }) => {
    const dist = {
      integrity,
      tarball: changes.tarball ?? `${registry.url}/@carton/core/-/core-1.0.0.tgz`,
      signatures: [key.sign(`@carton/core@1.0.0:${integrity}`)],
    };
    const attachment = { data: changes.data ?? data.toString('base64') };
    return JSON.stringify({
      name: '@carton/core',
      'dist-tags': { latest: '1.0.0' },
      versions: { '1.0.0': { name: '@carton/core', version: '1.0.0', dist }, ...changes.versions },
      _attachments: { [changes.file ?? '@carton/core-1.0.0.tgz']: attachment, ...changes.more },
    });
  };
  const put = async (path: string, content: string, type = 'application/json') => {
    const headers = { 'content-type': type };
    const response = await send(registry, path, publishSecret, { method: 'PUT', headers, body: content });
    return { statusCode: response.status, ...JSON.parse(response.body) };
  };
  for (const path of ['/@carton%2fcore', '/@carton%2fcore/-rev/1-0', '/@carton/core']) {
    t.match(await put(path, body({ data: Buffer.from('other code').toString('base64') })), invalid);
    t.match(await put(path, body({ file: 'core-2.0.0.tgz' })), invalid);
    t.match(await put(path, body({ tarball: `${registry.url}/@carton/core/-/core-2.0.0.tgz` })), invalid);
    t.match(await put(path, body({ more: { 'core-2.0.0.tgz': { data: 'AAAA' } } })), invalid);
    t.match(await put(path, body({ versions: { '2.0.0': { name: '@carton/core', version: '2.0.0' } } })), invalid);
  }
  const bare = await put('/@carton/core/-/core-1.0.0.tgz/x', 'other code', 'application/octet-stream');
  t.match(bare, { statusCode: 403, code: 'signature_missing' });
  t.equal((await send(registry, '/@carton/core', publishSecret)).status, 404, 'nothing was published');
  t.match(await put('/@carton%2fcore', body({})), { statusCode: 201 });
});

t.test('other requests of the publisher need no signature', async (t) => {
  const project = await makePackage(t, { name: 'project', version: '1.0.0' });
  const run = async (...words: string[]) => (await npm(registry, project, publishSecret, ...words)).code;
  t.equal(await run('dist-tag', 'add', '@carton/cart@1.0.0', 'old'), 0);
  t.equal(await run('deprecate', '@carton/cart@1.0.0', 'Prices were rounded wrongly: use 1.1.0'), 0);
  const packument = JSON.parse((await send(registry, '/@carton/cart', token)).body);
  t.equal(packument.versions['1.0.0'].deprecated, 'Prices were rounded wrongly: use 1.1.0');
  t.equal(packument.versions['1.0.0'].dist.signatures.length, 1, 'the signature stays');
  const installed = await npm(registry, project, token, 'install', '@carton/cart@1.0.0');
  t.equal(installed.code, 0);
  t.match(installed.output, 'Prices were rounded wrongly: use 1.1.0', 'npm shows the reason');
  t.equal(await run('unpublish', '--force', '@carton/cart@1.0.0'), 0);
});

t.test('a registry without keys has none, and accepts unsigned packages', async (t) => {
  const { registry: open } = await openRegistry(t, { controlPlane });
  t.match(await send(open, '/-/npm/v1/keys'), { status: 404, body: '"code":"not_found"' });
});

t.test('a file of keys that is wrong prevents the start', async (t) => {
  const folder = await makeFolder(t);
  const file = join(folder, 'keys.json');
  const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey.export({ format: 'der', type: 'spki' });
  const otherCurve = {
    ...key.published,
    keyid: `SHA256:${createHash('sha256').update(p384).digest('base64').replace('=', '')}`,
    key: p384.toString('base64'),
  };
  const cases: [content: string, message: RegExp][] = [
    ['', /JSON/],
    ['{"keys":[]}', /it has no keys/],
    [JSON.stringify({ keys: [{ ...key.published, keyid: unknown.published.keyid }] }), /is not the id of its key/],
    [JSON.stringify({ keys: [otherCurve] }), /is not a key for ecdsa-sha2-nistp256/],
    [JSON.stringify({ keys: [{ ...key.published, expires: 'soon' }] }), /expires at no valid time: soon/],
  ];
  for (const [content, message] of cases) {
    await writeFile(file, content);
    const error = await openPackageKeys(file).catch((error: Error) => error);
    t.match(error, { message });
    t.match(error, { message: `the keys of packages cannot be read from ${file}: ` });
  }
  const missing = { controlPlaneUrl: controlPlane.url, packageKeysFile: join(folder, 'none.json') };
  await t.rejects(startTestRegistry(t, missing), /the keys of packages cannot be read from .*ENOENT/);
});
