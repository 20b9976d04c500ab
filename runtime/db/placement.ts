/**
 * Where a tenant's rows are stored: in the one database, or on one node of a Citus cluster (citus/placements.ts).
 */
import type { Knex } from 'knex';
import type { Connection } from './client.ts';

export interface Placement {
  /** The pool of connections to the node. */
  readonly knex: Knex;
  /** Rewrites a statement for the node: with the names of shards instead of tables. */
  rewrite(text: string): string;
  /**
   * The statement to send first in every transaction. It locks the tenant's shard, so that it cannot move before the
   * transaction ends, and fails if the shard has moved already.
   */
  readonly shardLock?: Parameters<Connection['query']>[0];
}

export interface Placements {
  of(tenantId: string): Placement | Promise<Placement>;
  /** True for the error of a `shardLock` whose shard has moved to another node. */
  hasMoved?(error: unknown): boolean;
  /** Empties the cache of placements. */
  invalidate?(): void;
  close?(): Promise<void>;
}

/** The placement of all tenants in a single database. */
export function singlePlacement(knex: Knex): Placements {
  const placement: Placement = { knex, rewrite: (text) => text };
  return { of: () => placement };
}

const maxAttempts = 10;
const retryMilliseconds = 100;

/** Runs work with a tenant's placement, and retries it if the shard has moved: then only the `shardLock` was sent. */
export async function withPlacement<T>(
  placements: Placements,
  tenantId: string,
  work: (placement: Placement) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work(await placements.of(tenantId));
    } catch (error) {
      if (!placements.hasMoved?.(error) || attempt === maxAttempts) throw error;
      placements.invalidate?.();
      // The node that loses the shard knows of the move a moment before the coordinator does.
      if (attempt > 1) await new Promise((resolve) => setTimeout(resolve, retryMilliseconds));
    }
  }
}
