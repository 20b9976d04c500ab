/**
 * The system user that the embedded PostgreSQL runs as. PostgreSQL refuses to run as root; a box that root starts runs
 * it as an unprivileged user.
 */
import { spawn } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { vendor } from '../../vendor.ts';

/** A system user. `borrowed` is true if it is not the user of this process: child processes switch to it. */
export interface Account {
  uid: number;
  gid: number;
  name: string;
  borrowed: boolean;
}

/** The environment of PostgreSQL. It inherits nothing, so that no PG* variable changes its behaviour. */
export const cleanEnvironment = { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', TZ: 'UTC' };

/** The options of `spawn` that make a child process run as the account. */
export function spawnIdentity(account: Account): { uid?: number; gid?: number } {
  return account.borrowed ? { uid: account.uid, gid: account.gid } : {};
}

/**
 * Chooses the account for a data folder, which need not exist yet. An ordinary user stays as it is; root chooses the
 * folder's owner, else the vendor's own user, else `postgres`, else `nobody`.
 * @throws Error when the data belongs to another ordinary user, or when root finds no user.
 */
export async function chooseAccount(data: string): Promise<Account> {
  const self = process.getuid?.() ?? 0;
  const owner = await stat(data).catch(() => null);
  const users = await knownUsers();

  if (self !== 0) {
    if (owner && owner.uid !== self) {
      throw new Error(`The data in ${data} belongs to user ${owner.uid}, not to user ${self}: start as that user.`);
    }
    const name = users.find((user) => user.uid === self)?.name ?? String(self);
    return { uid: self, gid: process.getgid?.() ?? self, name, borrowed: false };
  }

  if (owner && owner.uid !== 0) {
    const name = users.find((user) => user.uid === owner.uid)?.name ?? String(owner.uid);
    return { uid: owner.uid, gid: owner.gid, name, borrowed: true };
  }
  for (const name of [vendor.name, 'postgres', 'nobody']) {
    const user = users.find((candidate) => candidate.name === name && candidate.uid !== 0);
    if (user) return { ...user, borrowed: true };
  }
  throw new Error(
    `PostgreSQL does not run as root and this machine has no user to run it as: add one with ` +
      `"useradd --system ${vendor.name}", or set DATABASE_URL.`,
  );
}

/** Runs a command as the account. Resolves to its exit status and its output, including standard error. */
export function runAs(
  account: Account,
  command: string,
  parameters: string[],
  options: { folder?: string; input?: string } = {},
): Promise<{ status: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, parameters, {
      ...spawnIdentity(account),
      cwd: options.folder ?? '/',
      env: cleanEnvironment,
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    child.stdin.on('error', () => {}); // a child that exits early leaves its input unread; its status is enough
    child.on('error', reject);
    child.on('close', (status) => resolve({ status, output }));
    child.stdin.end(options.input ?? '');
  });
}

/** True if the account can enter a folder. This is tried, since mode bits do not account for ACLs and mount options. */
export async function canEnter(account: Account, folder: string): Promise<boolean> {
  return (await runAs(account, '/bin/sh', ['-c', 'cd "$1"', 'sh', folder])).status === 0;
}

async function knownUsers(): Promise<Omit<Account, 'borrowed'>[]> {
  const text = await readFile('/etc/passwd', 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter((line) => line.split(':').length >= 4)
    .map((line) => {
      const [name, , uid, gid] = line.split(':');
      return { name: name ?? '', uid: Number(uid), gid: Number(gid) };
    });
}
