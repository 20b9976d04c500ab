// Signed publishing: `npm run package-keys` creates the keys, `npm run publish:packages` signs with them, and npm's own
// verification accepts the result.

import { spawnSync } from 'node:child_process';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startRegistry } from '@carton/registry';
import { exactly } from '@carton/runtime/testing';
import pacote from 'pacote';
import t from 'tap';
import { runScript } from '../../test/run-script.ts';
import {
  buildPackages,
  makeRelease,
  openSigningKeys,
  type PublicKey,
  publishPackages,
  publishProvenance,
  publishReleaseProvenance,
  readBuildFacts,
} from '../index.ts';
import { publicAddress } from '../provenance.ts';
import { makeFolder, makeWorkspace } from './workspace.ts';

const publishSecret = 'publish-secret-of-the-tests';
const command = fileURLToPath(new URL('../../../scripts/release/package-keys.ts', import.meta.url));

function run(...parameters: string[]) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--conditions=workspace-source', command, ...parameters],
    { encoding: 'utf8' },
  );
  return { status, stdout, stderr };
}

t.test('the command creates and ends keys', async (t) => {
  const folder = await makeFolder(t);
  const [keysFile, first, second] = ['keys.json', 'first.pem', 'second.pem'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const readKeys = async () => JSON.parse(await readFile(keysFile, 'utf8')).keys as PublicKey[];
  t.match(run('--help'), { status: 0, stdout: /^Usage: npm run package-keys/ });
  for (const wrong of [
    [],
    ['--nonsense'],
    ['--private-key', first, '--expire', 'x'],
    ['--expire', 'x', '--at', 'soon'],
    ['--expire', 'x', '--verify', '@carton/base@1.0.0'],
    ['--verify', '@carton/base@1.0.0'],
  ])
    t.match(run('--keys', keysFile, ...wrong), { status: 2, stderr: /^npm run package-keys: .*\n$/ });
  await t.rejects(readKeys(), { code: 'ENOENT' });

  t.match(run('--keys', keysFile, '--private-key', first), { status: 0, stdout: /^SHA256:[A-Za-z0-9+/]{43}\n/ });
  t.equal((await stat(first)).mode & 0o777, 0o600);
  t.equal(run('--keys', keysFile, '--private-key', second).status, 0);
  const keys = await readKeys();
  t.match(keys, exactly([{ expires: null }, { expires: null }]));
  const kept = await readFile(first, 'utf8');
  t.match(run('--keys', keysFile, '--private-key', first), { status: 1, stderr: /EEXIST/ });
  t.equal(await readFile(first, 'utf8'), kept, 'a private key is not overwritten');
  t.strictSame(await readKeys(), keys);

  const [old] = keys as [PublicKey];
  t.equal(run('--keys', keysFile, '--expire', old.keyid, '--at', '2026-11-01T12:00:00+01:00').status, 0);
  t.strictSame(await readKeys(), [{ ...old, expires: '2026-11-01T11:00:00.000Z' }, keys[1]]);
  t.match(run('--keys', keysFile, '--expire', 'SHA256:x'), { status: 1, stderr: /has no key SHA256:x/ });
  t.match((await openSigningKeys(`${first},${second}`))('text'), exactly(keys.map(({ keyid }) => ({ keyid }))));
  await t.rejects(openSigningKeys(keysFile), { message: `The signing key ${keysFile} cannot be used: ` });
});

t.test('packages are published with signatures and sizes, which npm verifies', async (t) => {
  const folder = await makeFolder(t);
  const [keysFile, keyFile] = [join(folder, 'keys.json'), join(folder, 'key.pem')];
  t.equal(run('--keys', keysFile, '--private-key', keyFile).status, 0);
  const registry = await startRegistry({
    port: 0,
    host: '127.0.0.1',
    storage: await makeFolder(t),
    controlPlaneUrl: 'http://127.0.0.1:9',
    registrySecret: 'registry-secret',
    publishSecret,
    packageKeysFile: keysFile,
    log: () => {},
  });
  t.teardown(() => registry.stop());
  const packages = await buildPackages({ root: await makeWorkspace(t), out: folder, only: ['@carton/base'] });
  const target = { registryUrl: registry.url, publishSecret, packages };

  const unsigned = 'The registry rejects @carton/base: @carton/base@1.0.0 is not signed';
  await t.rejects(publishPackages(target), { message: unsigned });
  const sign = await openSigningKeys(keyFile);
  t.strictSame((await publishPackages({ ...target, sign })).published, ['@carton/base@1.0.0']);

  const { keys } = (await (await fetch(`${registry.url}/-/npm/v1/keys`)).json()) as { keys: PublicKey[] };
  const address = `${registry.url.replace('http:', '')}/`;
  const pemkey = `-----BEGIN PUBLIC KEY-----\n${keys[0]?.key}\n-----END PUBLIC KEY-----`;
  const options = {
    registry: registry.url,
    [`${address}:_authToken`]: publishSecret,
    [`${address}:_keys`]: keys.map((key) => ({ ...key, pemkey })),
    verifySignatures: true,
  } as pacote.Options;
  const manifest = (await pacote.manifest('@carton/base@1.0.0', options)) as unknown as Record<string, object>;
  t.match(manifest._signatures, exactly([{ keyid: keys[0]?.keyid }]));
  const extracted = join(folder, 'extracted');
  await pacote.extract('@carton/base@1.0.0', extracted, options);
  const { unpackedSize, fileCount } = manifest.dist as { unpackedSize: number; fileCount: number };
  const files = (await readdir(extracted, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  const sizes = await Promise.all(files.map(async (entry) => (await stat(join(entry.parentPath, entry.name))).size));
  t.equal(fileCount, files.length);
  t.equal(
    unpackedSize,
    sizes.reduce((sum, size) => sum + size, 0),
  );

  const facts = await readBuildFacts('https://builder.example');
  t.match(facts, { vendor: 'carton', tools: { node: process.version.slice(1) }, lockFile: /^[0-9a-f]{64}$/ });
  const source = { repository: 'git+https://example.com/carton.git', revision: 'c0ffee' };
  const provenance = { registryUrl: registry.url, publishSecret, facts: { ...facts, source }, sign };
  t.equal(await publishProvenance(provenance, packages), 1);
  t.equal(await publishProvenance(provenance, packages), 0, 'published once');
  // Not run(): the registry runs in this process.
  const verify = (keys: string, spec: string) => {
    const parameters = ['--verify', spec, '--registry', registry.url, '--keys', keys];
    return runScript(command, parameters, { PUBLISH_SECRET: publishSecret });
  };
  const { status, stdout } = await verify(keysFile, '@carton/base@1.0.0');
  t.equal(status, 0);
  const [json = '', sentence] = stdout.split(/(?<=^})\n/m);
  t.equal(sentence, '@carton/base@1.0.0 is built and signed by the vendor\n');
  t.match(JSON.parse(json), {
    subject: exactly([{ name: 'pkg:npm/%40carton/base@1.0.0', digest: { sha512: /^[0-9a-f]{128}$/ } }]),
    predicate: {
      buildDefinition: {
        externalParameters: { package: '@carton/base', version: '1.0.0', source: { revision: 'c0ffee' } },
        resolvedDependencies: exactly([
          { uri: `${source.repository}@c0ffee`, digest: { gitCommit: 'c0ffee' } },
          { name: 'package-lock.json', digest: { sha256: facts.lockFile } },
        ]),
      },
      runDetails: { builder: { id: 'https://builder.example' } },
    },
  });
  const other = join(folder, 'other.json');
  t.equal(run('--keys', other, '--private-key', join(folder, 'other.pem')).status, 0);
  const ofOthers = /the provenance of @carton\/base@1\.0\.0 is not signed by the vendor: this command does not know/;
  t.match(await verify(other, '@carton/base@1.0.0'), { status: 1, stderr: ofOthers });
  t.match(await verify(keysFile, '@carton/base@9.0.0'), { status: 1, stderr: /@carton\/base does not exist/ });

  const forger = await openSigningKeys(join(folder, 'other.pem'));
  const release = makeRelease(
    '1.0.0',
    'stable',
    await buildPackages({ root: await makeWorkspace(t), out: folder }),
    new Map(),
  );
  await publishReleaseProvenance(provenance, release);
  const forged = /The registry rejects the provenance of carton-release-1\.0\.0-stable: .* is unknown/;
  await t.rejects(publishReleaseProvenance({ ...provenance, sign: forger }, release), { message: forged });
});

t.test('the address of a repository contains no credentials and no path of the machine', async (t) => {
  for (const [remote, address] of [
    ['https://user:secret@example.com/vendor/carton.git?token=secret', 'git+https://example.com/vendor/carton.git'],
    ['git@example.com:vendor/carton.git', 'git+ssh://example.com/vendor/carton.git'],
    ['ssh://git@example.com:2222/carton.git', 'git+ssh://example.com:2222/carton.git'],
    ['/srv/repositories/carton.git', undefined],
    ['file:///srv/repositories/carton.git', undefined],
    ['', undefined],
  ] as const)
    t.equal(publicAddress(remote), address, remote);
});
