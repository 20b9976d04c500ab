/**
 * Helpers for the tests of the embedded PostgreSQL: temporary folders, queries, and a start in another process, which
 * can be killed or run as another user.
 */
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { chmod, mkdtemp, realpath, rm, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Test } from 'tap';
import { readLocation } from '../embedded/cluster.ts';
import { killAllIn, readPostmaster } from '../embedded/server.ts';

export const isRoot = process.getuid?.() === 0;

/** The number of an unprivileged user, for tests that root runs. */
export const ordinaryUser = 65_534;

/** The path of a folder `<temporary>/postgresql`, not created yet. After the test its server and files are removed. */
export async function createBoxFolder(t: Test): Promise<string> {
  const parent = await realpath(await mkdtemp(join(tmpdir(), 'embedded-')));
  await chmod(parent, 0o755);
  const directory = join(parent, 'postgresql');
  t.teardown(async () => {
    const location = await readLocation(directory);
    for (const home of [directory, ...(location ? [location] : [])]) {
      await killAllIn(join(home, 'data'));
      await rm(home, { recursive: true, force: true });
    }
    await rm(parent, { recursive: true, force: true });
    if (location) await rmdir(dirname(location)).catch(() => {});
  });
  return directory;
}

/** Runs one query on a connection of its own and returns its rows. */
export async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end().catch(() => {});
  }
}

/** A start in another process. `line` is its output: `{ url, owned }`, or `{ error }`. */
export interface OtherProcess {
  child: ChildProcess;
  line: Promise<{ url: string; owned: boolean; error: string }>;
  kill(): Promise<void>;
}

/** Starts the embedded PostgreSQL in another process, which runs until it is killed or receives SIGTERM. */
export function startInOtherProcess(
  t: Test,
  directory: string,
  { user, adopt = false }: { user?: number; adopt?: boolean } = {},
): OtherProcess {
  const program = `
    const { startEmbeddedPostgres } = await import(${JSON.stringify(new URL('../embedded.ts', import.meta.url).href)});
    process.on('SIGTERM', () => process.exit(1));
    try {
      const { url, owned } = await startEmbeddedPostgres(${JSON.stringify({ directory, adopt })});
      console.log(JSON.stringify({ url, owned }));
      setInterval(() => {}, 1000);
    } catch (error) {
      console.log(JSON.stringify({ error: error.message }));
    }`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    ...(user && { uid: user, gid: user }),
    cwd: '/',
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const line = new Promise<string>((resolve) => {
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      if (text.includes('\n')) resolve(text);
    });
    child.stdout.on('close', () => resolve('{ "error": "ended" }'));
  }).then((text) => JSON.parse(text));
  const kill = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  t.teardown(kill);
  return { child, line, kill };
}

/** The reason why an ordinary user cannot run these sources, or false; for tap's `skip`. */
export function reasonToSkipOrdinaryUser(): string | false {
  if (!isRoot) return 'only root can run processes as another user';
  for (let folder = dirname(process.execPath); folder !== '/'; folder = dirname(folder)) {
    if ((statSync(folder).mode & 0o001) === 0) return `an ordinary user cannot enter ${folder}`;
  }
  return false;
}

/** Waits for the server's process and returns its number. */
export async function serverPid(directory: string): Promise<number> {
  for (;;) {
    const pid = readPostmaster(join(directory, 'data'))?.pid;
    if (pid) return pid;
    await sleep(10);
  }
}

/** The user a process runs as. */
export function userOf(pid: number): number {
  return Number(/^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}
