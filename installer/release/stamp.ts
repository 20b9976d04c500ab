/**
 * The stamp of a package on disk: written last, it says that the package is whole, and lists what it consists of, so
 * that a later run can tell a package it may use again from one that was damaged since.
 */
import { createHash } from 'node:crypto';
import { copyFile, link, lstat, mkdir, open, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Failure } from '../failure.ts';

/** Content of the stamp file. `files` maps the paths inside the package to the SHA-256 of their content, in base64. */
export interface Stamp {
  name: string;
  version: string;
  integrity: string;
  files: Record<string, string>;
}

const stampName = '.installed.json';

/**
 * Looks through a freshly extracted package, flushes it to disk and stamps it.
 * @throws Failure integrity_failed when it holds anything but files and folders, or is not the package it should be
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
      'Tell the vendor: the registry serves a wrong package',
    );
  }
  await writeFile(join(folder, stampName), JSON.stringify({ ...expected, files }));
}

/** Whether a folder holds the expected package, whole and as it was extracted. Files added since do not matter. */
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
 * Puts a verified package into another release: by hard links where the disk allows them, so that releases side by side
 * take the room of their differences only. What a box added to its package is left behind.
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

/** Paths of all files below a folder, in a fixed order. @throws Failure for links, devices and the like */
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
        `${join(folder, path)} is neither a plain file nor a folder`,
        'Tell the vendor',
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
