/**
 * A box in the process of the rig, with all packages and a PostgreSQL server of its own.
 */
import { join } from 'node:path';
import { createTestBox, type TestBox } from '@carton/runtime/testing';
import { startEmbeddedPostgres } from '../../runtime/db/embedded.ts';
import type { Stage } from './rig.ts';

/** Starts a box with an empty database that is not durable; it stops when the rig ends. */
export async function startInProcessBox(stage: Stage, environment: NodeJS.ProcessEnv = {}): Promise<TestBox> {
  const postgres = await startEmbeddedPostgres({
    directory: join(stage.folder, 'postgresql'),
    settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' },
  });
  stage.atEnd('PostgreSQL', () => postgres.stop());
  process.env.TEST_DATABASE_URL = postgres.url;
  const ends = { teardown: (task: () => Promise<void>) => stage.atEnd('the box', task) };
  return createTestBox(ends, { database: 'empty', environment });
}
