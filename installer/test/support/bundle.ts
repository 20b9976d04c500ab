/**
 * Programs that tests start hundreds of times, each bundled once into one CommonJS file: to load a hundred modules takes more
 * CPU time than most of what they do. A bundle is made again when a file in it has changed.
 */
import { createHash } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { makeOwnFolder } from './own-folder.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const folder = join(tmpdir(), `installer-test-bundles-${process.getuid?.()}`);

/** Processes of tests share compiled code. */
export const compileCache = join(folder, 'compile-cache');

/** What is known of a bundle: the digest of each file in it, by path. */
interface Bundle {
  path: string;
  inputs: Record<string, string>;
}

/** Returns the path of the bundle of a program. @param entry its path in the source tree */
export async function bundleOf(entry: string): Promise<string> {
  makeOwnFolder(folder, 0o700);
  const name = basename(entry, '.ts');
  const record = join(folder, `${createHash('sha256').update(join(root, entry)).digest('hex').slice(0, 16)}.json`);
  const known: Bundle | undefined = await readFile(record, 'utf8').then(JSON.parse, () => undefined);
  if (known && (await isCurrent(known))) return known.path;

  const partial = `${record}.${process.pid}`;
  const { metafile } = await build({
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node24',
    metafile: true,
    logLevel: 'error',
    conditions: ['workspace-source'],
    absWorkingDir: root,
    plugins: [keepPaths],
    entryPoints: [entry],
    outfile: `${partial}.cjs`,
  });
  const inputs: Record<string, string> = {};
  for (const path of Object.keys(metafile.inputs)) inputs[path] = await digestOf(path);
  const text = await readFile(`${partial}.cjs`);
  // Its digest is in its name, so that a test that runs is not given another program.
  const path = join(folder, `${name}-${createHash('sha256').update(text).digest('hex').slice(0, 16)}.cjs`);
  await rename(`${partial}.cjs`, path);
  await writeFile(partial, JSON.stringify({ path, inputs } satisfies Bundle));
  await rename(partial, record);
  return path;
}

async function isCurrent({ path, inputs }: Bundle): Promise<boolean> {
  const digests = Object.entries(inputs).map(async ([input, digest]) => digest === (await digestOf(input)));
  const exists = await readFile(path).then(
    () => true,
    () => false,
  );
  return exists && (await Promise.all(digests)).every(Boolean);
}

async function digestOf(path: string): Promise<string> {
  const content = await readFile(join(root, path)).catch(() => '');
  return createHash('sha256').update(content).digest('hex');
}

/** Modules find files beside them as in the source tree, but the command starts its supervisor from the bundle. */
const keepPaths: Plugin = {
  name: 'keep-paths',
  setup(context) {
    context.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      const contents = source
        .replace("fileURLToPath(new URL('../cli.ts', import.meta.url))", '__filename')
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href));
      return { contents, loader: 'ts' };
    });
  },
};
