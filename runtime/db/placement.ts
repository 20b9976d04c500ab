/**
 * Where a tenant's rows stand: in the one database, or with Citus on one of its nodes (citus/placements.ts).
 */
import type { Knex } from 'knex';
import type { Connection } from './client.ts';

export interface Placement {
  /** The pool of connections to the node. */
  readonly knex: Knex;
  /** A statement as it is said there. */
  statement(text: string): string;
  /** Sent first in every transaction: keeps the rows there until it ends, or fails where they have moved. */
  readonly shardLock?: Parameters<Connection['query']>[0];
}

export interface Placements {
  of(tenantId: string): Placement | Promise<Placement>;
  /** True for the failure of a `hold`: the tenant has another home now. */
  hasMoved?(error: unknown): boolean;
  /** Has the homes looked up anew. */
  invalidate?(): void;
  close?(): Promise<void>;
}

/** The one home of all tenants of a database. */
export function singlePlacement(knex: Knex): Placements {
  const placement: Placement = { knex, statement: (text) => text };
  return { of: () => placement };
}

const mostTries = 10;
const pauseMilliseconds = 100;

/** Work at a tenant's home; begun again at the new one when it has moved, of which nothing but the `hold` was done. */
export async function withPlacement<T>(
  placements: Placements,
  tenantId: string,
  work: (placement: Placement) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work(await placements.of(tenantId));
    } catch (error) {
      if (!placements.hasMoved?.(error) || tries === mostTries) throw error;
      placements.invalidate?.();
      // The node that is left knows of the move a moment before the coordinator.
      if (tries > 1) await new Promise((resolve) => setTimeout(resolve, pauseMilliseconds));
    }
  }
}
