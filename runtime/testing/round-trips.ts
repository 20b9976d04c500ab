/**
 * Counts round trips to the database, the cost of a request that does not depend on the machine.
 */
import type { Connection } from '../db/client.ts';
import type { Database } from '../db/database.ts';
import { observeStatements } from '../db/observer.ts';

/**
 * Counts the round trips of some work. Statements sent on a connection before it has returned a result share a round
 * trip; a statement sent after a result begins another, and connections are counted separately. Other work of the box
 * at the same time is counted too.
 * @example t.equal(await countRoundTrips(box.box.database, () => shopper.get('/cart')), 2);
 */
export async function countRoundTrips({ knex }: Pick<Database, 'knex'>, work: () => Promise<unknown>): Promise<number> {
  const { client } = knex;
  const acquire = client.acquireConnection;
  const observed = new Map<Connection, Connection['query']>();
  let roundTrips = 0;
  const observe = (connection: Connection) => {
    observed.set(connection, connection.query);
    let isInFlight = false;
    let trip = 0;
    const statement = () => {
      if (!isInFlight) {
        roundTrips++;
        trip++;
      }
      isInFlight = true;
      const own = trip;
      // A statement with a promise ends a moment after its result, when others may have been sent.
      return () => {
        if (own === trip) isInFlight = false;
      };
    };
    observeStatements(connection, { statement, waited() {} });
  };
  client.acquireConnection = async () => {
    const connection: Connection = await acquire.call(client);
    if (!observed.has(connection)) observe(connection);
    return connection;
  };
  try {
    await work();
    return roundTrips;
  } finally {
    client.acquireConnection = acquire;
    for (const [connection, query] of observed) connection.query = query;
  }
}
