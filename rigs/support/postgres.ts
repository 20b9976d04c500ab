/**
 * The PostgreSQL of a rig: the box's embedded one, or a separate one for several boxes. Starts, crashes and reads it.
 */
import { readdir, readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { readPostmaster } from '../../runtime/db/embedded/server.ts';
import { startEmbeddedPostgres } from '../../runtime/db/embedded.ts';
import type { Stage } from './rig.ts';

/** Starts a PostgreSQL in a folder of the rig, restarted after crashes; it is stopped when the rig ends. */
export async function startRigPostgres(
  stage: Stage,
  { folder = stage.folder }: { folder?: string } = {},
): Promise<{ url: string; folder: string }> {
  const directory = join(folder, 'postgresql');
  const postgres = await startEmbeddedPostgres({ directory });
  stage.atEnd('PostgreSQL', () => postgres.stop());
  return { url: postgres.url, folder: directory };
}

/**
 * Stops a PostgreSQL as `pg_ctl stop -m immediate` does, without a checkpoint, so that the next start recovers. Its
 * supervisor restarts it; resolves with the milliseconds until it accepts connections.
 */
export async function crashPostgres(stage: Stage, folder: string): Promise<number> {
  const data = join(folder, 'data');
  const before = readPostmaster(data);
  if (!before) throw new Error(`no PostgreSQL runs in ${folder}`);
  const started = performance.now();
  process.kill(before.pid, 'SIGQUIT');
  for (;;) {
    stage.signal.throwIfAborted();
    const now = readPostmaster(data);
    if (now && now.pid !== before.pid && now.status === 'ready') return performance.now() - started;
    await sleep(20);
  }
}

/** Returns the rows of a statement. */
export type Reader = <R>(text: string, values?: unknown[]) => Promise<R[]>;

/** Reads as the owner of the database, whom row-level security does not limit. */
export async function withReader<T>(url: string, work: (read: Reader) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {}); // queries in progress fail with the same error
  await client.connect();
  try {
    return await work(async (text, values = []) => (await client.query(text, values)).rows);
  } finally {
    await client.end();
  }
}

/** Returns the URL of the PostgreSQL of a running box. */
export async function urlOfEmbedded(folder: string): Promise<string> {
  const { url, owned, stop } = await startEmbeddedPostgres({ directory: folder });
  if (!owned) return url;
  await stop();
  throw new Error(`no box runs the PostgreSQL in ${folder}`);
}

/** Returns the process ids of the servers that run on a folder: one, or the data would be destroyed. */
export async function postmastersIn(folder: string): Promise<number[]> {
  const data = await realpath(join(folder, 'data'));
  const found = new Map<number, number>();
  for (const name of (await readdir('/proc')).filter((each) => /^\d+$/.test(each))) {
    const words = (await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '')).split('\0');
    if (!words[0]?.endsWith('/postgres') || !words.includes(data)) continue;
    const [, parent] = /^PPid:\s+(\d+)/m.exec(await readFile(`/proc/${name}/status`, 'utf8').catch(() => '')) ?? [];
    found.set(Number(name), Number(parent));
  }
  // A new session has the command line of its server until it sets its title.
  return [...found].filter(([, parent]) => !found.has(parent)).map(([pid]) => pid);
}
