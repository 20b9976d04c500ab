/**
 * The homes of tenants in Citus. The rows of a tenant stand together on one node, in tables of their own (shards), which
 * are plain PostgreSQL: there a box says its statements, not to the coordinator, which plans each anew, cannot plan all,
 * and is one machine. Citus keeps the shards: it makes, copies and moves them.
 *
 * What Citus does on a node when it writes is done here too: the lock that a move of the shard waits for and is waited
 * for by, then the look whether the shard is still there.
 */
import type { Knex } from 'knex';
import { vendor } from '../../vendor.ts';
import { type ConnectionOptions, connect } from '../connection.ts';
import type { Placement, Placements } from '../placement.ts';

const lockFunction = `${vendor.name}_hold_shard`;
/** Of the class of errors after which work may be done again. */
const movedState = '40CTN';

/**
 * Makes the function by which a shard is held, on every node. The lock's mode 5 is SHARE, as Citus takes it for a write.
 * A snapshot that is older than the lock would still show a shard that has left: there its entry is locked, which fails
 * when that has changed since.
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
  /** Where its range of hashes begins; null for a table that is whole on every node. */
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

/** The layout of the shards at one moment. */
interface Layout {
  /** A table whose shards tell the range of a tenant. */
  anchor: string;
  ranges: Map<string, Placement>;
}

export interface CitusPlacements extends Placements {
  /** The pools of the nodes that have been asked something. */
  readonly pools: ReadonlyMap<string, Knex>;
}

/** @param coordinator a pool of connections to the node that knows the others, with the same options */
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
    const whole = rows.filter(({ range }) => range === null);
    const dealt = rows.filter(({ range }) => range !== null);
    const [first] = dealt;
    if (!first) throw new Error('no table is distributed by Citus');
    const anchors = dealt.filter(({ table }) => table === first.table);
    const placements = anchors.map(({ range, shard, host, port }): [string, Placement] => {
      const here = dealt.filter((row) => row.range === range);
      const shardLock = { name: 'hold', text: `select ${lockFunction}($1)`, values: [shard] };
      return [range as string, { knex: poolOf(host, port), statement: sayer(here, whole), shardLock }];
    });
    return { anchor: first.table, ranges: new Map(placements) };
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
      layout ??= kept(readLayout(), () => {
        layout = undefined;
      });
      const current = layout;
      let range = ranges.get(tenantId);
      if (!range) {
        range = kept(
          current.then((read) => readRange(tenantId, read)),
          () => ranges.delete(tenantId),
        );
        ranges.set(tenantId, range);
      }
      const placement = (await current).ranges.get(await range);
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

/** A promise that is forgotten when it fails, so that the next one asks anew. */
function kept<T>(promise: Promise<T>, invalidate: () => void): Promise<T> {
  promise.catch(invalidate);
  return promise;
}

function urlAt(url: string, host: string, port: number): string {
  return url.replace(/^(postgres(?:ql)?:\/\/(?:[^/]*@)?)[^/]*/, `$1${host}:${port}`);
}

/**
 * Says a statement to the shards of a node instead of the tables. One that writes to a table that is whole on every
 * node stays as it is: Citus writes it on all of them.
 */
function sayer(here: readonly ShardRow[], whole: readonly ShardRow[]): (text: string) => string {
  const names = new Map([...here, ...whole].map(({ table, shard }) => [table, `${table}_${shard}`]));
  const wholeNames = whole.map(({ table }) => table).join('|') || '(?!)';
  const writesWhole = new RegExp(`\\b(insert\\s+into|update|delete\\s+from)\\s+"?(${wholeNames})\\b`, 'i');
  // A text is left alone, and so is a column.
  const name = new RegExp(`'(?:[^']|'')*'|(?<![.\\w]|\\.")\\b(?:${[...names.keys()].join('|')})\\b`, 'g');
  const said = new Map<string, string>();
  return (text) => {
    let there = said.get(text);
    if (there === undefined) {
      there = writesWhole.test(text) ? text : text.replace(name, (found) => names.get(found) ?? found);
      said.set(text, there);
    }
    return there;
  };
}
