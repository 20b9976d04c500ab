/**
 * The files of an embedded PostgreSQL: their location, the password, and the data folder that initdb creates.
 *
 *   <home>/data            the data, mode 0700
 *   <home>/password        the superuser's password, mode 0600
 *   <home>/postgresql.log  the server's log
 *   <home>/socket          the unix socket, mode 0700 (elsewhere when this path is too long for a socket)
 *   <home>/binaries        a copy of the binaries, when the account cannot run the installed ones
 *
 * The home is the caller's folder, or the one that the file `location` in it names.
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, chown, lstat, mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { flush, replaceFile } from '@carton/durable-files';
import { vendor } from '../../vendor.ts';
import type { Account } from './account.ts';
import { canEnter, runAs } from './account.ts';
import type { Binaries } from './binaries.ts';
import { killAllIn, shortHash } from './server.ts';

/** The folder for data that the account could not reach in the caller's folder. */
const fallbackFolder = join('/var/lib', vendor.name);

/** The folder that `location` in the caller's folder names, or null. */
export async function readLocation(directory: string): Promise<string | null> {
  const text = await readFile(join(directory, 'location'), 'utf8').catch(() => '');
  return text.trim() || null;
}

/**
 * Chooses the home and creates it. Call it while holding the lock of the directory.
 * @throws Error when data exists but cannot be found or reached
 */
export async function ensureHome(directory: string, account: Account, log: (line: string) => void): Promise<string> {
  const location = await readLocation(directory);
  if (location) {
    if (existsSync(location)) return location;
    throw new Error(
      `The data was in ${location}, which no longer exists: restore it, or remove ${join(directory, 'location')} to ` +
        `start with an empty database.`,
    );
  }
  if (!account.borrowed || (await canEnter(account, directory))) return directory;
  if (existsSync(join(directory, 'data'))) {
    const closed = await firstClosed(directory, account);
    throw new Error(`User ${account.name} cannot reach the data: grant access with "chmod o+x ${closed}".`);
  }

  const hash = shortHash(directory);
  let home = join(fallbackFolder, hash);
  // Data that no `location` names belonged to a folder that was deleted: it must be neither opened nor removed.
  for (let number = 2; existsSync(join(home, 'data')); number += 1) {
    log(`${home} has data of an earlier folder with this name; it is not used`);
    home = join(fallbackFolder, `${hash}-${number}`);
  }
  await mkdir(home, { recursive: true });
  await chmod(fallbackFolder, 0o755);
  await chmod(home, 0o711);
  await writePrivately(join(directory, 'location'), `${home}\n`);
  log(`User ${account.name} cannot enter ${directory}, so the data is stored in ${home}`);
  return home;
}

/**
 * Creates the data folder and the password if there are none. A kill at any time leaves at most a `data.*.partial`
 * folder, which the next start removes. Call it while holding the lock, with no server running.
 * @param meanwhile called when initdb runs
 * @throws Error when the data is of another major version, or with the output of a failed initdb; the reason of the
 * signal `ending`, if it is aborted, in place of creating them
 */
export async function ensureCluster(
  home: string,
  binaries: Binaries,
  account: Account,
  log: (line: string) => void,
  { meanwhile, ending }: { meanwhile: () => void; ending?: AbortSignal | undefined },
): Promise<void> {
  await removePartial(home);
  const data = join(home, 'data');
  if (!(await checkMajor(home, binaries))) {
    if (existsSync(join(home, 'restored.json'))) {
      throw new Error(`A restore into ${home} was interrupted: run "${vendor.name} start", which completes it.`);
    }
    ending?.throwIfAborted();
    return createCluster(home, binaries, account, log, meanwhile);
  }

  if (account.borrowed && (await stat(data)).uid === 0) {
    // Restored by root from a backup: the server must own its files.
    await runAs({ ...account, borrowed: false }, 'chown', ['-R', `${account.uid}:${account.gid}`, data]);
    await chmod(data, 0o700);
  }
}

/**
 * Checks that the binaries can run the data. Resolves to whether there is data.
 * @throws Error when the data is of another major version
 */
export async function checkMajor(home: string, binaries: Binaries): Promise<boolean> {
  const data = join(home, 'data');
  const version = await readFile(join(data, 'PG_VERSION'), 'utf8').catch(() => null);
  if (version !== null && Number(version) !== binaries.major) {
    throw new Error(
      `The data in ${data} was created by PostgreSQL ${version.trim()} and the installed binaries are PostgreSQL ` +
        `${binaries.major}: install the former version, dump the data with pg_dump, and restore it into a new folder.`,
    );
  }
  return version !== null;
}

/**
 * The superuser's password. If its file was lost, a new one is set: call it with no server running.
 * @throws Error when the file cannot be read or written
 */
export async function ensurePassword(home: string, binaries: Binaries, account: Account): Promise<string> {
  const known = await readPassword(home);
  if (known) return known;
  const password = randomBytes(24).toString('base64url');
  const data = join(home, 'data');
  if (existsSync(join(data, 'PG_VERSION'))) {
    const input = `alter role "${vendor.name}" password '${password}'\n`;
    const run = await runAs(account, binaries.postgres, ['--single', '-D', data, 'postgres'], { input, folder: data });
    if (run.status !== 0) throw new Error(`The password could not be replaced: ${run.output.trim()}`);
  }
  await writePrivately(join(home, 'password'), `${password}\n`, account);
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
 * The folder of the unix socket, which only the account can enter. The path of a socket has 107 bytes at most, and some
 * characters are special in the server's setting: in these cases a short folder outside the home is used.
 * @throws Error when that folder belongs to another user
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
  // In a shared folder another user may have created it first, to intercept the password.
  if (!found.isDirectory() || (found.uid !== account.uid && found.uid !== self)) {
    throw new Error(`${folder} belongs to another user (${found.uid}): remove it and start again.`);
  }
  await chmod(folder, 0o700);
  if (account.borrowed) await chown(folder, account.uid, account.gid);
  return folder;
}

/** Only one process writes, while it holds the lock: the temporary file needs no name of its own. */
function writePrivately(path: string, text: string, owner?: Account): Promise<void> {
  return replaceFile(path, text, {
    temporary: `${path}.partial`,
    mode: 0o600,
    owner: owner?.borrowed ? owner : undefined,
  });
}

async function createCluster(
  home: string,
  binaries: Binaries,
  account: Account,
  log: (line: string) => void,
  meanwhile: () => void,
): Promise<void> {
  const data = join(home, 'data');
  if ((await readdir(data).catch(() => [])).length > 0) {
    throw new Error(`${data} contains files but no PostgreSQL data: move them, or name another folder.`);
  }
  await ensurePassword(home, binaries, account);
  log(`Creating the database in ${data}`);
  const partial = join(home, `data.${randomBytes(4).toString('hex')}.partial`);
  await mkdir(partial, { mode: 0o700 });
  if (account.borrowed) await chown(partial, account.uid, account.gid);
  const parameters = [
    ...['--pgdata', partial, '--username', vendor.name, '--pwfile', join(home, 'password')],
    ...['--auth', 'scram-sha-256', '--encoding', 'UTF8', '--lc-messages', 'C'],
    // PostgreSQL's own locale, so that the sort order does not depend on the machine's C library.
    ...['--locale-provider', 'builtin', '--locale', 'C.UTF-8'],
    // One call for the file system: a call for each of the thousand files takes several times as long.
    ...['--sync-method', 'syncfs'],
  ];
  const running = runAs(account, binaries.initdb, parameters, { folder: partial });
  meanwhile();
  const run = await running;
  if (run.status !== 0) {
    await removePartial(home);
    throw new Error(`PostgreSQL could not create its data in ${home}:\n${run.output.trim().slice(-2000)}`);
  }
  await rename(partial, data);
  await flush(home);
}

/** Removes the partial data of a killed start, and kills an initdb that outlived it. */
async function removePartial(home: string): Promise<void> {
  for (const name of await readdir(home)) {
    if (!/^data\.\w+\.partial$/.test(name)) continue;
    const folder = join(home, name);
    await killAllIn(folder);
    // Files that cannot be removed now do no harm; a later start removes them.
    await rm(folder, { recursive: true, force: true, maxRetries: 5 }).catch(() => {});
  }
}

/** The outermost folder on the path to `directory` that the account cannot enter. */
async function firstClosed(directory: string, account: Account): Promise<string> {
  const parent = dirname(directory);
  return parent === directory || (await canEnter(account, parent)) ? directory : firstClosed(parent, account);
}

async function shortFolder(): Promise<string> {
  if (process.getuid?.() === 0 && existsSync('/run')) return '/run';
  const temporary = tmpdir();
  return Buffer.byteLength(temporary) <= 50 && /^[\w/.@+-]+$/.test(temporary) ? temporary : '/tmp';
}
