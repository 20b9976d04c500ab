/**
 * The goods: what is sold and for how much, which staff change often, and many at once, and which nearly every request of
 * shoppers reads by id. Their rows are kept in memory by id, under the tenant's version of the goods.
 *
 * The version is replaced behind the commit of each transaction that has written the goods, before the transaction is
 * answered: then writers neither wait for each other nor undo each other's serializable transactions, as they would if each
 * wrote the version too. So a change that has been answered is in everything that is read after it. A process that ends
 * between the two has answered nothing, and its change is seen by other processes within a minute.
 *
 * A unit of work that has read the version gets rows as they were then or later.
 */
import { LRUCache } from 'lru-cache';
import { declareGoods, frozen, numberOf } from './reference-data.ts';

/** A statement that reads rows of the goods by id. */
export interface GoodsRows<R> {
  /** `$1` is the tenant, `$2` the ids; other values follow. The rows depend on nothing else. */
  readonly text: string;
  readonly id: keyof R & string;
  /** Whether a row stays as it is until goods are written; it is not kept if not. Default: it does. */
  lasts?(row: R): boolean;
}

/** Declares a statement for `readGoods`, and the tables that it reads as tables of the goods. */
export function goodsRows<R>(rows: GoodsRows<R>): GoodsRows<R> {
  declareGoods(rows.text);
  return rows;
}

/** The statement behind a commit. A tenant whose data is being removed gets no row. */
export const replaceGoodsVersion = `
  insert into reference_versions (tenant_id, version, goods)
  select id, $2::uuid, $2::uuid from tenants where id = $1 and removal_started_at is null
  on conflict (tenant_id) do update set goods = excluded.goods`;

interface Kept {
  version: string;
  /** Null for an id without a row. */
  row: object | null;
}

/** The rows that a process keeps: at most 8 million characters of JSON. */
export class KeptGoods {
  readonly #kept = new LRUCache<string, Kept>({
    maxSize: 8_000_000,
    ttl: 60_000,
    // Otherwise it has a timer of a millisecond for each read.
    ttlResolution: 1000,
    sizeCalculation: ({ row }, key) => JSON.stringify(row).length + key.length,
  });

  /**
   * Returns the rows with these ids in any order: those in memory, and the others by `read`. They are shared, hence frozen.
   * @param read runs the statement for some ids, in a snapshot no older than the version
   */
  async get<R extends object>(
    rows: GoodsRows<R>,
    { ids, values }: { ids: readonly string[]; values: readonly unknown[] },
    { tenantId, version }: { tenantId: string; version: string },
    read: (ids: string[]) => Promise<R[]>,
  ): Promise<R[]> {
    const prefix = `${numberOf(rows)} ${tenantId} ${JSON.stringify(values)}`;
    const found: R[] = [];
    const missing: string[] = [];
    for (const id of ids) {
      const kept = this.#kept.get(`${prefix} ${id}`);
      if (kept?.version !== version) missing.push(id);
      else if (kept.row) found.push(kept.row as R);
    }
    if (missing.length === 0) return found;
    const fresh = await read(missing);
    const absent = new Set(missing);
    for (const row of fresh) {
      const id = row[rows.id] as string;
      absent.delete(id);
      found.push(frozen(row));
      if (rows.lasts?.(row) !== false) this.#kept.set(`${prefix} ${id}`, { version, row });
    }
    for (const id of absent) this.#kept.set(`${prefix} ${id}`, { version, row: null });
    return found;
  }
}
