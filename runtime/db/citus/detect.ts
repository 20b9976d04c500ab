/**
 * Whether a database is distributed by Citus.
 */
import type { Knex } from 'knex';

/** @throws Error when this is not the node that knows the others */
export async function isCitus(knex: Knex): Promise<boolean> {
  const { rows: found } = await knex.raw(`select from pg_extension where extname = 'citus'`);
  if (found.length === 0) return false;
  const { rows } = await knex.raw<{ rows: [{ coordinator: boolean }] }>('select citus_is_coordinator() as coordinator');
  if (!rows[0].coordinator) throw new Error('DATABASE_URL names a worker of Citus: it has to name the coordinator');
  return true;
}
