/**
 * Indexes on texts are in the order of a collation. Another version of ICU or of the C library may have another order, and
 * then they must be rebuilt.
 *
 * The version of each is in its comment, since that of the collation does not say it: pg_upgrade takes the indexes over,
 * while PostgreSQL's own collations are those of the new server. Without a comment it is the collation's.
 */
import type pg from 'pg';
import type { Logger } from 'pino';

const mark = 'Collations: ';

interface CollatedIndex {
  /** Quoted if necessary, and with its schema unless that is the current one. */
  name: string;
  /** Its collations with the versions in which it is sorted, and with those of now. */
  recorded: string;
  actual: string;
  isRecorded: boolean;
  /** What operators have noted in the comment. */
  note: string;
  /** Whether the default collation is all that it uses, whose version pg_upgrade takes over too. */
  isDefault: boolean;
  isExclusion: boolean;
}

/** The collations that indexes use, with their versions. That of the database is `default`. */
const versions = `
  used as (select indexrelid, unnest(indcollation::oid[]) as used_oid from pg_index),
  versions as (
    select oid, collname::text as name, collversion as recorded, pg_collation_actual_version(oid) as actual,
           format('collation %I.%I refresh version', nspname, collname) as refresh
      from (select pg_collation.*, nspname from pg_collation join pg_namespace on pg_namespace.oid = collnamespace
             where collprovider <> 'd' and pg_collation.oid in (select used_oid from used) offset 0) used_collations
    union all
    select pg_collation.oid, 'default', datcollversion, pg_database_collation_actual_version(pg_database.oid),
           format('database %I refresh collation version', datname)
      from pg_database, pg_collation where datname = current_database() and collprovider = 'd')`;

const indexes = `
  with ${versions}
  select indexrelid::regclass::text as name, indisexclusion as "isExclusion",
         known is not null as "isRecorded", every(versions.name = 'default') as "isDefault",
         coalesce(regexp_replace(comment, '\\s*' || $1 || '.*', ''), '') as note,
         coalesce(known, string_agg(distinct versions.name || ' ' || recorded, ', '
                                    order by versions.name || ' ' || recorded)) as recorded,
         string_agg(distinct versions.name || ' ' || actual, ', ' order by versions.name || ' ' || actual) as actual
    from used
    join versions on versions.oid = used_oid and recorded is not null and actual is not null
    join pg_index using (indexrelid)
    join pg_class on pg_class.oid = indexrelid and relkind = 'i' and pg_has_role(relowner, 'usage')
    join pg_namespace on pg_namespace.oid = relnamespace and nspname !~ '^pg_' and nspname <> 'information_schema'
   cross join lateral (select obj_description(indexrelid, 'pg_class') as comment) described
   cross join lateral (select substring(comment from $1 || '(.*)') as known) marked
   where indisvalid and ($2::text is null or indexrelid = to_regclass($2))
   group by indexrelid, indisexclusion, comment, known
   order by name`;

async function findIndexes(client: pg.Client, name: string | null = null): Promise<CollatedIndex[]> {
  return (await client.query<CollatedIndex>(indexes, [mark, name])).rows;
}

async function record(client: pg.Client, { name, actual, note }: CollatedIndex): Promise<void> {
  const comment = `${note}${note && '\n'}${mark}${actual}`;
  await client.query(`comment on index ${name} is ${client.escapeLiteral(comment)}`);
}

/** Records the versions in which an index has just been built. */
export async function recordVersions(client: pg.Client, name: string): Promise<void> {
  for (const index of await findIndexes(client, name)) await record(client, index);
}

/** Removes what a rebuild that was killed has left. */
async function dropUnfinished(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select indexrelid::regclass::text as name from pg_index join pg_class on pg_class.oid = indexrelid
      where not indisvalid and relname ~ '_cc(new|old)[0-9]*$' and pg_has_role(relowner, 'usage')`,
  );
  for (const { name } of rows) await client.query(`drop index concurrently if exists ${name}`);
}

/**
 * Rebuilds the indexes whose collation has another version by now, while they are used, and records the versions.
 * @returns how many could not be rebuilt
 */
export async function rebuildIndexes(client: pg.Client, log: Logger): Promise<number> {
  await dropUnfinished(client);
  const found = await findIndexes(client);
  const stale = found.filter(({ recorded, actual }) => recorded !== actual);
  for (const index of found) {
    if (!index.isRecorded && !index.isDefault && !stale.includes(index)) await record(client, index);
  }
  let failed = 0;
  for (const [at, index] of stale.entries()) {
    const { name, recorded, actual } = index;
    log.info(
      { index: name, recorded, actual },
      `rebuilding index ${at + 1} of ${stale.length}: its collation has changed`,
    );
    try {
      await client.query(`reindex index ${index.isExclusion ? '' : 'concurrently'} ${name}`);
      await record(client, index);
    } catch (error) {
      if (!isOfIndex(error)) throw error;
      failed += 1;
      log.error({ err: error, index: name }, 'an index whose collation has changed could not be rebuilt');
    }
  }
  if (stale.length > 0)
    log.info({ rebuilt: stale.length - failed, failed }, 'rebuilt indexes whose collation has changed');
  if (failed === 0) await refreshVersions(client);
  return failed;
}

/** Rows that are duplicates in the new order, or a row that is too long: the other indexes can be rebuilt. */
function isOfIndex(error: unknown): boolean {
  return /^(23|54)/.test(String((error as { code?: unknown }).code));
}

/** Records the versions of the collations too, as far as the box may: PostgreSQL then no longer warns of them. */
async function refreshVersions(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ refresh: string }>(
    `with ${versions} select refresh from versions where recorded is distinct from actual and recorded is not null`,
  );
  for (const { refresh } of rows) {
    await client.query(`alter ${refresh}`).catch((error) => {
      if (error.code !== '42501') throw error;
    });
  }
}
