/**
 * A PostgreSQL server of Debian's on a folder and a free port of the loopback address, for the nodes of a cluster and
 * for the plain one it is measured beside. Everyone on this machine may connect: nothing worth keeping goes in.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { chown, mkdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { chooseAccount, cleanEnvironment, runAs, spawnIdentity } from '../../runtime/db/embedded/account.ts';

/** The server version that the extension is built for. */
export const version = 15;
const programs = `/usr/lib/postgresql/${version}/bin`;

export const host = '127.0.0.1';

export interface Server {
  readonly name: string;
  readonly port: number;
  /** Ends with an error that shows the end of its log when it does not come up. */
  start(): Promise<void>;
  /** `SIGINT` stops it in order, `SIGKILL` as a crash does. Resolves when it is gone. */
  stop(signal?: 'SIGINT' | 'SIGKILL'): Promise<void>;
  url(database?: string): string;
}

/** Makes a server in `folder/name`, not started yet. `settings` are those of postgresql.conf. */
export async function makeServer(folder: string, name: string, settings: Record<string, string>): Promise<Server> {
  const home = join(folder, name);
  const data = join(home, 'data');
  const account = await chooseAccount(data);
  await mkdir(home, { recursive: true });
  if (account.borrowed) await chown(home, account.uid, account.gid);
  const made = await runAs(account, `${programs}/initdb`, [
    '-D',
    data,
    '-U',
    'carton',
    '-A',
    'trust',
    '-E',
    'UTF8',
    '--no-sync',
  ]);
  if (made.status !== 0) throw new Error(`initdb failed: ${made.output}`);
  const port = await freePort();
  const logFile = join(home, 'postgresql.log');
  const all: Record<string, string> = {
    listen_addresses: host,
    port: String(port),
    unix_socket_directories: '',
    max_connections: '300',
    timezone: 'UTC',
    jit: 'off',
    autovacuum_naptime: '5s',
    ...settings,
  };
  const parameters = ['-D', data, ...Object.entries(all).flatMap(([key, value]) => ['-c', `${key}=${value}`])];
  const url = (database = 'postgres') => `postgres://carton@${host}:${port}/${database}`;
  let gone: Promise<unknown> = Promise.resolve();
  let running: ReturnType<typeof spawn> | null = null;

  return {
    name,
    port,
    url,
    async start() {
      const output = openSync(logFile, 'a', 0o600);
      const child = spawn(`${programs}/postgres`, parameters, {
        ...spawnIdentity(account),
        cwd: data,
        env: cleanEnvironment,
        stdio: ['ignore', output, output],
        detached: true,
      });
      closeSync(output);
      running = child;
      gone = once(child, 'exit').then(() => {
        running = null;
      });
      while (!(await answers(url()))) {
        if (!running) throw new Error(`PostgreSQL did not start:\n${(await readFile(logFile, 'utf8')).slice(-1500)}`);
        await sleep(50);
      }
    },
    async stop(signal = 'SIGINT') {
      running?.kill(signal);
      await gone;
    },
  };
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

/** A port that nothing listens on. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
