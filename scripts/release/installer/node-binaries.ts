/**
 * The Node executables of the binaries: the pinned version, from npm packages, for this and other processors.
 */
import { execFile } from 'node:child_process';
import { copyFile, mkdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { extract } from 'tar';

const run = promisify(execFile);

/** Processors a binary is built for. */
export const processors = ['x64', 'arm64'] as const;
export type Processor = (typeof processors)[number];

/** The version pinned in the checkout's package.json. */
export async function pinnedVersion(root: string): Promise<string> {
  const { optionalDependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  return optionalDependencies[packageName(process.arch as Processor)];
}

/**
 * Returns the path of Node for a processor. npm installs the package of this machine only; others are downloaded once, by
 * npm, which verifies their integrity, and cached.
 * @throws Error if npm cannot download it
 */
export async function nodeFor(processor: Processor, version: string, root: string, cache: string): Promise<string> {
  if (processor === process.arch) {
    const manifest = createRequire(join(root, 'package.json')).resolve(`${packageName(processor)}/package.json`);
    return join(dirname(manifest), 'bin/node');
  }
  const folder = join(cache, `node-${version}-linux-${processor}`);
  const node = join(folder, 'bin/node');
  if (await stat(node).catch(() => null)) return node;
  const unpacked = `${folder}.incoming`;
  await rm(unpacked, { recursive: true, force: true });
  await mkdir(unpacked, { recursive: true });
  const specifier = `${packageName(processor)}@${version}`;
  const { stdout } = await run('npm', ['pack', specifier, '--json', '--pack-destination', unpacked], { cwd: cache });
  const tarball = join(unpacked, JSON.parse(stdout)[0].filename);
  await extract({ file: tarball, cwd: unpacked, strip: 1, filter: (path) => path === 'package/bin/node' });
  await rm(tarball);
  await rename(unpacked, folder);
  return node;
}

/**
 * Copies the executable without symbols, which saves a seventh of its size. Strip before anything is added to the
 * executable: stripping afterwards would remove it. Without a tool for the processor, the copy keeps its symbols.
 * @returns whether it was stripped
 */
export async function copyStripped(from: string, to: string, processor: Processor): Promise<boolean> {
  await mkdir(dirname(to), { recursive: true });
  await copyFile(from, to);
  const foreign = ['aarch64-linux-gnu-strip', 'llvm-strip'];
  for (const tool of processor === process.arch ? ['strip', 'llvm-strip'] : foreign) {
    try {
      await run(tool, [to]);
      return true;
    } catch {
      // not installed, or for another processor
    }
  }
  return false;
}

function packageName(processor: Processor): string {
  return `node-linux-${processor}`;
}
