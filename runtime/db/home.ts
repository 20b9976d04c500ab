/**
 * Where a tenant's rows stand: in the one database, or with Citus on one of its nodes (citus/homes.ts).
 */
import type { Knex } from 'knex';
import type { Connection } from './client.ts';

export interface Home {
  /** The pool of connections to the node. */
  readonly knex: Knex;
  /** A statement as it is said there. */
  statement(text: string): string;
  /** Sent first in every transaction: keeps the rows there until it ends, or fails where they have moved. */
  readonly hold?: Parameters<Connection['query']>[0];
}

export interface Homes {
  of(tenantId: string): Home | Promise<Home>;
  /** True for the failure of a `hold`: the tenant has another home now. */
  hasMoved?(error: unknown): boolean;
  /** Has the homes looked up anew. */
  forget?(): void;
  close?(): Promise<void>;
}

/** The one home of all tenants of a database. */
export function oneHome(knex: Knex): Homes {
  const home: Home = { knex, statement: (text) => text };
  return { of: () => home };
}

const mostTries = 10;
const pauseMilliseconds = 100;

/** Work at a tenant's home; begun again at the new one when it has moved, of which nothing but the `hold` was done. */
export async function atHome<T>(homes: Homes, tenantId: string, work: (home: Home) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work(await homes.of(tenantId));
    } catch (error) {
      if (!homes.hasMoved?.(error) || tries === mostTries) throw error;
      homes.forget?.();
      // The node that is left knows of the move a moment before the coordinator.
      if (tries > 1) await new Promise((resolve) => setTimeout(resolve, pauseMilliseconds));
    }
  }
}
