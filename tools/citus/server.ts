/**
 * A server of Debian's PostgreSQL with a folder and a port of its own, for the nodes of a cluster and for the plain server
 * they are compared with. It trusts every connection from this machine: store nothing of value in it.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { chown, mkdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { installedPostgres } from '@carton/runtime/testing';
import pg from 'pg';
import { chooseAccount, cleanEnvironment, runAs, spawnIdentity } from '../../runtime/db/embedded/account.ts';

/** The PostgreSQL version that the extension is built for. */
export const version = 15;

/** The path of one of its programs. @throws Error if the version is not installed */
export function programOfPostgres(name: string): string {
  const found = installedPostgres(name).find((each) => each.version === String(version));
  if (!found)
    throw new Error(`${name} of PostgreSQL ${version} is not installed: apt-get install postgresql-${version}`);
  return join(found.programs, name);
}

export const host = '127.0.0.1';

export interface Server {
  readonly name: string;
  readonly port: number;
  /** @throws Error with the end of its log if it does not start */
  start(): Promise<void>;
  /** `SIGINT` is a fast shutdown, `SIGKILL` a crash. Resolves when the process has exited. */
  stop(signal?: 'SIGINT' | 'SIGKILL'): Promise<void>;
  url(database?: string): string;
}

/** Initialises a server in `folder/name` without starting it. `settings` are those of postgresql.conf. */
export async function initServer(folder: string, name: string, settings: Record<string, string>): Promise<Server> {
  const home = join(folder, name);
  const data = join(home, 'data');
  const account = await chooseAccount(data);
  await mkdir(home, { recursive: true });
  if (account.borrowed) await chown(home, account.uid, account.gid);
  const initialised = await runAs(account, programOfPostgres('initdb'), [
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
  if (initialised.status !== 0) throw new Error(`initdb failed: ${initialised.output}`);
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
  let exited: Promise<unknown> = Promise.resolve();
  let running: ReturnType<typeof spawn> | null = null;

  return {
    name,
    port,
    url,
    async start() {
      const output = openSync(logFile, 'a', 0o600);
      const child = spawn(programOfPostgres('postgres'), parameters, {
        ...spawnIdentity(account),
        cwd: data,
        env: cleanEnvironment,
        stdio: ['ignore', output, output],
        detached: true,
      });
      closeSync(output);
      running = child;
      exited = once(child, 'exit').then(() => {
        running = null;
      });
      while (!(await acceptsConnections(url()))) {
        if (!running) throw new Error(`PostgreSQL did not start:\n${(await readFile(logFile, 'utf8')).slice(-1500)}`);
        await sleep(50);
      }
    },
    async stop(signal = 'SIGINT') {
      running?.kill(signal);
      await exited;
    },
  };
}

async function acceptsConnections(url: string): Promise<boolean> {
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

/** Returns a free port. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
