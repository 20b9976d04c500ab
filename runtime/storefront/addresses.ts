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

/** Pages of one kind. */
export interface StorefrontAddresses {
  /** Unique in a box; names the part of the sitemap: `products`. */
  readonly name: string;
  /**
   * The public pages, by keyset, in an order that is stable under writes.
   * @param after the previous result's `next`, null for the first
   * @param limit maximum number of items; fewer do not mean that there are no more, only `next: null` does
   */
  list(
    db: TenantDatabase,
    after: string | null,
    limit: number,
  ): Promise<{ readonly items: readonly StorefrontAddress[]; readonly next: string | null }>;
}

/** The extension point at which packages list pages of the storefront. */
export const storefrontAddresses = extensionPoint<StorefrontAddresses>('storefront.addresses');

/** A condition on rows, with the values of its parameters. */
export interface AddressCondition {
  readonly sql: string;
  readonly values: readonly unknown[];
}

/**
 * A page for each row of a table with the columns `handle` and `updated_at`, at `/<table>/<handle>`, in the order of
 * ids.
 * @param visible the condition for public rows, with parameters from `$5` on. Default: all rows
 */
export function addressesByHandle(
  table: string,
  visible: (db: TenantDatabase) => Promise<AddressCondition> = async () => ({ sql: 'true', values: [] }),
): StorefrontAddresses {
  return {
    name: table,
    async list(db, after, limit) {
      const { sql, values } = await visible(db);
      // The condition is computed, not filtered by: the planner could choose another index and sort all rows.
      const rows = await db.query<{ id: string; handle: string; updatedAt: string; isPublic: boolean }>(
        `select id, handle, updated_at, (${sql}) is true as is_public from ${table}
          where tenant_id = $1 and id > coalesce($2::uuid, $3::uuid) order by id limit $4`,
        [after, '00000000-0000-0000-0000-000000000000', limit, ...values],
      );
      const items = rows
        .filter(({ isPublic }) => isPublic)
        .map(({ handle, updatedAt }) => ({ path: `/${table}/${handle}`, changedAt: updatedAt }));
      return { items, next: rows.length === limit ? (rows.at(-1)?.id ?? null) : null };
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
