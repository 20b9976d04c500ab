/**
 * knex's query builder for a tenant: what it builds is sent on a connection that speaks for the tenant, to where the
 * tenant's rows stand.
 */
import type { Knex } from 'knex';
import type { Connection } from './client.ts';
import { type Placement, type Placements, withPlacement } from './placement.ts';
import { checkOutConnection, type Deadline } from './pool.ts';
import { setTenant } from './row-security.ts';

/** A connection and where it leads. */
export interface PlacedConnection {
  connection: Connection;
  placement: Placement;
}

/**
 * knex's client for the queries of a tenant.
 * @param inside the transaction they are part of; else each takes a connection of its own
 */
export function builderClient(
  knex: Knex,
  inside: PlacedConnection | null,
  take: () => Promise<PlacedConnection>,
): Knex.Client {
  const pooled = knex.client;
  const placements = new Map<Connection, Placement>();
  const acquireConnection = async () => {
    if (inside) return inside.connection;
    const { connection, placement } = await take();
    placements.set(connection, placement);
    return connection;
  };
  const releaseConnection = async (taken: Connection) => {
    const placement = placements.get(taken);
    if (!placement) return;
    if (placement.shardLock) await taken.query({ text: 'commit' }).catch(() => {});
    await placement.knex.client.releaseConnection(taken);
  };
  const send = (taken: Connection, query: { sql: string }) => {
    const placement = (inside?.placement ?? placements.get(taken)) as Placement;
    query.sql = placement.statement(query.sql);
    return pooled._query(taken, query);
  };
  return Object.create(pooled, {
    acquireConnection: { value: acquireConnection },
    releaseConnection: { value: releaseConnection },
    _query: { value: send },
  });
}

/** A connection that speaks for a tenant, for whoever gives it back; in a transaction where its home asks for one. */
export function acquireTenantConnection(
  placements: Placements,
  tenantId: string,
  deadline: Deadline | undefined,
): Promise<PlacedConnection> {
  return withPlacement(placements, tenantId, async (placement) => {
    const connection = await checkOutConnection(placement.knex, deadline);
    try {
      await setTenant(connection, tenantId);
      if (placement.shardLock)
        await Promise.all([connection.query({ text: 'begin' }), connection.query(placement.shardLock)]);
      return { connection, placement };
    } catch (error) {
      if (placement.shardLock) await connection.query({ text: 'rollback' }).catch(() => {});
      placement.knex.client.releaseConnection(connection);
      throw error;
    }
  });
}
