/**
 * The pages of the storefront, for the sitemap: each package lists those of its resources.
 */
import type { TenantDatabase } from '../db/tenant-database.ts';
import { extensionPoint } from '../extension/extension.ts';

/** A public page. */
export interface StorefrontAddress {
  /** From the root of the storefront: `/products/linen-shirt`. */
  readonly path: string;
  /** When its content last changed, ISO 8601. */
  readonly changedAt: string;
}

/** Public pages as they are listed. */
export interface StorefrontPage {
  readonly items: readonly StorefrontAddress[];
  /** Where the following pages begin; null after the last. */
  readonly next: string | null;
  /** Milliseconds until a page appears or disappears by the time alone; absent or null for never. */
  readonly changesIn?: number | null;
}

/** What tells whether listed pages are up to date. */
export interface AddressesVersion {
  /** Another one after each change of the pages, apart from those by the time alone. */
  readonly text: string;
  /** Seconds since the last change; null without any. */
  readonly age: number | null;
}

/** Pages of one kind. */
export interface StorefrontAddresses {
  /** Unique in a box; names the part of the sitemap: `products`. */
  readonly name: string;
  /**
   * The version of the pages, which must cost little however many there are. Without it, or if it is null, they are read
   * at each request of the sitemap.
   */
  version?(db: TenantDatabase): Promise<AddressesVersion | null>;
  /**
   * The public pages, by keyset, in an order that is stable under writes.
   * @param after the previous result's `next`, null for the first
   * @param limit maximum number of items; fewer do not mean that there are no more, only `next: null` does
   */
  list(db: TenantDatabase, after: string | null, limit: number): Promise<StorefrontPage>;
}

/** The extension point at which packages list pages of the storefront. */
export const storefrontAddresses = extensionPoint<StorefrontAddresses>('storefront.addresses');

/** A condition on rows, with the values of its parameters. */
export interface AddressCondition {
  readonly sql: string;
  readonly values: readonly unknown[];
  /** Whether it reads other tables, so that the times of the rows do not tell its changes. */
  readonly readsOtherTables?: boolean;
}

interface HandleOptions {
  /** The condition for public rows, with parameters from `$5` on. Default: all rows. */
  visible?: (db: TenantDatabase) => Promise<AddressCondition>;
  /** The condition of the index on `(tenant_id, updated_at, id)`. Default: it has all rows. */
  exists?: string;
  /** SQL for the next time at which a row appears or disappears by the time alone. Default: never. */
  changesAt?: string;
  /** An indexed column that has this time while it is ahead, if there is one. */
  changesAtColumn?: string;
}

interface VersionRow {
  changedAt: string | null;
  deletedAt: string | null;
  times: string | null;
  age: number | null;
}

const timesOf = (table: string, column: string) =>
  `select concat_ws(' ', min(${column}), max(${column})) from ${table} where tenant_id = $1 and ${column} is not null`;

/**
 * A page for each row of a table with the columns `handle`, `updated_at` and `external_id`, at `/<table>/<handle>`, in the
 * order of ids. Whatever changes the visibility of a row sets the `updated_at` of one.
 */
export function addressesByHandle(
  table: string,
  {
    visible = async () => ({ sql: 'true', values: [] }),
    exists = 'true',
    changesAt = 'null',
    changesAtColumn,
  }: HandleOptions = {},
): StorefrontAddresses {
  return {
    name: table,
    async version(db) {
      const { readsOtherTables, values } = await visible(db);
      if (readsOtherTables) return null;
      const [found] = await db.query<VersionRow>(
        `select changed_at, deleted_at, times,
                extract(epoch from clock_timestamp() - greatest(changed_at, deleted_at))::float8 as age
           from (select (select max(updated_at) from ${table} where tenant_id = $1 and ${exists}) as changed_at,
                        (select max(deleted_at) from deletions where tenant_id = $1 and resource = $2) as deleted_at,
                        (${changesAtColumn ? timesOf(table, changesAtColumn) : 'null'}) as times) as latest`,
        [table],
      );
      if (!found) return null;
      const { changedAt, deletedAt, times, age } = found;
      return { text: JSON.stringify([changedAt, deletedAt, times, values]), age };
    },
    async list(db, after, limit) {
      const { sql, values } = await visible(db);
      // The condition is computed, not filtered by: the planner could choose another index and sort all rows.
      const rows = await db.query<{
        id: string;
        handle: string;
        updatedAt: string;
        isPublic: boolean;
        changesIn: number | null;
      }>(
        `select id, handle, updated_at, (${sql}) is true as is_public,
                extract(epoch from (${changesAt})::timestamptz - now())::float8 * 1000 as changes_in
           from ${table}
          where tenant_id = $1 and id > coalesce($2::uuid, $3::uuid) order by id limit $4`,
        [after, '00000000-0000-0000-0000-000000000000', limit, ...values],
      );
      const items = rows
        .filter(({ isPublic }) => isPublic)
        .map(({ handle, updatedAt }) => ({ path: `/${table}/${handle}`, changedAt: updatedAt }));
      const changes = rows.flatMap(({ changesIn }) => changesIn ?? []);
      return {
        items,
        next: rows.length === limit ? (rows.at(-1)?.id ?? null) : null,
        changesIn: changes.length > 0 ? changes.reduce((first, each) => Math.min(first, each)) : null,
      };
    },
  };
}

/** All addresses of a kind, read in batches, so that they are never all in memory. */
export async function* everyAddress(
  db: TenantDatabase,
  { list }: StorefrontAddresses,
  batchSize = 1000,
): AsyncGenerator<StorefrontAddress> {
  let after: string | null = null;
  do {
    const { items, next } = await list(db, after, batchSize);
    yield* items;
    after = next;
  } while (after !== null);
}
