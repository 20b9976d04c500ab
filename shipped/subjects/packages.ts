/**
 * The installed packages, file by file: everything that they name is there, and each of their modules can be loaded.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile, realpath } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { packageName } from '../../runtime/vendor.ts';
import { unusedModules } from '../../tools/packages/bundle.ts';
import { type Manifest, readWorkspace, repository } from '../../tools/packages/sources.ts';
import { boxFolder } from '../../tools/shipped-stack/settings.ts';
import { subjectOfLazyModule } from '../lazy-modules.ts';
import { subject } from '../subject.ts';

/** Modules that start something when they are loaded. */
const programs = ['dist/main.js', 'dist/check-settings.js', 'dist/compute.js'];

interface InstalledPackage {
  name: string;
  folder: string;
  manifest: Manifest;
  /** Paths in the folder. */
  files: string[];
}

async function readInstalled(modules: string): Promise<InstalledPackage[]> {
  const scope = dirname(packageName('runtime'));
  const names = (await readdir(join(modules, scope))).map((name) => `${scope}/${name}`);
  return Promise.all(
    names.map(async (name) => {
      const folder = await realpath(join(modules, name));
      const entries = await readdir(folder, { recursive: true, withFileTypes: true });
      const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
      const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;
      return { name, folder, manifest, files: files.map((file) => relative(folder, file)).sort() };
    }),
  );
}

/**
 * What modules import from elsewhere, lazily or not, as esbuild finds it.
 * @throws Error that names what they import of their own package and is not there
 */
async function importsOf(folder: string, files: readonly string[]): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: folder,
    entryPoints: [...files],
    outdir: 'unused',
    write: false,
    metafile: true,
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node24',
    logLevel: 'silent',
  });
  const all = Object.values(metafile.outputs).flatMap(({ imports }) => imports);
  return [...new Set(all.flatMap(({ path, external }) => (external ? [path] : [])))].sort();
}

/** The sources that are shipped. */
async function listSourceFiles(): Promise<string[]> {
  const found: string[] = [];
  for (const folder of ['durable-files', 'runtime', 'vendor', 'control-plane', 'installer']) {
    const files = await readdir(join(repository, folder), { recursive: true });
    const own = files.filter((path) => path.endsWith('.ts') && !/(^|\/)(node_modules|test|testing|dist)\//.test(path));
    found.push(...own.map((path) => join(folder, path)));
  }
  return found;
}

subject('packages', async (t, { settings }) => {
  const modules = join(boxFolder(settings), 'current', 'node_modules');
  const installed = await readInstalled(modules);
  const own = installed.filter(({ files }) => files.includes('dist/index.js'));
  const { packages } = await readWorkspace(repository);

  await t.test('all packages are installed', async (t) => {
    const expected = [packageName('runtime'), ...packages.map(({ manifest }) => manifest.name)].sort();
    t.strictSame(own.map(({ name }) => name).sort(), expected);
  });

  await t.test('what package.json names is there', async (t) => {
    for (const { name, manifest, files } of installed) {
      const targets = Object.values(manifest.exports ?? {}).flatMap((target) =>
        typeof target === 'string' ? [target] : Object.values(target),
      );
      const missing = [...targets, manifest.main].filter((path) => typeof path === 'string').map((path) => join(path));
      t.strictSame(
        missing.filter((path) => !files.includes(path)),
        [],
        name,
      );
    }
  });

  await t.test('migrations, README and licences are there', async (t) => {
    for (const { manifest, folder } of packages) {
      const found = installed.find(({ name }) => name === manifest.name);
      const sources = existsSync(join(folder, 'migrations')) ? await readdir(join(folder, 'migrations')) : [];
      const migrations = sources.filter((name) => name.endsWith('.js')).map((name) => `migrations/${name}`);
      const missing = [...migrations, 'README.md', 'LICENSE'].filter((path) => !found?.files.includes(path));
      t.strictSame(missing, [], manifest.name);
    }
  });

  await t.test('what modules import is there, or declared', async (t) => {
    for (const { name, folder, manifest, files } of own) {
      const declared = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies });
      const isKnown = (imported: string) =>
        isBuiltin(imported) ||
        unusedModules.includes(imported) ||
        declared.some((each) => imported === each || imported.startsWith(`${each}/`));
      const modules = files.filter((path) => /^dist\/[^/]*\.js$/.test(path));
      const imports = await importsOf(folder, modules).catch((error: Error) => error);
      const unknown = imports instanceof Error ? imports.message : imports.filter((each) => !isKnown(each));
      t.strictSame(unknown, [], name);
    }
  });

  await t.test('each module can be loaded', async (t) => {
    const files = own.flatMap(({ folder, files }) =>
      files
        .filter((path) => /^dist\/[^/]*\.js$/.test(path) && !programs.includes(path))
        .map((path) => join(folder, path)),
    );
    // A chunk that runs the box belongs to a program.
    const code = `for (const file of ${JSON.stringify(files)}) {
      if ((await import('node:fs')).readFileSync(file, 'utf8').includes('runService(')) continue;
      try { await import(file); } catch (error) { console.log(file + ': ' + error.message); }
    }
    process.exit(0);`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code], {
      cwd: modules,
      env: {},
    });
    t.strictSame(stdout, '', `${files.length} modules`);
  });

  await t.test('each library that is loaded lazily is needed by a subject', async (t) => {
    const found = new Set<string>();
    for (const path of await listSourceFiles()) {
      const code = await readFile(join(repository, path), 'utf8');
      for (const [, name = ''] of code.matchAll(/\bimport\('([^.'][^']*)'\)/g)) found.add(name);
    }
    t.strictSame([...found].sort(), Object.keys(subjectOfLazyModule).sort(), 'shipped/lazy-modules.ts has all');
    for (const [name, needs] of Object.entries(subjectOfLazyModule)) {
      t.ok(existsSync(join(import.meta.dirname, `${needs}.ts`)), `${name}: ${needs}`);
    }
  });
});
