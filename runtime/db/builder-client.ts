/**
 * knex's query builder for a tenant: what it builds is sent on a connection that speaks for the tenant, to where the
 * tenant's rows stand.
 */
import type { Knex } from 'knex';
import type { Connection } from './client.ts';
import { atHome, type Home, type Homes } from './home.ts';
import { type Deadline, takeConnection } from './pool.ts';
import { speakFor } from './row-security.ts';

/** A connection and where it leads. */
export interface ConnectionAtHome {
  connection: Connection;
  home: Home;
}

/**
 * knex's client for the queries of a tenant.
 * @param inside the transaction they are part of; else each takes a connection of its own
 */
export function builderClient(
  knex: Knex,
  inside: ConnectionAtHome | null,
  take: () => Promise<ConnectionAtHome>,
): Knex.Client {
  const pooled = knex.client;
  const homes = new Map<Connection, Home>();
  const acquireConnection = async () => {
    if (inside) return inside.connection;
    const { connection, home } = await take();
    homes.set(connection, home);
    return connection;
  };
  const releaseConnection = async (taken: Connection) => {
    const home = homes.get(taken);
    if (!home) return;
    if (home.hold) await taken.query({ text: 'commit' }).catch(() => {});
    await home.knex.client.releaseConnection(taken);
  };
  const send = (taken: Connection, query: { sql: string }) => {
    const home = (inside?.home ?? homes.get(taken)) as Home;
    query.sql = home.statement(query.sql);
    return pooled._query(taken, query);
  };
  return Object.create(pooled, {
    acquireConnection: { value: acquireConnection },
    releaseConnection: { value: releaseConnection },
    _query: { value: send },
  });
}

/** A connection that speaks for a tenant, for whoever gives it back; in a transaction where its home asks for one. */
export function takeAtHome(homes: Homes, tenantId: string, deadline: Deadline | undefined): Promise<ConnectionAtHome> {
  return atHome(homes, tenantId, async (home) => {
    const connection = await takeConnection(home.knex, deadline);
    try {
      await speakFor(connection, tenantId);
      if (home.hold) await Promise.all([connection.query({ text: 'begin' }), connection.query(home.hold)]);
      return { connection, home };
    } catch (error) {
      if (home.hold) await connection.query({ text: 'rollback' }).catch(() => {});
      home.knex.client.releaseConnection(connection);
      throw error;
    }
  });
}
