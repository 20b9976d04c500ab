/**
 * The stamp of a package on disk. It is written last, so its presence means that the package is complete. It lists all
 * files with their hashes, so that a later install can detect a damaged package before reusing it.
 */
import { createHash } from 'node:crypto';
import { copyFile, link, lstat, mkdir, open, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Failure } from '../failure.ts';

/** Content of the stamp file. `files` maps paths in the package to the SHA-256 of their content, in base64. */
export interface Stamp {
  name: string;
  version: string;
  integrity: string;
  files: Record<string, string>;
}

const stampName = '.installed.json';

/**
 * Checks an extracted package, flushes it to disk and writes its stamp.
 * @throws Failure integrity_failed when it contains anything but files and folders, or is another package
 */
export async function stampPackage(folder: string, expected: Omit<Stamp, 'files'>): Promise<void> {
  const files: Record<string, string> = {};
  for (const path of await listFiles(folder)) files[path] = await hashAndFlush(join(folder, path));
  const manifest = await readManifest(folder);
  if (manifest?.name !== expected.name || manifest.version !== expected.version) {
    const found = manifest ? `${manifest.name} ${manifest.version}` : 'no package';
    throw new Failure(
      'integrity_failed',
      `the registry served ${found} as ${expected.name} ${expected.version}`,
      'Contact the vendor: the registry serves a wrong package',
    );
  }
  await writeFile(join(folder, stampName), JSON.stringify({ ...expected, files }));
}

/** Whether a folder contains the expected package, complete and unchanged. Additional files do not matter. */
export async function verifyPackage(folder: string, expected: Omit<Stamp, 'files'>): Promise<boolean> {
  const stamp = await readStamp(folder);
  if (stamp?.name !== expected.name || stamp.version !== expected.version) return false;
  if (stamp.integrity !== expected.integrity) return false;
  try {
    for (const [path, hash] of Object.entries(stamp.files)) {
      if (sha256(await readFile(join(folder, path))) !== hash) return false;
    }
    return true;
  } catch {
    return false; // a listed file is missing or unreadable
  }
}

/**
 * Adds a verified package to another release, with hard links if the file system has them, so that releases share the
 * space of common packages. Files that a box added to its package are not included.
 */
export async function reusePackage(from: string, to: string): Promise<void> {
  const stamp = (await readStamp(from)) as Stamp;
  const folders = new Set<string>();
  for (const path of [...Object.keys(stamp.files), stampName]) {
    const target = join(to, path);
    if (!folders.has(dirname(target))) await mkdir(dirname(target), { recursive: true });
    folders.add(dirname(target));
    await link(join(from, path), target).catch(() => copyFile(join(from, path), target));
  }
}

async function readStamp(folder: string): Promise<Stamp | undefined> {
  try {
    return JSON.parse(await readFile(join(folder, stampName), 'utf8'));
  } catch {
    return undefined;
  }
}

async function readManifest(folder: string): Promise<{ name?: string; version?: string } | undefined> {
  try {
    return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  } catch {
    return undefined;
  }
}

/** Returns the paths of all files in a folder, sorted. @throws Failure for links, devices and other special files */
async function listFiles(folder: string, below = ''): Promise<string[]> {
  const found: string[] = [];
  for (const name of (await readdir(join(folder, below))).sort()) {
    const path = join(below, name);
    const status = await lstat(join(folder, path));
    if (status.isDirectory()) found.push(...(await listFiles(folder, path)));
    else if (status.isFile() && status.nlink === 1) found.push(path);
    else
      throw new Failure(
        'integrity_failed',
        `${join(folder, path)} is neither a regular file nor a folder`,
        'Contact the vendor',
      );
  }
  return found;
}

async function hashAndFlush(path: string): Promise<string> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
    return sha256(await handle.readFile());
  } finally {
    await handle.close();
  }
}

function sha256(content: Buffer): string {
  return createHash('sha256').update(content).digest('base64');
}
