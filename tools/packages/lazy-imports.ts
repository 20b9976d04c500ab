// Checks the lazy imports of a bundle. A CommonJS package that is imported lazily has no other export there than
// `default`, although Node finds its names when the sources run: `const { a } = await import('x')` then is undefined.

import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { type BuildOptions, build, type Metafile } from 'esbuild';
import { namesTaken } from './names-taken.ts';

/** Returns the exports that an imported module has in the bundle; undefined where it has all that Node finds. */
export type ExportsOf = (path: string) => readonly string[] | undefined;

/** The exports in a bundle that is split: each module that is imported lazily is the entry point of a file. */
export function exportsOfChunks({ outputs }: Metafile): ExportsOf {
  const chunks = new Map(Object.values(outputs).map(({ entryPoint, exports }) => [entryPoint, exports]));
  return (path) => chunks.get(path) ?? [];
}

/**
 * The exports in a bundle that is one CommonJS file. CommonJS packages keep all their names there. Others are bundled
 * again, each by itself, to learn theirs.
 */
export async function exportsOfModules({ inputs }: Metafile, options: BuildOptions): Promise<ExportsOf> {
  const imported = Object.values(inputs).flatMap(({ imports }) =>
    imports.filter(({ kind }) => kind === 'dynamic-import'),
  );
  const paths = imported.flatMap(({ path, external }) => (external || inputs[path]?.format !== 'esm' ? [] : [path]));
  const { metafile } = await build({
    ...options,
    entryPoints: [...new Set(paths)],
    format: 'esm',
    splitting: true,
    outdir: 'dist',
    write: false,
    metafile: true,
  });
  const exportsOf = exportsOfChunks(metafile);
  return (path) => (inputs[path]?.format === 'esm' ? exportsOf(path) : undefined);
}

/**
 * Checks that every name that a source takes from the `import()` of another package, or of another source, exists in
 * the bundle.
 * @param published prefixes of packages that are not in the bundle because they are published by themselves
 * @throws Error that names each file with the package and the names that are missing
 */
export async function checkLazyImports(
  root: string,
  { inputs }: Metafile,
  exportsOf: ExportsOf,
  published: readonly string[] = [],
): Promise<void> {
  const faults: string[] = [];
  for (const [file, { imports }] of Object.entries(inputs)) {
    const lazy = imports.filter(({ kind }) => kind === 'dynamic-import');
    if (lazy.length === 0 || isThirdParty(file)) continue;
    const paths = new Map(lazy.map((each) => [each.original ?? each.path, each]));
    for (const { specifier, names, isPassedOn } of await namesTaken(await readFile(join(root, file), 'utf8'))) {
      const { path, external } = paths.get(specifier) ?? {};
      if (path === undefined || isBuiltin(specifier) || published.some((prefix) => specifier.startsWith(prefix)))
        continue;
      const exported = external ? [] : exportsOf(path);
      if (exported === undefined) continue;
      const missing = names.filter((name) => !exported.includes(name));
      if (external) faults.push(`${file} imports ${specifier}, which is not in the bundle`);
      else if (missing.length > 0) faults.push(`${file} takes ${missing.join(', ')} of ${specifier}, ${has(exported)}`);
      else if (isPassedOn && inputs[path]?.format === 'cjs')
        faults.push(`${file} passes ${specifier} on as a whole, ${has(exported)}`);
    }
  }
  if (faults.length > 0) throw new Error(`${faults.join('; ')}.`);
}

function has(exported: readonly string[]): string {
  if (exported.length === 0) return 'which has no exports in the bundle';
  const listed = exported.length > 5 ? `${exported.slice(0, 5).join(', ')}, …` : exported.join(', ');
  const isCommonJs = exported.length === 1 && exported[0] === 'default';
  const advice = ': take the names from that (const { default: library } = await import(…))';
  return `of which the bundle has only ${listed}${isCommonJs ? advice : ''}`;
}

/** Also for modules that a plugin makes, such as the loaders of native libraries. */
function isThirdParty(path: string): boolean {
  return /(^|\/)node_modules\//.test(path) || /^[\w-]+:/.test(path);
}
