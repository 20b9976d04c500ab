/**
 * The user of a service: an existing one, or one that is created, who then owns the box's folder.
 */
import { lchown, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { BoxFolder } from '../box/folder.ts';
import { Failure } from '../failure.ts';
import type { Output } from '../output/output.ts';
import { vendor } from '../vendor.ts';
import { system } from './systemd.ts';

/** A user of the system. */
export interface Account {
  name: string;
  uid: number;
  gid: number;
  /** Name of its own group. */
  group: string;
}

/**
 * Chooses the user a box runs as: the one that is asked for, the owner of the folder, or one of its own instead of root.
 * Creates it if it is missing.
 * @throws Failure usage for root; folder_unusable if the folder belongs to another user
 */
export async function chooseAccount(folder: BoxFolder, wanted: string | undefined, output: Output): Promise<Account> {
  const { uid } = await stat(folder.root);
  const owner = uid === 0 ? undefined : await findAccount((account) => account.uid === uid);
  const name = wanted ?? owner?.name ?? vendor;
  if (!/^[a-z_][a-z0-9_-]{0,31}$/.test(name)) {
    throw new Failure('usage', `${name} is not a name of a user`, 'Use letters, digits, - and _, a letter first');
  }
  const account = (await findAccount((each) => each.name === name)) ?? (await createAccount(name, folder, output));
  if (account.uid === 0) throw new Failure('usage', 'a service does not run as root', 'Use another user with --user');
  if (uid !== 0 && uid !== account.uid) {
    throw new Failure(
      'folder_unusable',
      `${folder.root} belongs to ${owner?.name ?? `user ${uid}`}, not to ${name}`,
      `Leave out --user, or change the owner: chown -R ${name} ${folder.root}`,
    );
  }
  return account;
}

/** Gives a user the folders of a box that root owns. Links are not followed. */
export async function giveTo({ uid, gid }: Account, paths: readonly string[]): Promise<void> {
  for (const path of paths) await giveTree(path, uid, gid);
}

async function giveTree(path: string, uid: number, gid: number): Promise<void> {
  // The folder last: after a kill in between, it still belongs to root and the next run begins again.
  const entries = await readdir(path, { withFileTypes: true });
  for (const entry of entries) {
    const child = join(path, entry.name);
    if (entry.isDirectory()) await giveTree(child, uid, gid);
    else await lchown(child, uid, gid);
  }
  await lchown(path, uid, gid);
}

async function findAccount(matches: (account: Account) => boolean): Promise<Account | undefined> {
  const groups = (await readFile('/etc/group', 'utf8')).split('\n').map((line) => line.split(':'));
  for (const line of (await readFile('/etc/passwd', 'utf8')).split('\n')) {
    const [name = '', , uid, gid] = line.split(':');
    const group = groups.find((each) => each[2] === gid)?.[0] ?? (gid as string);
    const account = { name, uid: Number(uid), gid: Number(gid), group };
    if (name && matches(account)) return account;
  }
  return undefined;
}

async function createAccount(name: string, folder: BoxFolder, output: Output): Promise<Account> {
  const options = ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin'];
  await system('useradd', ...options, '--home-dir', folder.root, name);
  output.info('user', `created the user ${name}`, { user: name });
  const account = await findAccount((each) => each.name === name);
  if (!account) throw new Failure('unexpected', `useradd created no user ${name}`, 'Create it and use --user');
  return account;
}
