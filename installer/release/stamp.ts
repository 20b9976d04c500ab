/**
 * The stamp of a package on disk. It is written last, so its presence means that the package is complete. It lists all
 * files with their hashes, so that a later install can detect a damaged package before reusing it.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { copyFile, link, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Failure } from '../failure.ts';

/** Content of the stamp file. */
export interface Stamp {
  name: string;
  version: string;
  integrity: string;
  files: FileHashes;
}

/** The SHA-256 of files in base64, by their path in the package. */
export type FileHashes = Record<string, string>;

const stampName = '.installed.json';

/**
 * Checks what a package on disk says of itself, and writes its stamp.
 * @param files the hashes of all its files
 * @throws Failure integrity_failed when it is another package
 */
export async function stampPackage(folder: string, expected: Omit<Stamp, 'files'>, files: FileHashes): Promise<void> {
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

/**
 * Whether a folder contains the expected package, complete and unchanged. Additional files do not matter. The calls block:
 * with thousands of small files, the thread pool is several times slower.
 */
export async function verifyPackage(folder: string, expected: Omit<Stamp, 'files'>): Promise<boolean> {
  const stamp = await readStamp(folder);
  if (stamp?.name !== expected.name || stamp.version !== expected.version) return false;
  if (stamp.integrity !== expected.integrity) return false;
  try {
    for (const [path, hash] of Object.entries(stamp.files)) {
      if (
        createHash('sha256')
          .update(readFileSync(join(folder, path)))
          .digest('base64') !== hash
      )
        return false;
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
