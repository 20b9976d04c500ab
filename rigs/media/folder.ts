/**
 * What a box has in its storage of media, compared with its records.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Reader, withReader } from '../support/postgres.ts';
import type { Stage } from '../support/rig.ts';

/** Milliseconds until the clean-up must have finished. */
const cleanupTimeout = 60_000;

/** Returns the paths of all files below a folder. */
export async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}

/** Lets files of failed uploads expire, which takes two hours otherwise, and waits for the job that deletes them. */
export function cleanUp(stage: Stage, url: string): Promise<void> {
  return withReader(url, async (read) => {
    await read('update media_files set expires_at = now() where asset_id is null');
    await read(`update background_tasks set due_at = now() where name = 'media.delete-files'`);
    const until = Date.now() + cleanupTimeout;
    while (Date.now() < until) {
      const [left] = await read<{ count: number }>(
        'select count(*)::integer as count from media_files where asset_id is null',
      );
      if (left?.count === 0) return;
      await sleep(100, undefined, { signal: stage.signal });
    }
    throw new Error('the files of failed uploads were not deleted');
  });
}

/** Compares the files of a tenant in the storage, by their names, with its records: neither has more than the other. */
export async function orphanFaults(read: Reader, names: readonly string[], tenantId: string): Promise<string[]> {
  const text = 'select id from media_files where tenant_id = $1 and asset_id is not null';
  const rows = await read<{ id: string }>(text, [tenantId]);
  const known = new Set(rows.map(({ id }) => id));
  const stored = new Set(names);
  return [
    ...[...stored].filter((name) => !known.has(name)).map((name) => `the file ${name} is of no asset`),
    ...[...known].filter((id) => !stored.has(id)).map((id) => `the file ${id} of an asset is not stored`),
  ];
}
