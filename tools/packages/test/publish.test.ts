// Publishing to the gated registry with npm's own client.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startRegistry } from '@carton/registry';
import { exactly } from '@carton/runtime/testing';
import t, { type Test } from 'tap';
import { buildPackages, publishPackages } from '../index.ts';
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

t.test('the command', async (t) => {
  const command = fileURLToPath(new URL('../../../scripts/publish-packages.ts', import.meta.url));
  // Not spawnSync: the registry runs in this process.
  const call = async (parameters: string[], environment: Record<string, string> = {}) => {
    const child = spawn(process.execPath, ['--conditions=workspace-source', command, ...parameters], {
      env: { PATH: process.env.PATH, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [stdout, stderr, [status]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ]);
    return { status, stdout, stderr };
  };
  const help = await call(['--help']);
  t.equal(help.status, 0);
  t.match(help.stdout, /Usage: npm run publish:packages/);
  t.match(await call(['--nonsense']), { status: 2, stderr: /nonsense/ });
  t.match(await call([]), { status: 2, stderr: /PUBLISH_SECRET is not set/ });
  const registry = await makeRegistry(t);
  const options = ['--registry', registry.url, '--only', '@carton/runtime', '--out', await makeFolder(t)];
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
