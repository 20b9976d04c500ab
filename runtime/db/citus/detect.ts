/**
 * Detects a database that is distributed by Citus.
 */
import type { Knex } from 'knex';

/** True for a Citus coordinator. @throws Error when the node is a worker */
export async function isCitus(knex: Knex): Promise<boolean> {
  const { rows: found } = await knex.raw(`select from pg_extension where extname = 'citus'`);
  if (found.length === 0) return false;
  const { rows } = await knex.raw<{ rows: [{ coordinator: boolean }] }>('select citus_is_coordinator() as coordinator');
  if (!rows[0].coordinator) throw new Error('DATABASE_URL names a Citus worker: it must name the coordinator');
  return true;
}
