/**
 * The placements of tenants in Citus. All rows of a tenant are on one node, in tables of their own (shards), which are
 * plain PostgreSQL tables. A box sends a tenant's statements to that node and not to the coordinator, which plans each
 * one again, cannot plan all of them, and is one machine. Citus manages the shards: it creates, copies and moves them.
 *
 * A write takes the same precautions as Citus does on a node: it acquires the lock that excludes moving the shard, then
 * checks that the shard is still there.
 */
import type { Knex } from 'knex';
import { vendor } from '../../vendor.ts';
import { type ConnectionOptions, connect } from '../connection.ts';
import type { Placement, Placements } from '../placement.ts';

const lockFunction = `${vendor.name}_hold_shard`;
/** In the class of errors after which work may be retried. */
const movedState = '40CTN';

/**
 * Creates, on every node, the function that locks a shard. Lock mode 5 is SHARE, the mode that Citus uses for a write.
 * A snapshot older than the lock could still show a shard that has moved: in that case the shard's entry is locked too,
 * which fails if it has changed since.
 */
export async function createShardLockFunction(transaction: Knex): Promise<void> {
  await transaction.raw(`
    create or replace function ${lockFunction}(shard bigint) returns void language plpgsql security definer
        set search_path = pg_catalog as $$
    begin
      perform lock_shard_metadata(5, array[shard]);
      if current_setting('transaction_isolation') = 'read committed' then
        perform from pg_dist_placement join pg_dist_local_group using (groupid) where shardid = shard;
      else
        perform from pg_dist_placement placement join pg_dist_local_group using (groupid) where shardid = shard
            for key share of placement;
      end if;
      if not found then
        raise exception 'shard % has moved to another node', shard using errcode = '${movedState}';
      end if;
    end $$`);
}

interface ShardRow {
  table: string;
  shard: string;
  /** The lower bound of its hash range; null for a reference table, which has a copy on every node. */
  range: string | null;
  host: string;
  port: number;
}

const shardsStatement = `
  select relname as "table", shardid::text as shard, shardminvalue as range, nodename as host, nodeport as port
    from pg_dist_partition
    join pg_class on pg_class.oid = logicalrelid and relnamespace = current_schema()::regnamespace
    join pg_dist_shard using (logicalrelid)
    join pg_dist_placement using (shardid)
    join pg_dist_node using (groupid)
   where noderole = 'primary' and (partmethod = 'h' or repmodel = 't')
   order by relname, shardid`;

/** A snapshot of the shards and their nodes. */
interface Layout {
  /** A table whose shards determine the hash range of a tenant. */
  anchor: string;
  placements: Map<string, Placement>;
}

export interface CitusPlacements extends Placements {
  /** The pools of the nodes that were used. */
  readonly pools: ReadonlyMap<string, Knex>;
}

/** @param coordinator a pool of connections to the coordinator, with the same options */
export function openCitusPlacements(coordinator: Knex, options: ConnectionOptions): CitusPlacements {
  const pools = new Map<string, Knex>();
  const ranges = new Map<string, Promise<string>>();
  let layout: Promise<Layout> | undefined;

  const poolOf = (host: string, port: number): Knex => {
    const node = `${host}:${port}`;
    let pool = pools.get(node);
    if (!pool) {
      const settings = { 'citus.enable_manual_changes_to_shards': 'on' };
      pool = connect({ ...options, url: urlAt(options.url, host, port), settings });
      pools.set(node, pool);
    }
    return pool;
  };

  const readLayout = async (): Promise<Layout> => {
    const { rows } = await coordinator.raw<{ rows: ShardRow[] }>(shardsStatement);
    const referenceTables = rows.filter(({ range }) => range === null);
    const shards = rows.filter(({ range }) => range !== null);
    const [first] = shards;
    if (!first) throw new Error('no table is distributed by Citus');
    const anchors = shards.filter(({ table }) => table === first.table);
    const placements = anchors.map(({ range, shard, host, port }): [string, Placement] => {
      const colocated = shards.filter((row) => row.range === range);
      const shardLock = { name: 'hold', text: `select ${lockFunction}($1)`, values: [shard] };
      return [
        range as string,
        { knex: poolOf(host, port), rewrite: rewriterFor(colocated, referenceTables), shardLock },
      ];
    });
    return { anchor: first.table, placements: new Map(placements) };
  };

  const readRange = async (tenantId: string, { anchor }: Layout): Promise<string> => {
    const { rows } = await coordinator.raw<{ rows: [{ range: string }] }>(
      `select shardminvalue as range from pg_dist_shard
        where shardid = get_shard_id_for_distribution_column(?::regclass, ?::uuid)`,
      [anchor, tenantId],
    );
    return rows[0].range;
  };

  return {
    pools,
    async of(tenantId) {
      layout ??= evictOnFailure(readLayout(), () => {
        layout = undefined;
      });
      const current = layout;
      let range = ranges.get(tenantId);
      if (!range) {
        range = evictOnFailure(
          current.then((read) => readRange(tenantId, read)),
          () => ranges.delete(tenantId),
        );
        ranges.set(tenantId, range);
      }
      const placement = (await current).placements.get(await range);
      if (!placement) throw new Error(`no shard holds the tenant ${tenantId}`);
      return placement;
    },
    hasMoved: (error) => (error as { code?: unknown }).code === movedState,
    invalidate() {
      layout = undefined;
      ranges.clear();
    },
    close: async () => {
      await Promise.all([...pools.values()].map((pool) => pool.destroy()));
    },
  };
}

/** Evicts a cached promise that fails, so that the next call tries again. */
function evictOnFailure<T>(promise: Promise<T>, evict: () => void): Promise<T> {
  promise.catch(evict);
  return promise;
}

function urlAt(url: string, host: string, port: number): string {
  return url.replace(/^(postgres(?:ql)?:\/\/(?:[^/]*@)?)[^/]*/, `$1${host}:${port}`);
}

/**
 * Returns a function that replaces the names of tables in a statement with those of a node's shards. A statement that
 * writes to a reference table is not changed: Citus runs it on all nodes.
 */
function rewriterFor(shards: readonly ShardRow[], referenceTables: readonly ShardRow[]): (text: string) => string {
  const names = new Map([...shards, ...referenceTables].map(({ table, shard }) => [table, `${table}_${shard}`]));
  const referenceNames = referenceTables.map(({ table }) => table).join('|') || '(?!)';
  const writesReference = new RegExp(`\\b(insert\\s+into|update|delete\\s+from)\\s+"?(${referenceNames})\\b`, 'i');
  // String literals are matched first, so that they stay as they are; a name after a dot is a column, and one in quotes
  // after `as` names a column of the result.
  const name = new RegExp(`'(?:[^']|'')*'|(?<![.\\w]|\\."|\\bas ")\\b(?:${[...names.keys()].join('|')})\\b`, 'g');
  const cache = new Map<string, string>();
  return (text) => {
    let rewritten = cache.get(text);
    if (rewritten === undefined) {
      rewritten = writesReference.test(text) ? text : text.replace(name, (found) => names.get(found) ?? found);
      cache.set(text, rewritten);
    }
    return rewritten;
  };
}
