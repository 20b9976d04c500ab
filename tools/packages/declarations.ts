// Type declarations of all packages, made in one run of the TypeScript compiler.

import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { entryPoints, type Source, type Workspace } from './sources.ts';
import type { PackageFiles } from './tarball.ts';

/** The compiler is a separate program; TypeScript's own module has its path on this machine. */
async function findCompiler(): Promise<string> {
  const { default: executable } = await import(
    new URL('lib/getExePath.js', import.meta.resolve('typescript/package.json')).href
  );
  return executable();
}

export type Declarations = {
  /** The declaration files of one package, by their path in it. */
  of(source: Source): Promise<PackageFiles>;
  /** The compiler's errors, a line each. They stop no build: checking types is `npm run check`. */
  complaints: string[];
};

/** Makes the declarations of these packages in a folder of its own under `out`, and passes them to `use`. */
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
          // What is found through a link in node_modules counts as a library, for which nothing is emitted; which way
          // the compiler finds a file first is left to chance.
          paths: Object.fromEntries(entries.map(({ module, source }) => [module, [source]])),
        },
        files: entries.map(({ source }) => source),
        include: [],
      }),
    );
    const complaints = await compile(folder, root);
    return await use({
      of: (source) => collect(join(folder, 'types', relative(root, source.folder))),
      complaints,
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs the compiler; returns the errors it found in the sources. Rejects when it could not run. */
async function compile(project: string, root: string): Promise<string[]> {
  const options = { cwd: root, maxBuffer: 64 * 1024 * 1024 };
  try {
    await promisify(execFile)(await findCompiler(), ['-p', project, '--pretty', 'false'], options);
    return [];
  } catch (error) {
    const { stdout, stderr, message } = error as Error & { stdout?: string; stderr?: string };
    const complaints = (stdout ?? '').split('\n').filter((line) => line.includes('error TS'));
    if (complaints.length === 0) throw new Error(`The TypeScript compiler failed: ${stderr || stdout || message}`);
    return complaints;
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

/** The compiler rewrites `./x.ts` to `./x.js` in programs but not in declarations. */
function withJsImports(text: string): string {
  return text.replace(/((?:\bfrom|\bimport)\s*\(?\s*)(['"])(\.{1,2}\/[^'"]+)\.ts\2/g, '$1$2$3.js$2');
}
