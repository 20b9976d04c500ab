/**
 * The lock of a box folder: one command at a time.
 *
 * Each command has a Unix socket of its own in the folder, `.lock-<random>-<pid>.sock`, for its user alone (mode 0600), and says
 * there whether it holds the lock. One that finds another command waiting gives way by the order of their names, and one that
 * finds a holder ends. The kernel closes a socket when its process exits for any reason: nobody listens on a file that a killed
 * command has left, and since no name is used twice, the command that finds it removes it. A lock is therefore never stale.
 *
 * Not a socket in the kernel's abstract namespace: any user of the machine can bind its name first and keep every command
 * away. It serves only where the folder takes no file, as on a full disk.
 */
import { createHash, randomBytes } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { readdir, realpath, rename, rm } from 'node:fs/promises';
import { createConnection, createServer, type Server } from 'node:net';
import { join, relative } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Failure, rethrowAsFailure } from '../failure.ts';
import { vendor } from '../vendor.ts';
import { boxFolder, createFolders, nearestExisting } from './folder.ts';
import { removeLeftovers } from './leftovers.ts';
import { identify } from './process-table.ts';

const timeoutMilliseconds = 1000;
const pollMilliseconds = 20;
/** Backups have a lock of their own: a box must start after a crash, also during a long backup. */
export type LockKind = 'lock' | 'backup-lock';

/** Whether a file in the folder of a box is of a lock. */
export function isOfLock(name: string): boolean {
  return /^\.(backup-)?lock-[0-9a-f]{16}-\d+\.(sock|new)$/.test(name);
}

/**
 * Runs work while holding the lock of a folder. One that does not exist is created, and removed afterwards if it is empty. First
 * removes what killed commands have left of files that they were writing, some with secrets.
 * @param command name of the command for messages to others, such as `install`
 * @throws Failure busy when another command holds the lock; any error of the work, as a Failure
 */
export async function withLock<T>(
  directory: string,
  command: string,
  work: () => Promise<T>,
  kind: LockKind = 'lock',
): Promise<T> {
  const release = (await lockByFile(directory, command, kind)) ?? (await lockByName(directory, command, kind));
  try {
    return await rethrowAsFailure(async () => {
      await removeLeftovers(boxFolder(directory));
      return work();
    });
  } finally {
    await release();
  }
}

/** Where a folder takes no file, for these reasons, the work will say so, or does without. */
const unusable = new Set([
  'EACCES',
  'EPERM',
  'EROFS',
  'ENOTDIR',
  'ENOSPC',
  'EDQUOT',
  'ENAMETOOLONG',
  'ELOOP',
  'EINVAL',
]);

/** @returns what releases the lock; undefined if the folder takes no socket @throws Failure busy */
async function lockByFile(
  directory: string,
  command: string,
  kind: LockKind,
): Promise<(() => Promise<void>) | undefined> {
  for (let attempts = 5; ; attempts -= 1) {
    let removeFolders = async () => {};
    try {
      removeFolders = await createFolders([directory]);
      const release = await holdSocket(directory, command, kind);
      return async () => {
        await release();
        await removeFolders();
      };
    } catch (error) {
      await removeFolders();
      const { code = '' } = error as NodeJS.ErrnoException;
      // Another command has removed the empty folder meanwhile.
      if (code === 'ENOENT' && attempts > 1) continue;
      if (unusable.has(code)) return undefined;
      throw error;
    }
  }
}

async function holdSocket(directory: string, command: string, kind: LockKind): Promise<() => Promise<void>> {
  const own = `.${kind}-${randomBytes(8).toString('hex')}-${process.pid}`;
  // By its descriptor, since paths of sockets are short, and this is the same folder until the end.
  const folder = openSync(directory, 'r');
  const at = (name: string) => `/proc/self/fd/${folder}/${name}`;
  let holds = false;
  const server = serverOf(() => `${holds ? 'holds' : 'waits'} ${command} (process ${process.pid})`);
  const release = async () => {
    await rm(at(`${own}.sock`), { force: true });
    await new Promise((resolve) => server.close(resolve));
    closeSync(folder);
  };
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      // The file is created at once.
      const mask = process.umask(0o177);
      server.listen(at(`${own}.new`), resolve);
      process.umask(mask);
    });
    // Under this name it listens from the beginning: one that does not is of a command that has ended.
    await rename(at(`${own}.new`), at(`${own}.sock`));
    for (;;) {
      const others = await commandsIn(at, kind, `${own}.sock`);
      if (others.length === 0) break;
      const first = others.find(({ name, state }) => state === 'holds' || (state === 'waits' && name < `${own}.sock`));
      if (first) throw busy(first.who, directory);
      await pause(pollMilliseconds);
    }
    holds = true;
    return release;
  } catch (error) {
    await release();
    throw error;
  }
}

interface State {
  /** `leaves`: it has just given way or ended. */
  state: 'holds' | 'waits' | 'leaves';
  /** Such as `install (process 12)`. */
  who: string;
}

/** Returns the other commands that hold the lock or wait for it, and removes what ended ones have left. */
async function commandsIn(
  at: (name: string) => string,
  kind: LockKind,
  own: string,
): Promise<(State & { name: string })[]> {
  const found: (State & { name: string })[] = [];
  for (const name of await readdir(at(''))) {
    // Before it listens, a socket has `.new` in place of `.sock`.
    if (!name.startsWith(`.${kind}-`) || !name.endsWith('.sock') || name === own) continue;
    const pid = Number(/-(\d+)\.sock$/.exec(name)?.[1]);
    const state = await askHolder(at(name), async () => (await identify(pid)) !== undefined);
    if (state) found.push({ name, ...state });
    else await rm(at(name), { force: true });
  }
  return found;
}

/** @returns what releases the lock @throws Failure busy */
async function lockByName(directory: string, command: string, kind: LockKind): Promise<() => Promise<void>> {
  const address = await abstractAddress(kind === 'lock' ? directory : join(directory, 'backups'));
  const server = serverOf(() => `holds ${command} (process ${process.pid})`);
  try {
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(address, resolve));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw busy((await askHolder(address))?.who ?? 'another command', directory);
  }
  return async () => {
    await new Promise((resolve) => server.close(resolve));
  };
}

function serverOf(answer: () => string): Server {
  return createServer((socket) => {
    socket.on('error', () => undefined); // the client may disconnect first
    socket.end(answer());
  });
}

function busy(who: string, directory: string): Failure {
  return new Failure('busy', `${who} is using ${directory}`, 'Wait until it has finished, then try again');
}

/** Returns the same name for all paths of one folder, including links. It is a hash because socket names are short. */
async function abstractAddress(directory: string): Promise<string> {
  const nearest = await nearestExisting(directory);
  const path = join(await realpath(nearest), relative(nearest, directory));
  return `\0${vendor}-box-${createHash('sha256').update(path).digest('hex').slice(0, 32)}`;
}

/**
 * Asks a process at a socket for its command and process id.
 * @param lives says whether the process is there, where the socket does not say
 * @returns undefined if there is none any more
 */
function askHolder(address: string, lives = async () => true): Promise<State | undefined> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = createConnection(address);
    const end = (silent: State['state']) => {
      socket.destroy();
      const [, state, who = 'another command'] = /^(holds|waits) (.*)$/s.exec(answer) ?? [];
      resolve({ state: state === 'holds' || state === 'waits' ? state : silent, who });
    };
    // One that does not answer is taken for the holder.
    socket.setTimeout(timeoutMilliseconds, () => end('holds')).setEncoding('utf8');
    socket.on('data', (text) => {
      answer += text;
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED' || error.code === 'ENOENT') resolve(undefined);
      else if (error.code === 'ECONNRESET' || error.code === 'EPIPE') end('leaves');
      // One of root does not let another user connect, whether it listens or not.
      else lives().then((alive) => (alive ? end('holds') : resolve(undefined)));
    });
    socket.on('end', () => end('leaves'));
  });
}
