/**
 * The database of a box: its connection pool and the two ways to use it. A package uses `forTenant`; rows that belong
 * to no tenant (the list of tenants, the hosts) are reached through `box`.
 */
import type { Knex } from 'knex';
import type { Extensions } from '../extension/extension.ts';
import type { Actor } from './changes.ts';
import { openCitusPlacements } from './citus/placements.ts';
import { type ConnectionOptions, camelCaseRow, connect } from './connection.ts';
import { singlePlacement } from './placement.ts';
import { type Deadline, withConnection } from './pool.ts';
import { queryAsTenant } from './row-security.ts';
import { TenantDatabase } from './tenant-database.ts';

/** The tables that belong to the box and have no `tenant_id`; a package lists its own in `boxTables`. */
export interface BoxDatabase {
  /** Runs a statement; `values` begin at `$1`. Returns rows with camelCase column names. */
  query<R = Record<string, unknown>>(text: string, values?: readonly unknown[]): Promise<R[]>;
}

export interface Database {
  readonly knex: Knex;
  readonly box: BoxDatabase;
  /** @param deadline when its statements are cut off; without one only the statement timeout applies */
  forTenant(tenantId: string, actor?: Actor | null, deadline?: Deadline): TenantDatabase;
  /** Contributions of the mounted packages, set once they are loaded. */
  extensions: Extensions;
  close(): Promise<void>;
}

export interface DatabaseOptions extends ConnectionOptions {
  /** The database is a Citus coordinator: statements of a tenant go to the node that holds the tenant's shard. */
  distributed?: boolean;
}

export function openDatabase({ distributed = false, ...options }: DatabaseOptions): Database {
  const knex = connect(options);
  const placements = distributed ? openCitusPlacements(knex, options) : singlePlacement(knex);
  const database: Database = {
    knex,
    extensions: new Map(),
    box: {
      query: (text, values = []) =>
        withConnection(knex, async (connection) => {
          const { rows } = await queryAsTenant(connection, '', () => connection.query({ text, values }));
          return rows.map((row) => camelCaseRow(row as never));
        }),
    },
    forTenant: (tenantId, actor = null, deadline) =>
      new TenantDatabase(knex, placements, tenantId, { extensions: database.extensions, actor, deadline }),
    close: async () => {
      await placements.close?.();
      await knex.destroy();
    },
  };
  return database;
}
