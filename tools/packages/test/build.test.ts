// Builds: the contents of the tarballs, that they run without the checkout, and that builds are reproducible.

import { execFile } from 'node:child_process';
import { mkdir, readFile, realpath, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { type BuiltPackage, buildPackages } from '../index.ts';
import { contentOf, makeFolder, makeWorkspace, migration, unpack } from './workspace.ts';

const run = promisify(execFile);
const find = (built: BuiltPackage[], name: string) => built.find((one) => one.name === name) as BuiltPackage;
const read = async (folder: string, path: string) => readFile(join(folder, path), 'utf8');

t.test('the tarballs of a checkout', async (t) => {
  const root = await makeWorkspace(t);
  const lines: string[] = [];
  const built = await buildPackages({ root, out: await makeFolder(t), log: (line) => lines.push(line) });
  t.strictSame(lines, [], 'no errors in the declarations');
  const summary = built.map(({ name, version, kind, tier, dependencies }) => ({
    name,
    version,
    kind,
    tier,
    dependencies,
  }));
  const platform = '@carton/postgresql-linux-x64';
  const needs = (name: string, range = '1.0.0', optional = false) => ({ name, range, optional });
  // The machine has the binaries of one platform, so the runtime names no other.
  const platforms = [needs(platform, '18.4.0-beta.17', true)];
  t.strictSame(summary, [
    { name: platform, version: '18.4.0-beta.17', kind: 'platform', tier: null, dependencies: [] },
    { name: '@carton/runtime', version: '1.0.0', kind: 'platform', tier: null, dependencies: platforms },
    {
      name: '@carton/base',
      version: '1.0.0',
      kind: 'product',
      tier: 'basic',
      dependencies: [needs('@carton/runtime')],
    },
    { name: '@carton/above', version: '1.0.0', kind: 'product', tier: 'growth', dependencies: [needs('@carton/base')] },
  ]);

  t.strictSame(await contentOf(find(built, '@carton/base').tarball), {
    LICENSE: 'File 644',
    'README.md': 'File 644',
    'dist/index.d.ts': 'File 644',
    'dist/index.js': 'File 644',
    'dist/types.d.ts': 'File 644',
    'migrations/20260301090000_base_create_things.js': 'File 644',
    'package.json': 'File 644',
  });
  t.strictSame(await contentOf(find(built, platform).tarball), {
    'LICENSE.md': 'File 644',
    'native/bin/postgres': 'File 755',
    'native/lib/libpq.so.5': 'File 644',
    'native/pg-symlinks.json': 'File 644',
    'package.json': 'File 644',
  });

  const folder = await makeFolder(t);
  for (const { name, tarball } of built) await unpack(folder, name, tarball);
  const base = join(folder, 'node_modules/@carton/base');
  t.strictSame(JSON.parse(await read(base, 'package.json')), {
    name: '@carton/base',
    version: '1.0.0',
    description: 'The base',
    license: 'SEE LICENSE IN LICENSE',
    type: 'module',
    exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' }, './package.json': './package.json' },
    dependencies: { '@carton/runtime': '1.0.0' },
    carton: { tier: 'basic', migrations: { '20260301090000_base_create_things.js': 'changing' } },
  });
  t.equal(await read(base, 'migrations/20260301090000_base_create_things.js'), migration, 'byte for byte');
  t.match(await read(base, 'dist/index.d.ts'), "from './types.js'");
  t.match(await read(base, 'dist/index.js'), 'from "@carton/runtime"');

  const runtime = JSON.parse(await read(folder, 'node_modules/@carton/runtime/package.json'));
  t.strictSame(
    Object.keys(runtime.exports),
    ['.', './main', './package.json'],
    'exports without a built file are not published',
  );
  t.strictSame(runtime.optionalDependencies, Object.fromEntries(platforms.map(({ name, range }) => [name, range])));
  t.strictSame(runtime.carton, { platform: true });
  const postgresql = JSON.parse(await read(folder, `node_modules/${platform}/package.json`));
  t.match(postgresql, { os: exactly(['linux']), cpu: exactly(['x64']), license: 'MIT', carton: { platform: true } });
  t.notOk(postgresql.scripts);
  t.match(await read(folder, 'node_modules/@carton/above/THIRD-PARTY-LICENSES.txt'), 'old-library 1.0.0 (MIT)');
  t.match(await read(folder, 'node_modules/@carton/above/THIRD-PARTY-LICENSES.txt'), 'Copyright old-library');

  const script = "import '@carton/runtime/main'; import { greeting } from '@carton/above'; console.log(greeting)";
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { cwd: folder });
  t.match(stdout, 'Hello above 1', 'both entry points of the runtime share their modules, and CommonJS is bundled');
});

t.test('the same sources give the same bytes in any folder', async (t) => {
  const [one, other] = [await makeWorkspace(t), await makeWorkspace(t)];
  const integrities = async (root: string) =>
    (await buildPackages({ root, out: await makeFolder(t) })).map(({ name, integrity }) => ({ name, integrity }));
  const first = await integrities(one);
  t.strictSame(await integrities(other), first);
  await writeFile(join(other, 'vendor/base/types.ts'), 'export type Named = { name: string; short?: string };\n');
  const changed = (await integrities(other)).filter(({ integrity }, index) => first[index]?.integrity !== integrity);
  t.strictSame(
    changed.map(({ name }) => name),
    ['@carton/base'],
    'a changed source changes the integrity',
  );
});

t.test('packages are built again only if a source or a tarball has changed', async (t) => {
  const root = await makeWorkspace(t);
  const out = await makeFolder(t);
  const build = () => buildPackages({ root, out });
  const inodes = (built: BuiltPackage[]) => Promise.all(built.map(async ({ tarball }) => (await stat(tarball)).ino));
  const first = await build();
  const before = await inodes(first);
  t.strictSame(await build(), first);
  t.strictSame(await inodes(first), before, 'the tarballs were not written again');

  await writeFile(find(first, '@carton/above').tarball, 'something else');
  t.strictSame(await build(), first, 'a changed tarball is built again');
  await writeFile(join(root, 'vendor/base/README.md'), '# base, explained\n');
  t.not(find(await build(), '@carton/base').integrity, find(first, '@carton/base').integrity);
});

t.test('only the requested packages are built', async (t) => {
  const root = await makeWorkspace(t);
  const out = await makeFolder(t);
  const built = await buildPackages({ root, out, only: ['@carton/base'] });
  t.strictSame(
    built.map(({ name }) => name),
    ['@carton/base'],
  );
  await t.rejects(buildPackages({ root, out, only: ['@carton/none'] }), /There is no package @carton\/none/);
});

t.test('an error names the package that cannot be built, and the cause', async (t) => {
  const root = await makeWorkspace(t);
  const out = await makeFolder(t);
  await writeFile(join(root, 'vendor/above/index.ts'), "export { x } from 'not-installed';\n");
  await t.rejects(buildPackages({ root, out }), /@carton\/above cannot be bundled: .*not-installed/s);
  await writeFile(join(root, 'vendor/above/package.json'), JSON.stringify({ name: '@carton/above', version: '1.0.0' }));
  await t.rejects(buildPackages({ root, out }), /@carton\/above has no tier/);
});

t.test('the real runtime runs from its tarball in a separate folder', async (t) => {
  const [runtime] = await buildPackages({ out: await makeFolder(t), only: ['@carton/runtime'] });
  const folder = await makeFolder(t);
  const target = await unpack(folder, '@carton/runtime', (runtime as BuiltPackage).tarball);
  const script = `
    const service = await import('@carton/runtime/service');
    const packages = await import('@carton/runtime');
    const knex = service.connect({ url: 'postgresql://nobody@127.0.0.1:9/none' });
    const refused = await knex.raw('select 1').then(() => 'no', (error) => error.code);
    await knex.destroy();
    const [engine] = service.migrationOwners([]);
    const suffixes = await Promise.all(['co.uk', 'shop.acme.co.uk'].map(packages.isPublicSuffix));
    console.log(JSON.stringify({ refused, suffixes, names: Object.keys(packages), folder: engine.folder }));
  `;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { cwd: folder });
  const { refused, suffixes, names, folder: ownFolder } = JSON.parse(stdout.trim().split('\n').at(-1) as string);
  t.equal(ownFolder, await realpath(target), 'its migrations are read from the package');
  t.equal(refused, 'ECONNREFUSED', 'knex and pg are in the bundle');
  t.strictSame(suffixes, [true, false], 'the list of public suffixes is loaded');
  const source = Object.keys(await import('@carton/runtime'));
  t.strictSame(names.sort(), source.sort(), 'the package exports what the source exports');
  // The page that loads them is tested in boxes that are installed (shipped/subjects/assets.ts).
  for (const asset of ['swagger-ui/swagger-ui-bundle.js', 'explorer/explorer.js', 'explorer/explorer.css']) {
    t.ok((await stat(join(target, 'dist/assets', asset))).size > 0, asset);
  }
});

t.test('a package that is not published is in the bundle of what uses it', async (t) => {
  const root = await makeWorkspace(t);
  await mkdir(join(root, 'durable-files'));
  const own = { name: '@carton/durable-files', version: '0.0.0', private: true, exports: { '.': './index.ts' } };
  await writeFile(join(root, 'durable-files/package.json'), JSON.stringify(own));
  await writeFile(join(root, 'durable-files/index.ts'), "export const flushed = (): string => 'to the disk';\n");
  const manifest = JSON.parse(await read(root, 'runtime/package.json'));
  const dependencies = { ...manifest.dependencies, '@carton/durable-files': '*' };
  await writeFile(join(root, 'runtime/package.json'), JSON.stringify({ ...manifest, dependencies }));
  const uses = "import { flushed } from '@carton/durable-files';\nexport const where: string = flushed();\n";
  await writeFile(join(root, 'runtime/index.ts'), `${uses}${await read(root, 'runtime/index.ts')}`);

  const out = await makeFolder(t);
  const built = find(await buildPackages({ root, out, only: ['@carton/runtime'] }), '@carton/runtime');
  t.strictSame(built.dependencies, [], 'it is not named, since no registry has it');
  const folder = await unpack(await makeFolder(t), built.name, built.tarball);
  const bundle = await read(folder, 'dist/index.js');
  t.match(bundle, /to the disk/);
  t.notMatch(bundle, /@carton\/durable-files/);

  await writeFile(join(root, 'durable-files/index.ts'), "export const flushed = (): string => 'to the folder';\n");
  const again = find(await buildPackages({ root, out, only: ['@carton/runtime'] }), '@carton/runtime');
  t.not(again.integrity, built.integrity, 'a change of it is a change of what uses it');
});
