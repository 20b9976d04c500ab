/**
 * Resources of the storefront that others refer to by id, such as items of a menu: each package resolves its own.
 */
import type { TenantDatabase } from '../db/tenant-database.ts';
import { extensionPoint } from '../extension/extension.ts';
import type { AddressCondition } from './addresses.ts';

/** The page of a resource. */
export interface StorefrontTarget {
  /** From the root of the storefront: `/products/linen-shirt`. */
  readonly path: string;
  readonly title: string;
  /** Whether the page is open to everyone. */
  readonly visible: boolean;
}

/** Resources of one kind. */
export interface StorefrontTargets {
  /** Unique in a box, a singular noun: `product`. It is stored by those who refer to the resources. */
  readonly name: string;
  /** The resources with these ids, hidden ones too; deleted and unknown ones are left out. */
  find(db: TenantDatabase, ids: readonly string[]): Promise<ReadonlyMap<string, StorefrontTarget>>;
}

/** The extension point at which packages resolve their resources. */
export const storefrontTargets = extensionPoint<StorefrontTargets>('storefront.targets');

export interface TargetsDeclaration {
  name: string;
  /** The table, with the column `handle`; pages are at `/<table>/<handle>`. */
  table: string;
  /** The column with the title. Default: `title` */
  title?: string;
  /** The condition for rows that are not deleted. Default: all rows */
  exists?: string;
  /** The condition for public rows, with parameters from `$5` on, as in `addressesByHandle`. Default: all rows */
  visible?(db: TenantDatabase): Promise<AddressCondition>;
}

/** The resources of a table, as in `addressesByHandle`. */
export function targetsByHandle(declaration: TargetsDeclaration): StorefrontTargets {
  const { name, table, title = 'title', exists = 'true' } = declaration;
  return {
    name,
    async find(db, ids) {
      if (ids.length === 0) return new Map();
      const { sql, values } = (await declaration.visible?.(db)) ?? { sql: 'true', values: [] };
      const rows = await db.query<StorefrontTarget & { id: string }>(
        `select id, $3::text || handle as path, ${title} as title, (${sql}) is true as visible from ${table}
          where tenant_id = $1 and id = any($2::uuid[]) and ${exists} limit $4`,
        [ids, `/${table}/`, ids.length, ...values],
      );
      return new Map(rows.map(({ id, path, title, visible }) => [id, { path, title, visible }]));
    },
  };
}
