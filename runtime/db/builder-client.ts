/**
 * A client for knex's query builder that sends each query to the tenant's placement, on a connection set to the tenant.
 */
import type { Knex } from 'knex';
import type { Connection } from './client.ts';
import { type Placement, type Placements, withPlacement } from './placement.ts';
import { checkOutConnection, type Deadline } from './pool.ts';
import { setTenant } from './row-security.ts';

/** A connection and the placement it is connected to. */
export interface PlacedConnection {
  connection: Connection;
  placement: Placement;
}

/**
 * knex's client for the queries of a tenant.
 * @param current the connection of the surrounding transaction; null for queries that each acquire one of their own
 */
export function builderClient(
  knex: Knex,
  current: PlacedConnection | null,
  acquire: () => Promise<PlacedConnection>,
): Knex.Client {
  const pooled = knex.client;
  const placements = new Map<Connection, Placement>();
  const acquireConnection = async () => {
    if (current) return current.connection;
    const { connection, placement } = await acquire();
    placements.set(connection, placement);
    return connection;
  };
  const releaseConnection = async (connection: Connection) => {
    const placement = placements.get(connection);
    if (!placement) return;
    if (placement.shardLock) await connection.query({ text: 'commit' }).catch(() => {});
    await placement.knex.client.releaseConnection(connection);
  };
  const send = (connection: Connection, query: { sql: string }) => {
    const placement = (current?.placement ?? placements.get(connection)) as Placement;
    query.sql = placement.rewrite(query.sql);
    return pooled._query(connection, query);
  };
  return Object.create(pooled, {
    acquireConnection: { value: acquireConnection },
    releaseConnection: { value: releaseConnection },
    _query: { value: send },
  });
}

/**
 * Acquires a connection set to a tenant, in a transaction where the placement has a `shardLock`. The caller releases
 * it.
 */
export function acquireTenantConnection(
  placements: Placements,
  tenantId: string,
  deadline: Deadline | undefined,
): Promise<PlacedConnection> {
  return withPlacement(placements, tenantId, async (placement) => {
    const connection = await checkOutConnection(placement.knex, deadline);
    const { shardLock } = placement;
    try {
      await setTenant(connection, tenantId);
      if (shardLock) await Promise.all([connection.query({ text: 'begin' }), connection.query(shardLock)]);
      return { connection, placement };
    } catch (error) {
      if (shardLock) await connection.query({ text: 'rollback' }).catch(() => {});
      placement.knex.client.releaseConnection(connection);
      throw error;
    }
  });
}
