/**
 * A release is installed only with a signature of the vendor, and yanked versions only if the operator wants them.
 */
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '@carton/runtime/testing';
import t from 'tap';
import { type InstallOptions, install } from '../index.ts';
import { plainOutput } from '../output/plain.ts';
import { payloadType, predicateType, releaseDigest, releasePath, statementType, textOf } from '../pull/provenance.ts';
import { type PackageKey, signedText } from '../pull/release-signature.ts';
import { scope } from '../vendor.ts';
import { key as licenseKey } from './support/box.ts';
import { makePackage, makeRuntime } from './support/packages.ts';
import { startVendor } from './support/vendor.ts';

const core = `${scope}/core`;
const runtime = makeRuntime();
const vendor = await startVendor([runtime, makePackage({ name: core })], {
  [licenseKey]: { tier: 'basic', packages: [`${scope}/runtime`, core] },
});
t.teardown(() => vendor.close());
t.beforeEach(() => {
  vendor.packages.set(core, makePackage({ name: core }));
  vendor.replacements.clear();
  vendor.documents.clear();
});

function makeKey(expires: string | null = null) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const der = publicKey.export({ format: 'der', type: 'spki' });
  const keyid = `SHA256:${createHash('sha256').update(der).digest('base64').replace('=', '')}`;
  const known: PackageKey = { keyid, key: der.toString('base64'), expires };
  return {
    known,
    sign: (text: string) => ({ keyid, sig: sign('sha256', Buffer.from(text), privateKey).toString('base64') }),
  };
}

const key = makeKey();
const next = makeKey();
const other = makeKey();
const expired = makeKey('2026-01-01T00:00:00.000Z');
const packageKeys = [key, next, expired].map(({ known }) => known);

interface Signing {
  keys?: (typeof key)[];
  channel?: string;
  version?: string;
  /** Digests in the release that were not signed, by package. */
  changed?: Record<string, string>;
}

/** Serves a release, signed. */
function release({ keys = [key], channel = 'stable', version = '1.0.0', changed = {} }: Signing = {}): void {
  const packages = [...vendor.packages.values()].map(({ manifest, integrity }) => ({
    name: manifest.name,
    version: manifest.version,
    integrity,
    tier: null,
  }));
  const text = signedText({ version, channel, packages });
  const served = packages.map((entry) => ({ ...entry, integrity: changed[entry.name] ?? entry.integrity }));
  const signatures = keys.map((each) => each.sign(text));
  vendor.release = { status: 200, body: { version: '1.0.0', channel, packages: served.reverse(), signatures } };
}

/** Installs a box without starting it. Returns its output. */
async function tryInstall(dir: string, options: Partial<InstallOptions> = {}): Promise<string> {
  const lines: string[] = [];
  const out = { write: (line: string) => lines.push(line) } as unknown as NodeJS.WritableStream;
  const { controlPlaneUrl } = vendor;
  await install(
    { dir, licenseKey, controlPlaneUrl, start: false, packageKeys, ...options },
    plainOutput({ out, error: out }),
  );
  return lines.join('');
}

const newFolder = async () => join(await temporaryFolder('signed-'), 'box');

t.test('a signed release is installed', async (t) => {
  release();
  t.match(await tryInstall(await newFolder()), '\nrelease 1.0.0: 2 packages, 2 to pull');
  release({ keys: [other, next] });
  t.match(await tryInstall(await newFolder()), '\nrelease 1.0.0: 2 packages', 'while keys are replaced, one is enough');
});

t.test('a release that is not signed by the vendor is not installed', async (t) => {
  const evil = makePackage({ name: core }, [{ path: 'index.js', content: 'evil' }]);
  const mismatch = `release 1.0.0 is not signed by the vendor: the signature of the key ${key.known.keyid} does not match`;
  const cases: [served: Signing, message: string][] = [
    [{ keys: [] }, 'release 1.0.0 is not signed by the vendor: it has no signature'],
    [
      { keys: [other] },
      `release 1.0.0 is not signed by the vendor: this command does not know the key ${other.known.keyid}`,
    ],
    [{ keys: [expired] }, `release 1.0.0 is not signed by the vendor: the key ${expired.known.keyid} has expired`],
    [{ keys: [{ ...key, sign: (text) => ({ ...other.sign(text), keyid: key.known.keyid }) }] }, mismatch],
    [{ version: '0.9.0' }, mismatch],
    [{ channel: 'preview' }, mismatch],
    [{ changed: { [core]: evil.integrity } }, mismatch],
  ];
  for (const [served, message] of cases) {
    release(served);
    const dir = await newFolder();
    await t.rejects(tryInstall(dir), { code: 'integrity_failed', exitCode: 7, message });
    t.strictSame(await readdir(dir), ['.installation-id'], 'another attempt needs it');
  }
  release();
  // The registry has other code than the vendor signed, or serves it in place of the package.
  vendor.packages.set(core, evil);
  await t.rejects(tryInstall(await newFolder()), {
    code: 'integrity_failed',
    message: 'of the registry differs from that',
  });
  vendor.packages.set(core, makePackage({ name: core }));
  vendor.replacements.set(core, evil.tarball);
  await t.rejects(tryInstall(await newFolder()), { code: 'integrity_failed', message: 'failed its integrity check' });
});

t.test('the provenance of a release is verified where the registry has one', async (t) => {
  release();
  const served = vendor.release?.body as Parameters<typeof releaseDigest>[0];
  const digest = releaseDigest(served);
  const serve = (signer: typeof key, changes: object = {}, type: string = payloadType) => {
    const subject = [{ name: 'release', digest: { sha512: digest } }];
    const payload = Buffer.from(JSON.stringify({ _type: statementType, predicateType, subject, ...changes }));
    const signatures = [signer.sign(textOf(payload))];
    vendor.documents.set(releasePath(digest), { payloadType: type, payload: payload.toString('base64'), signatures });
  };
  serve(key);
  t.match(await tryInstall(await newFolder()), '\nrelease 1.0.0: 2 packages, 2 to pull');
  t.ok(vendor.requests.includes(`GET ${releasePath(digest)}`));
  const unknown = `the provenance of release 1.0.0 is not signed by the vendor: this command does not know the key ${other.known.keyid}`;
  const wrong = 'the provenance of release 1.0.0 is wrong: ';
  const cases: [message: string, ...served: Parameters<typeof serve>][] = [
    [unknown, other],
    [`${wrong}it is of other content`, key, { subject: [{ name: 'release', digest: { sha512: '0' } }] }],
    [`${wrong}it is of other content`, key, { subject: [] }],
    [`${wrong}it is another kind of statement`, key, { predicateType: 'other' }],
    [`${wrong}it is not an envelope`, key, {}, 'text/plain'],
  ];
  for (const [message, ...parameters] of cases) {
    serve(...parameters);
    const dir = await newFolder();
    await t.rejects(tryInstall(dir), { code: 'integrity_failed', exitCode: 7, message });
    t.strictSame(await readdir(dir), ['.installation-id']);
  }
});

t.test('a malformed signature is an error of the control plane', async (t) => {
  for (const signatures of [null, {}, [null], [{ keyid: key.known.keyid }]]) {
    release();
    Object.assign(vendor.release?.body as object, { signatures });
    await t.rejects(tryInstall(await newFolder()), { code: 'control_plane_unavailable' });
  }
});

t.test('a command without keys verifies no release, and says so', async (t) => {
  release({ keys: [other] });
  const output = await tryInstall(await newFolder(), { packageKeys: [] });
  t.match(output, 'release 1.0.0 (unverified: this command has no keys of the vendor): 2 packages');
});

t.test('a yanked version is installed only where it is present, or if the operator wants it', async (t) => {
  const [dir, other] = [await newFolder(), await newFolder()];
  release();
  await tryInstall(dir);
  vendor.packages.set(core, { ...makePackage({ name: core }) });
  const { manifest } = vendor.packages.get(core) as { manifest: Record<string, unknown> };
  manifest.deprecated = 'Prices were rounded wrongly';
  const reason = `${core} 0.1.0 was yanked by the vendor: Prices were rounded wrongly`;

  await t.rejects(tryInstall(other), { code: 'yanked', exitCode: 17, message: reason, advice: '--allow-yanked' });
  t.strictSame(await readdir(other), ['.installation-id']);
  t.match(await tryInstall(dir), `warning: ${reason}\n`, 'a box that has it keeps it');
  t.match(await tryInstall(other, { allowYanked: true }), `warning: ${reason}\n`);
});
