// Type declarations of all packages, generated in one run of the TypeScript compiler.

import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { entryPoints, type Source, type Workspace } from './sources.ts';
import type { PackageFiles } from './tarball.ts';

/** Returns the path of the compiler's executable for this machine, which TypeScript's own module knows. */
async function findCompiler(): Promise<string> {
  const { default: executable } = await import(
    new URL('lib/getExePath.js', import.meta.resolve('typescript/package.json')).href
  );
  return executable();
}

export type Declarations = {
  /** Returns the declaration files of a package, by their path in it. */
  of(source: Source): Promise<PackageFiles>;
  /** The compiler's errors, one per line. They do not fail the build: `npm run check` checks types. */
  errors: string[];
};

/** Generates the declarations of these packages in a temporary folder under `out`, and passes them to `use`. */
export async function withDeclarations<Result>(
  { root }: Workspace,
  sources: Source[],
  out: string,
  use: (declarations: Declarations) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(out, '.types-'));
  const entries = sources.flatMap((each) =>
    entryPoints(each).map(({ subpath, source }) => ({ module: join(each.manifest.name, subpath), source })),
  );
  try {
    await writeFile(
      join(folder, 'tsconfig.json'),
      JSON.stringify({
        extends: join(root, 'tsconfig.json'),
        compilerOptions: {
          noEmit: false,
          declaration: true,
          emitDeclarationOnly: true,
          rewriteRelativeImportExtensions: true,
          rootDir: root,
          outDir: join(folder, 'types'),
          typeRoots: [join(root, 'node_modules', '@types')],
          // The compiler emits nothing for files found through a link in node_modules, and it is not determined which
          // path to a file it finds first.
          paths: Object.fromEntries(entries.map(({ module, source }) => [module, [source]])),
        },
        files: entries.map(({ source }) => source),
        include: [],
      }),
    );
    const errors = await compile(folder, root);
    return await use({
      of: (source) => collect(join(folder, 'types', relative(root, source.folder))),
      errors,
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs the compiler; returns the errors in the sources. Rejects if it cannot run. */
async function compile(project: string, root: string): Promise<string[]> {
  const options = { cwd: root, maxBuffer: 64 * 1024 * 1024 };
  try {
    await promisify(execFile)(await findCompiler(), ['-p', project, '--pretty', 'false'], options);
    return [];
  } catch (error) {
    const { stdout, stderr, message } = error as Error & { stdout?: string; stderr?: string };
    const errors = (stdout ?? '').split('\n').filter((line) => line.includes('error TS'));
    if (errors.length === 0) throw new Error(`The TypeScript compiler failed: ${stderr || stdout || message}`);
    return errors;
  }
}

async function collect(folder: string): Promise<PackageFiles> {
  const files: PackageFiles = new Map();
  for (const entry of await readdir(folder, { recursive: true }).catch(() => [])) {
    if (!entry.endsWith('.d.ts')) continue;
    const text = await readFile(join(folder, entry), 'utf8');
    files.set(`dist/${entry.split(sep).join('/')}`, { content: withJsImports(text) });
  }
  return files;
}

/** Rewrites imports of `./x.ts` to `./x.js`, which the compiler does in programs but not in declarations. */
function withJsImports(text: string): string {
  return text.replace(/((?:\bfrom|\bimport)\s*\(?\s*)(['"])(\.{1,2}\/[^'"]+)\.ts\2/g, '$1$2$3.js$2');
}
