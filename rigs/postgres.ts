/**
 * The PostgreSQL of a rig: the box's embedded one, or one of the rig's own that boxes reach over the network; crashed
 * and read.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { readPostmaster } from '../runtime/db/embedded/server.ts';
import { startEmbeddedPostgres } from '../runtime/db/embedded.ts';
import type { Stage } from './rig.ts';

/** Starts a PostgreSQL in the rig's folder, which keeps it running; it is stopped with the stage. */
export async function startRigPostgres(
  stage: Stage,
  settings: Record<string, string> = {},
): Promise<{ url: string; folder: string }> {
  const folder = join(stage.folder, 'postgresql');
  const postgres = await startEmbeddedPostgres({ directory: folder, settings });
  stage.atEnd('PostgreSQL', () => postgres.stop());
  return { url: postgres.url, folder };
}

/**
 * Ends a PostgreSQL at once, as `pg_ctl stop -m immediate` does: nothing is written out, and the next start recovers.
 * Whoever keeps it running starts it again; resolves with the milliseconds until it takes connections.
 */
export async function crashPostgres(stage: Stage, folder: string): Promise<number> {
  const data = join(folder, 'data');
  const before = readPostmaster(data);
  if (!before) throw new Error(`no PostgreSQL runs in ${folder}`);
  const begun = performance.now();
  process.kill(before.pid, 'SIGQUIT');
  for (;;) {
    stage.signal.throwIfAborted();
    const now = readPostmaster(data);
    if (now && now.pid !== before.pid && now.status === 'ready') return performance.now() - begun;
    await sleep(20);
  }
}

/** Reads with the rights of the database's owner, past every tenant's border. */
export async function withReader<T>(
  url: string,
  work: (read: <R>(text: string, values?: unknown[]) => Promise<R[]>) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {}); // what is under way fails as well, and tells
  await client.connect();
  try {
    return await work(async (text, values = []) => (await client.query(text, values)).rows);
  } finally {
    await client.end();
  }
}

/** The address of the PostgreSQL that a live box runs. */
export async function urlOfEmbedded(folder: string): Promise<string> {
  const { url, owned, stop } = await startEmbeddedPostgres({ directory: folder });
  if (!owned) return url;
  await stop();
  throw new Error(`no box runs the PostgreSQL in ${folder}`);
}
