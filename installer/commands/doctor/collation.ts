/**
 * What `doctor` says of collations, the orders of texts, in the database of a box.
 */
import type pg from 'pg';
import { withDatabase } from '../../backup/database.ts';
import type { BoxFolder } from '../../box/folder.ts';
import { asFailure } from '../../failure.ts';
import { vendor } from '../../vendor.ts';

interface Result {
  state: 'ok' | 'warning';
  message: string;
  advice: string;
}

interface Collations {
  hasIcu: boolean;
  /** Indexes in the order of another version, which the box rebuilds. */
  stale: number;
  /** The statements that record the versions which indexes have now. */
  unrecorded: string[];
}

/** As the engine's `runtime/db/collation-versions.ts` does: the comment of an index has the versions of its collations. */
const statement = `
  with used as (select indexrelid, unnest(indcollation::oid[]) as used_oid from pg_index),
  versions as (
    select oid, collname::text as name, collversion as recorded, pg_collation_actual_version(oid) as actual,
           format('alter collation %I.%I refresh version', nspname, collname) as refresh
      from (select pg_collation.*, nspname from pg_collation join pg_namespace on pg_namespace.oid = collnamespace
             where collprovider <> 'd' and pg_collation.oid in (select used_oid from used) offset 0) used_collations
    union all
    select pg_collation.oid, 'default', datcollversion, pg_database_collation_actual_version(pg_database.oid),
           format('alter database %I refresh collation version', datname)
      from pg_database, pg_collation where datname = current_database() and collprovider = 'd'),
  indexes as (
    select coalesce(substring(comment from 'Collations: (.*)'),
                    string_agg(distinct versions.name || ' ' || recorded, ', ' order by versions.name || ' ' || recorded))
             as recorded,
           string_agg(distinct versions.name || ' ' || actual, ', ' order by versions.name || ' ' || actual) as actual
      from used
      join versions on versions.oid = used_oid and recorded is not null and actual is not null
      join pg_index using (indexrelid)
      join pg_class on pg_class.oid = indexrelid and relkind = 'i' and pg_has_role(relowner, 'usage')
      join pg_namespace on pg_namespace.oid = relnamespace and nspname !~ '^pg_' and nspname <> 'information_schema'
     cross join lateral (select obj_description(indexrelid, 'pg_class') as comment) described
     where indisvalid
     group by indexrelid, comment)
  select exists (select from pg_collation where collname = 'und-x-icu') as "hasIcu",
         (select count(*)::int from indexes where recorded <> actual) as stale,
         array(select refresh from versions where recorded <> actual order by name) as unrecorded`;

export async function findCollations(client: pg.Client): Promise<Collations> {
  return (await client.query<Collations>(statement)).rows[0] as Collations;
}

/** Whether lists are in the right order, which no request depends on. */
export async function checkCollation(folder: BoxFolder): Promise<Result> {
  const found = await withDatabase(folder, findCollations).catch((error) => {
    if (asFailure(error).code === 'not_running') return undefined;
    throw error;
  });
  if (!found) return { state: 'ok', message: 'the database does not run: its collations were not checked', advice: '' };
  const { hasIcu, stale, unrecorded } = found;
  if (stale > 0) {
    const message = `${stale} ${stale === 1 ? 'index' : 'indexes'} of the database must be rebuilt, since the version of a collation has changed: until then, lists may be in the wrong order`;
    return { state: 'warning', message, advice: `The box does it while it runs: see ${vendor} logs` };
  }
  if (unrecorded.length > 0) {
    const message = 'PostgreSQL warns of collations with another version, although their indexes were rebuilt';
    return { state: 'warning', message, advice: `As a superuser of PostgreSQL run: ${unrecorded.join('; ')}` };
  }
  if (!hasIcu) {
    const message = 'the database has no ICU: lists sorted by title have letters with accents after Z';
    return { state: 'warning', message, advice: 'To have them in the order of languages, use a PostgreSQL with ICU' };
  }
  return { state: 'ok', message: 'the database has ICU, and its indexes are in the order of its version', advice: '' };
}
