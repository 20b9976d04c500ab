// Lazy imports: a build fails if a source takes a name that the bundle does not have, in whichever way it takes it.

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import t, { type Test } from 'tap';
import { bundle } from '../bundle.ts';
import { buildPackages } from '../index.ts';
import { checkLazyImports, exportsOfModules } from '../lazy-imports.ts';
import { namesTaken } from '../names-taken.ts';
import { makeFolder, makeWorkspace } from './workspace.ts';

/** Node finds `greet` and `part` of the CommonJS package; the ES module is the same for Node and in the bundle. */
const libraries = {
  'node_modules/old/package.json': '{ "name": "old", "version": "1.0.0", "license": "MIT", "main": "index.js" }',
  'node_modules/old/index.js': "exports.greet = () => 'Hello';\nexports.part = { greet: exports.greet };\n",
  'node_modules/new/package.json':
    '{ "name": "new", "version": "1.0.0", "license": "MIT", "type": "module", "exports": "./index.js" }',
  'node_modules/new/index.js': "export const greet = () => 'Hello';\nexport default { greet };\n",
};

async function writeFiles(root: string, files: Record<string, string>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
}

/** Bundles a source; returns the message of the fault, null without one. */
async function faultOf(t: Test, source: string, files: Record<string, string> = {}): Promise<string | null> {
  const root = await makeFolder(t);
  await writeFiles(root, { ...libraries, ...files, 'vendor/a/index.ts': source });
  const entry = { subpath: '.', name: 'index', source: join(root, 'vendor/a/index.ts') };
  return bundle(root, [entry], ['@carton/*']).then(
    () => null,
    (error: Error) => error.message,
  );
}

const advice = 'of which the bundle has only default: take the names from that';

/** How a source takes the names `greet` of a package. */
const ways: Record<string, string> = {
  'a pattern': "export const f = async () => { const { greet } = await import('x'); return greet(); };",
  'a pattern with another name':
    "export const f = async () => { const { greet: hail } = await import('x'); return hail; };",
  'a pattern of an assignment':
    "let greet: unknown; export const f = async () => { ({ greet } = await import('x')); };",
  'a property': "export const f = async () => (await import('x')).greet();",
  'an optional property': "export const f = async () => (await import('x'))?.greet?.();",
  'a property in brackets': "export const f = async () => (await import('x'))['greet']();",
  'a property of a typed module': 'export const f = async () => ((await import(`x`)) as { greet(): void }).greet();',
  'a constructor': "export const f = async () => new (await import('x')).greet();",
  'a variable': "export const f = async () => { const all = await import('x'); return () => all.greet(); };",
  'a pattern of a variable':
    "export const f = async () => { const all = await import('x'); const { greet } = all; return greet; };",
  'a variable of the module': "const all = await import('x'); export function f() { return all!.greet(); }",
  'a variable that keeps it':
    "let kept: typeof import('x') | undefined; export async function f() { kept ??= await import('x'); return kept.greet(); }",
  'a variable that keeps the promise':
    "let kept; export const f = async () => { if (!kept) kept = import('x'); return (await kept).greet(); };",
  'the value of an assignment':
    "let kept; export const f = async () => { return (await (kept ??= import('x'))).greet(); };",
  'a function': "export const f = () => import('x').then(({ greet }) => greet());",
  'a function with a variable': "export const f = () => import('x').then(function (all) { return all.greet(); });",
  'two functions': "export const f = () => import('x').then((all) => all).then((all) => all.greet()).catch(() => {});",
  'a list':
    "export const f = async () => { const [, { greet }] = await Promise.all([1, import('x')]); return greet; };",
  'a list in a variable':
    "export const f = async () => { const both = await Promise.all([import('x'), 1]); return both[0].greet; };",
  'a list and a function': "export const f = () => Promise.all([import('x')]).then(([{ greet }]) => greet());",
  'a function that loads': "const load = () => import('x'); export const f = async () => (await load()).greet();",
  'a function that waits and loads':
    "export const f = async () => (await load()).greet(); async function load() { return await import('x'); }",
};

t.test('a name of a CommonJS package fails the build, and one of an ES module does not', async (t) => {
  for (const [way, source] of Object.entries(ways)) {
    const fault = await faultOf(t, source.replaceAll(/(['`])x\1/g, "'old'"));
    t.match(fault, `vendor/a/index.ts takes greet of old, ${advice}`, way);
    t.equal(await faultOf(t, source.replaceAll(/(['`])x\1/g, "'new'")), null, `${way} of an ES module`);
    t.strictSame(
      await namesTaken(source),
      [{ specifier: 'x', names: ['greet'], isPassedOn: false }],
      `${way}: nothing but the name`,
    );
  }
});

t.test('names of the default export are in the bundle', async (t) => {
  const sources = [
    "export const f = async () => { const { default: old } = await import('old'); return old.greet(); };",
    "export const f = async () => (await import('old')).default.part.greet();",
    "export const f = () => import('old').then(({ default: { greet } }) => greet());",
    "await import('old');",
    // The parameter of the same name is another variable.
    "const old = await import('old'); export const f = (old: { greet(): string }) => old.greet(); old.default;",
  ];
  for (const source of sources) t.equal(await faultOf(t, source), null, source);
});

t.test('a CommonJS package that is passed on fails the build, since its names may be taken anywhere', async (t) => {
  const sources = [
    "export const load = () => import('old');",
    "export async function load() { return import('old'); }",
    "const load = async () => await import('old'); export { load };",
    "export const old = await import('old');",
    "const old = await import('old'); console.log(old);",
    "const { ...old } = await import('old'); console.log(old.greet);",
    "const name = process.argv[2]!; console.log((await import('old'))[name]);",
    "const cache = { old: await import('old') }; console.log(cache.old.greet);",
    "class Cache { load() { return import('old'); } } console.log(new Cache());",
    "const all = await Promise.all([import('old')]); console.log(all);",
    "import('old').then(console.log);",
  ];
  for (const source of sources) {
    t.match(await faultOf(t, source), `vendor/a/index.ts passes old on as a whole, ${advice}`, source);
    t.equal(await faultOf(t, source.replaceAll("'old'", "'new'")), null, `an ES module: ${source}`);
  }
});

t.test('all faults are reported, with their files', async (t) => {
  const source = "import './other.ts'; export const f = async () => (await import('new')).missing();";
  const other = `const { greet, part } = await import('old'); console.log(greet, part, await import('pg-native'));
    console.log((await import('./own.ts')).greet);`;
  const fault = await faultOf(t, source, { 'vendor/a/other.ts': other, 'vendor/a/own.ts': "export * from 'old';\n" });
  t.match(fault, 'vendor/a/index.ts takes missing of new, of which the bundle has only default, greet');
  t.match(fault, `vendor/a/other.ts takes greet, part of old, ${advice}`);
  t.match(fault, 'vendor/a/other.ts imports pg-native, which is not in the bundle');
  t.match(fault, 'vendor/a/other.ts takes greet of ./own.ts, which has no exports in the bundle');
});

t.test('builtin modules and packages that are published by themselves are not in the bundle', async (t) => {
  const source = "export const f = async () => [(await import('node:fs')).readFile, (await import('@carton/a')).b];";
  t.equal(await faultOf(t, source), null);
});

t.test('the build of the packages names the package', async (t) => {
  const root = await makeWorkspace(t);
  await writeFile(
    join(root, 'vendor/above/index.ts'),
    "export const f = async () => (await import('old-library')).greet('you');\n",
  );
  await t.rejects(buildPackages({ root, out: await makeFolder(t) }), {
    message: /@carton\/above cannot be bundled: vendor\/above\/index.ts takes greet of old-library, /,
  });
});

t.test('in one CommonJS file, as the installer is, names of ES modules are checked; CommonJS has all', async (t) => {
  const check = async (source: string) => {
    const root = await makeFolder(t);
    await writeFiles(root, { ...libraries, 'installer/cli.ts': source });
    const shared = { absWorkingDir: root, bundle: true, platform: 'node', logLevel: 'silent' } as const;
    const entryPoints = [join(root, 'installer/cli.ts')];
    const { metafile } = await build({ ...shared, entryPoints, format: 'cjs', write: false, metafile: true });
    await checkLazyImports(root, metafile, await exportsOfModules(metafile, shared));
  };
  await check("import('new').then(({ greet }) => greet()); import('old').then(({ greet }) => greet());");
  await t.rejects(check("import('new').then(({ missing }) => missing());"), {
    message: /^installer\/cli.ts takes missing of new, of which the bundle has only default, greet\.$/,
  });
});
