// Bundles a package's entry points into `dist`, with third-party code and without the vendor's other packages.

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';
import { checkLazyImports, exportsOfChunks } from './lazy-imports.ts';
import { type NativeLibrary, nativeLoader } from './native.ts';
import type { BundledSource, EntryPoint } from './sources.ts';
import type { PackageFiles } from './tarball.ts';

/** Optional modules that are not used: drivers of other databases, which knex loads on demand, and extras of pg. */
export const unusedModules = [
  'better-sqlite3',
  'cloudflare:sockets',
  'mariadb',
  'mariadb/*',
  'mysql',
  'mysql2',
  'oracledb',
  'pg-native',
  'pg-query-stream',
  'sqlite3',
  'tedious',
];

/** The globals that CommonJS code in an ES module expects. */
const commonJsGlobals = [
  "import { createRequire as createRequireOfBundle } from 'node:module';",
  "import { dirname as dirnameOfBundle } from 'node:path';",
  "import { fileURLToPath as pathOfBundle } from 'node:url';",
  'const require = createRequireOfBundle(import.meta.url);',
  'const __filename = pathOfBundle(import.meta.url);',
  'const __dirname = dirnameOfBundle(__filename);',
  '',
].join('\n');

export type Bundle = {
  files: PackageFiles;
  /** Folders of the third-party packages whose code is in the bundle, sorted. */
  bundled: string[];
};

/**
 * Bundles with esbuild into ES modules for Node 24. Entry points share their modules in chunks, so each module has one
 * instance. Libraries with native code are not bundled: they are replaced by code that loads them for the platform.
 * @throws Error with esbuild's messages, or for a name that a lazy import takes and the bundle does not have
 */
export async function bundle(
  root: string,
  entries: EntryPoint[],
  external: string[],
  libraries: readonly NativeLibrary[] = [],
  own: readonly BundledSource[] = [],
): Promise<Bundle> {
  const outdir = join(root, 'dist');
  const result = await build({
    absWorkingDir: root,
    entryPoints: Object.fromEntries(entries.map(({ name, source }) => [name, source])),
    outdir,
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'silent',
    external: [...external, ...unusedModules],
    plugins: [inlineExplorerTemplate, loadNative(libraries), bundleOwn(own)],
  });
  const published = external.map((pattern) => pattern.replace(/\*$/, ''));
  await checkLazyImports(root, result.metafile, exportsOfChunks(result.metafile), published);
  const globals = hasCommonJs(result.metafile) ? commonJsGlobals : '';
  const files: PackageFiles = new Map();
  for (const { path, text } of result.outputFiles) {
    files.set(`dist/${relative(outdir, path).split(sep).join('/')}`, { content: globals + text });
  }
  return { files, bundled: bundledPackages(root, result.metafile) };
}

/** Whether the bundle contains CommonJS code. */
function hasCommonJs({ inputs, outputs }: Metafile): boolean {
  return Object.values(outputs).some((output) =>
    Object.keys(output.inputs).some((path) => inputs[path]?.format === 'cjs'),
  );
}

function bundledPackages(root: string, { outputs }: Metafile): string[] {
  const folders = new Set<string>();
  for (const output of Object.values(outputs)) {
    for (const path of Object.keys(output.inputs)) {
      const folder = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0];
      if (folder !== undefined) folders.add(join(root, folder));
    }
  }
  return [...folders].sort();
}

/** The API explorer's middleware reads its page template from its own folder, which a bundle does not have. */
const inlineExplorerTemplate: Plugin = {
  name: 'inline-explorer-template',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]koa2-swagger-ui[\\/]dist[\\/]index\.js$/ }, async ({ path }) => {
      const code = await readFile(path, 'utf8');
      const template = await readFile(join(dirname(path), 'index.hbs'), 'utf8');
      const readStatement = "(0, fs_1.readFileSync)((0, path_1.join)(__dirname, './index.hbs'), 'utf-8')";
      if (!code.includes(readStatement)) throw new Error(`${path} reads its template in a new way: adapt this plugin`);
      return { contents: code.replace(readStatement, () => JSON.stringify(template)), loader: 'js' };
    });
  },
};

/** Resolves packages that are not published, before `external` applies to their scope. */
function bundleOwn(sources: readonly BundledSource[]): Plugin {
  const paths = new Map(sources.map(({ name, source }) => [name, source]));
  return {
    name: 'bundle-own',
    setup({ onResolve }) {
      onResolve({ filter: /^@/ }, ({ path }) => (paths.has(path) ? { path: paths.get(path) } : undefined));
    },
  };
}

function loadNative(libraries: readonly NativeLibrary[]): Plugin {
  const byEntry = new Map(libraries.map((library) => [library.entry, library]));
  return {
    name: 'load-native',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^[^./]/ }, ({ path }) => (byEntry.has(path) ? { path, namespace: 'native' } : undefined));
      onLoad({ filter: /.*/, namespace: 'native' }, ({ path }) => ({
        contents: nativeLoader(byEntry.get(path) as NativeLibrary),
        loader: 'js',
      }));
    },
  };
}

/** The files that the explorer serves from `dist/assets/`; none if swagger-ui is not installed. */
export function explorerAssets(folder: string): PackageFiles {
  const files: PackageFiles = new Map();
  let assets: string;
  try {
    assets = dirname(createRequire(join(folder, 'package.json')).resolve('swagger-ui-dist/package.json'));
  } catch {
    return files;
  }
  for (const name of [
    'swagger-ui.css',
    'swagger-ui-bundle.js',
    'swagger-ui-standalone-preset.js',
    'LICENSE',
    'NOTICE',
  ]) {
    files.set(`dist/assets/swagger-ui/${name}`, { from: join(assets, name) });
  }
  for (const name of ['explorer.css', 'explorer.js', 'favicon.svg']) {
    files.set(`dist/assets/explorer/${name}`, { from: join(folder, 'openapi', 'assets', name) });
  }
  return files;
}
