/**
 * The database of a box: its pool, and the doors to it. A package goes through `forTenant`; what belongs to no
 * tenant (the list of tenants, the hosts) goes through `box`.
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

/** Tables that belong to the box itself and carry no tenant; a package names its own in `boxTables`. */
export interface BoxDatabase {
  /** Runs a statement; `values` begin at `$1`. Answers rows with camelCase columns. */
  query<R = Record<string, unknown>>(text: string, values?: readonly unknown[]): Promise<R[]>;
}

export interface Database {
  readonly knex: Knex;
  readonly box: BoxDatabase;
  /** @param deadline when its statements have to be done; without one they may take their time */
  forTenant(tenantId: string, actor?: Actor | null, deadline?: Deadline): TenantDatabase;
  /** Contributions of the mounted packages, known once they are loaded. */
  extensions: Extensions;
  close(): Promise<void>;
}

export interface DatabaseOptions extends ConnectionOptions {
  /** The database is Citus's coordinator, and each tenant's statements go to the node that holds its rows. */
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
          const { rows } = await queryAsTenant(connection, '', { text, values });
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
