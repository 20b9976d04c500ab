/**
 * The files of an embedded PostgreSQL: where they stand, the password, and the data folder made by initdb.
 *
 *   <home>/data            the data, mode 0700
 *   <home>/password        the superuser's password, mode 0600
 *   <home>/postgresql.log  what the server says
 *   <home>/socket          the unix socket, mode 0700 (elsewhere when this path is too long for a socket)
 *   <home>/binaries        a copy of the binaries, when the account cannot run the installed ones
 *
 * The home is the folder the caller names, or the place that the file `location` in it tells of.
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, chown, lstat, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { vendor } from '../../vendor.ts';
import type { Account } from './account.ts';
import { canEnter, runAs } from './account.ts';
import type { Binaries } from './binaries.ts';
import { killAllIn, shortHash } from './server.ts';

/** Where data goes that the account could not reach in the caller's folder. */
const elsewhere = join('/var/lib', vendor.name);

/** The folder that `location` in the caller's folder tells of, or null. */
export async function readLocation(directory: string): Promise<string | null> {
  const text = await readFile(join(directory, 'location'), 'utf8').catch(() => '');
  return text.trim() || null;
}

/**
 * Settles where the files stand, and creates that folder. Call it while holding the lock of the directory.
 * @throws when data exists but cannot be found or reached
 */
export async function ensureHome(directory: string, account: Account, log: (line: string) => void): Promise<string> {
  const location = await readLocation(directory);
  if (location) {
    if (existsSync(location)) return location;
    throw new Error(
      `The data was kept in ${location}, which is gone: put it back, or remove ${join(directory, 'location')} to ` +
        `start with an empty database.`,
    );
  }
  if (!account.borrowed || (await canEnter(account, directory))) return directory;
  if (existsSync(join(directory, 'data'))) {
    const closed = await firstClosed(directory, account);
    throw new Error(`User ${account.name} cannot reach the data: let it pass with "chmod o+x ${closed}".`);
  }

  const hash = shortHash(directory);
  let home = join(elsewhere, hash);
  // Data without a `location` that leads to it was left by a folder since deleted: it is not ours to open or to remove.
  for (let number = 2; existsSync(join(home, 'data')); number += 1) {
    log(`Data of an earlier folder of this name was left in ${home}; it is not used`);
    home = join(elsewhere, `${hash}-${number}`);
  }
  await mkdir(home, { recursive: true });
  await chmod(elsewhere, 0o755);
  await chmod(home, 0o711);
  await writeSafely(join(directory, 'location'), `${home}\n`);
  log(`User ${account.name} cannot enter ${directory}, so the data is kept in ${home}`);
  return home;
}

/**
 * Makes the data folder if there is none, and the password. A kill at any moment leaves nothing but a `data.*.partial`
 * folder, which the next start removes. Call it while holding the lock, with no server running.
 * @throws when the data is of another major version, and whatever initdb says
 */
export async function ensureCluster(
  home: string,
  binaries: Binaries,
  account: Account,
  log: (line: string) => void,
): Promise<void> {
  await removePartial(home);
  const data = join(home, 'data');
  const version = await readFile(join(data, 'PG_VERSION'), 'utf8').catch(() => null);
  if (version === null) return createCluster(home, binaries, account, log);

  if (Number(version) !== binaries.major) {
    throw new Error(
      `The data in ${data} was made by PostgreSQL ${version.trim()} and the installed binaries are PostgreSQL ` +
        `${binaries.major}: install the former version, dump the data with pg_dump, and restore it into a new folder.`,
    );
  }
  if (account.borrowed && (await stat(data)).uid === 0) {
    // Restored by root from a backup: the server must own its files.
    await runAs({ ...account, borrowed: false }, 'chown', ['-R', `${account.uid}:${account.gid}`, data]);
    await chmod(data, 0o700);
  }
}

/**
 * The superuser's password. When its file was lost, a new one is set; so call it with no server running.
 * @throws when the file cannot be read or written
 */
export async function ensurePassword(home: string, binaries: Binaries, account: Account): Promise<string> {
  const known = await readPassword(home);
  if (known) return known;
  const password = randomBytes(24).toString('base64url');
  const data = join(home, 'data');
  if (existsSync(join(data, 'PG_VERSION'))) {
    const input = `alter role "${vendor.name}" password '${password}'\n`;
    const run = await runAs(account, binaries.postgres, ['--single', '-D', data, 'postgres'], { input, folder: data });
    if (run.status !== 0) throw new Error(`The password could not be set anew: ${run.output.trim()}`);
  }
  await writeSafely(join(home, 'password'), `${password}\n`, account);
  return password;
}

/** The superuser's password, or null when there is none yet. */
export async function readPassword(home: string): Promise<string | null> {
  const text = await readFile(join(home, 'password'), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  return text.trim() || null;
}

/**
 * The folder of the unix socket, created for the account alone. A socket's path holds 107 bytes at most, and some
 * characters have a meaning in the server's setting: then a short folder outside the home is taken.
 * @throws when that folder exists and is not the account's own
 */
export async function ensureSocketFolder(home: string, account: Account): Promise<string> {
  const inside = join(home, 'socket');
  const fits = Buffer.byteLength(inside) <= 85 && /^[\w/.@+-]+$/.test(inside);
  const folder = fits ? inside : join(await shortFolder(), `${vendor.name}-${shortHash(home)}`);
  await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  const found = await lstat(folder);
  const self = process.getuid?.();
  // In a shared folder another user may have made it first, to catch the password.
  if (!found.isDirectory() || (found.uid !== account.uid && found.uid !== self)) {
    throw new Error(`${folder} belongs to another user (${found.uid}): remove it and start again.`);
  }
  await chmod(folder, 0o700);
  if (account.borrowed) await chown(folder, account.uid, account.gid);
  return folder;
}

/** Writes a file of mode 0600 whole or not at all, and to the disk. */
async function writeSafely(path: string, text: string, owner?: Account): Promise<void> {
  const partial = `${path}.partial`;
  await rm(partial, { force: true });
  const file = await open(partial, 'wx', 0o600);
  try {
    await file.writeFile(text);
    if (owner?.borrowed) await file.chown(owner.uid, owner.gid);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(partial, path);
  await syncFolder(dirname(path));
}

async function createCluster(
  home: string,
  binaries: Binaries,
  account: Account,
  log: (line: string) => void,
): Promise<void> {
  const data = join(home, 'data');
  if ((await readdir(data).catch(() => [])).length > 0) {
    throw new Error(`${data} holds files but no PostgreSQL data: move them away, or name another folder.`);
  }
  await ensurePassword(home, binaries, account);
  log(`Creating the database in ${data}`);
  const partial = join(home, `data.${randomBytes(4).toString('hex')}.partial`);
  await mkdir(partial, { mode: 0o700 });
  if (account.borrowed) await chown(partial, account.uid, account.gid);
  const parameters = [
    ...['--pgdata', partial, '--username', vendor.name, '--pwfile', join(home, 'password')],
    ...['--auth', 'scram-sha-256', '--encoding', 'UTF8', '--lc-messages', 'C'],
    // PostgreSQL's own locale, so that sorting does not change with the machine's C library.
    ...['--locale-provider', 'builtin', '--locale', 'C.UTF-8'],
  ];
  const run = await runAs(account, binaries.initdb, parameters, { folder: partial });
  if (run.status !== 0) {
    await removePartial(home);
    throw new Error(`PostgreSQL could not create its data in ${home}:\n${run.output.trim().slice(-2000)}`);
  }
  await rename(partial, data);
  await syncFolder(home);
}

/** Removes what a killed start left, and ends an initdb that outlived it. */
async function removePartial(home: string): Promise<void> {
  for (const name of await readdir(home)) {
    if (!/^data\.\w+\.partial$/.test(name)) continue;
    const folder = join(home, name);
    await killAllIn(folder);
    // What cannot be removed now is removed by a later start; it is in nobody's way.
    await rm(folder, { recursive: true, force: true, maxRetries: 5 }).catch(() => {});
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The outermost folder on the way to `directory` that the account cannot enter. */
async function firstClosed(directory: string, account: Account): Promise<string> {
  const parent = dirname(directory);
  return parent === directory || (await canEnter(account, parent)) ? directory : firstClosed(parent, account);
}

async function shortFolder(): Promise<string> {
  if (process.getuid?.() === 0 && existsSync('/run')) return '/run';
  const temporary = tmpdir();
  return Buffer.byteLength(temporary) <= 50 && /^[\w/.@+-]+$/.test(temporary) ? temporary : '/tmp';
}
