/**
 * The folder of a box that runs as processes of its own, with its PostgreSQL in it.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Test } from 'tap';
import { readLocation } from '../db/embedded/cluster.ts';
import { killAllIn } from '../db/embedded/server.ts';
import { folderInProject } from './folders.ts';

/** Creates the folder. It is removed when the box has ended: a box that is killed leaves its PostgreSQL to the next. */
export async function homeOfBox(t: Test, prefix: string): Promise<string> {
  const home = await folderInProject(prefix);
  t.teardown(async () => {
    const directory = join(home, 'data', 'postgresql');
    await killAllIn(join((await readLocation(directory)) ?? directory, 'data'));
    await rm(home, { recursive: true, force: true });
  });
  return home;
}
