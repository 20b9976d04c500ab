/**
 * Compares each package.json of the project with the sources beside it; exits 1 and lists the differences.
 *
 * `dependencies` are what a package needs where it is installed: what its sources import, types included, since its
 * published declarations name them; what they resolve by name; and the packages whose tables its migrations reference.
 * What only its tests and `testing/` import belongs in `devDependencies`, its own or the root's. The root's sources may
 * import every workspace; the root's `devDependencies` are what its sources, all tests and the commands use.
 *
 * The folder of another project may be passed as an argument.
 */
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { cruise, type ICruiseResult } from 'dependency-cruiser';
import { folderOf, runCommand } from '../../tools/command-line.ts';

interface Manifest {
  name?: string;
  workspaces?: string[];
  scripts?: Record<string, string>;
  bin?: string | Record<string, string>;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

/** A folder with a package.json, and what its sources use: each name with the first file that uses it. */
interface Workspace {
  /** Relative to the project; empty for the root. */
  folder: string;
  manifest: Manifest;
  shipped: Map<string, string>;
  tests: Map<string, string>;
}

type Reader = (file: string) => Promise<string>;

async function findWorkspaces(read: Reader, root: string): Promise<Workspace[]> {
  const workspace = async (folder: string): Promise<Workspace> => ({
    folder,
    manifest: JSON.parse(await read(join(folder, 'package.json'))),
    shipped: new Map(),
    tests: new Map(),
  });
  const first = await workspace('');
  const folders = await Promise.all(
    (first.manifest.workspaces ?? []).map(async (pattern) => {
      if (!pattern.endsWith('/*')) return [pattern];
      const entries = await readdir(join(root, dirname(pattern)), { withFileTypes: true });
      return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(dirname(pattern), name));
    }),
  );
  return [first, ...(await Promise.all(folders.flat().sort().map(workspace)))];
}

/** Packages that a source resolves by name without importing them. */
const resolvedByName =
  /(?:\bcreateRequire\(import\.meta\.url\)|\brequire|\bimport\.meta)\.resolve\('([@a-z][^':]*)'\)/g;

/** Returns `@scope/name` for `@scope/name/part`, and `name` for `name/part`. */
function packageOf(module: string): string {
  return module.split('/', module.startsWith('@') ? 2 : 1).join('/');
}

/** Returns the packages that each source imports; Node's own modules count as `node`. */
async function readImports(root: string, folders: string[]): Promise<Map<string, string[]>> {
  const options = { baseDir: root, parser: 'swc', doNotFollow: '(^|/)node_modules/' } as const;
  const { modules } = (await cruise(folders, options)).output as ICruiseResult;
  const sources = modules.filter(
    ({ source, coreModule, couldNotResolve }) => !coreModule && !couldNotResolve && !source.includes('node_modules/'),
  );
  return new Map(
    sources.map(({ source, dependencies }) => {
      const packages = dependencies.filter(({ module }) => !/^[./]/.test(module));
      return [source, packages.map(({ module, coreModule }) => (coreModule ? 'node' : packageOf(module)))];
    }),
  );
}

/** Records what each workspace uses; returns the text of all sources. */
async function recordUses(workspaces: Workspace[], read: Reader, root: string): Promise<string> {
  const { include } = JSON.parse(await read('tsconfig.json')) as { include: string[] };
  const deepestFirst = [...workspaces].sort((a, b) => b.folder.length - a.folder.length);
  const ownerOf = (file: string) =>
    deepestFirst.find(({ folder }) => folder === '' || file.startsWith(`${folder}/`)) as Workspace;

  const texts: string[] = [];
  const tables = new Map<string, string>();
  const mentioned: { file: string; table: string }[] = [];
  for (const [file, imported] of [...(await readImports(root, include))].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const text = await read(file);
    texts.push(text);
    const { manifest, shipped, tests } = ownerOf(file);
    const uses = /\/(test|testing)\//.test(file) ? tests : shipped;
    const resolved = [...text.matchAll(resolvedByName)].map(([, module]) => packageOf(module as string));
    for (const name of [...imported, ...resolved]) {
      if (name !== manifest.name && !uses.has(name)) uses.set(name, file);
    }
    if (!file.includes('/migrations/') || uses === tests) continue;
    for (const [, table] of text.matchAll(/\bcreate table (?:if not exists )?(\w+)/g))
      tables.set(table as string, manifest.name ?? '');
    for (const [, table] of text.matchAll(/\b(?:references|from|join|update|into|table)\s+(\w+)/g))
      mentioned.push({ file, table: table as string });
  }
  for (const { file, table } of mentioned) {
    const { manifest, shipped } = ownerOf(file);
    const owner = tables.get(table);
    if (owner !== undefined && owner !== manifest.name && !shipped.has(owner)) shipped.set(owner, file);
  }
  return texts.join('\n');
}

/** Returns whether a script of package.json or a source runs a package, by its own name or that of a command. */
async function isTool(name: string, folder: string, read: Reader, texts: string): Promise<boolean> {
  const manifestPath = join('node_modules', name, 'package.json');
  const text = await read(join(folder, manifestPath)).catch(() => read(manifestPath));
  const { bin = {} }: Manifest = JSON.parse(text);
  const words = [name, ...(typeof bin === 'string' ? [] : Object.keys(bin))];
  return words.some((word) => new RegExp(`(?<![\\w@/.-])${word}(?![\\w/-])`).test(texts));
}

/** Returns the faults of a workspace's package.json, a line each. */
async function faultsOf(workspace: Workspace, all: Workspace[], read: Reader, texts: string): Promise<string[]> {
  const { folder, manifest, shipped, tests } = workspace;
  const [root] = all as [Workspace];
  const isRoot = workspace === root;
  const { dependencies = {}, devDependencies = {} } = manifest;
  const faults: string[] = [];
  const report = (fault: string) => faults.push(`${join(folder, 'package.json')}: ${fault}`);

  const known = new Set(isRoot ? all.map((each) => each.manifest.name) : []);
  const declared = { ...root.manifest.devDependencies, ...dependencies, ...devDependencies };
  for (const [name, file] of [...shipped].sort()) {
    if (name === 'node' || known.has(name)) continue;
    if (!(name in (isRoot ? declared : dependencies))) report(`${name} is not in dependencies, and ${file} uses it`);
  }
  for (const [name, file] of [...tests].sort()) {
    if (name === 'node' || known.has(name) || shipped.has(name) || name in declared) continue;
    report(`${name} is not in devDependencies, and ${file} uses it`);
  }

  for (const name of Object.keys(dependencies)) {
    if (shipped.has(name)) continue;
    report(`${name} is in dependencies, and ${tests.has(name) ? 'only tests use it' : 'nothing uses it'}`);
  }
  const users = isRoot ? all : [workspace];
  const isUsed = (name: string) => users.some((user) => user.shipped.has(name) || user.tests.has(name));
  const runsTools = isRoot || (shipped.size === 0 && tests.size === 0);
  for (const name of Object.keys(devDependencies)) {
    const typed = name.startsWith('@types/') ? name.slice('@types/'.length).replace('__', '/') : undefined;
    const isNeeded = isUsed(name) || (typed?.includes('/') ? isUsed(`@${typed}`) : typed && isUsed(typed));
    if (isNeeded) continue;
    if (runsTools && !typed && (await isTool(name, folder, read, texts))) continue;
    report(`${name} is in devDependencies, and nothing uses it`);
  }
  return faults;
}

const help = `Usage: npm run declared -- [folder]

Compares the dependencies in each package.json with what the sources beside it
import, and lists the differences.

  folder  another project than this one
  --help  this text

Exit codes: 0 no difference, 1 differences, 2 wrong usage.
`;

await runCommand({ name: 'npm run declared', help, most: 1 }, async ({ positionals }) => {
  const root = folderOf(positionals, join(import.meta.dirname, '../..'));
  const read: Reader = (file) => readFile(join(root, file), 'utf8');
  const workspaces = await findWorkspaces(read, root);
  const sources = await recordUses(workspaces, read, root);
  const texts = `${Object.values(workspaces[0]?.manifest.scripts ?? {}).join('\n')}\n${sources}`;
  const faults: string[] = [];
  for (const workspace of workspaces) faults.push(...(await faultsOf(workspace, workspaces, read, texts)));
  if (faults.length > 0) {
    process.stderr.write(
      `declared dependencies differ from those in use\n${faults.map((fault) => `  ${fault}\n`).join('')}`,
    );
    return 1;
  }
  process.stdout.write(`declared dependencies match those in use: ${workspaces.length} package.json files\n`);
  return 0;
});
