/**
 * Counting round trips to the database: what a request costs however fast the machine is.
 */
import type { Connection } from '../db/client.ts';
import type { Database } from '../db/database.ts';
import { observeStatements } from '../db/observer.ts';

/**
 * Counts the round trips of some work. Statements that a connection is given before it has answered any of those
 * before travel together and are one; what is sent after an answer is another, and so is each connection's own.
 * Whatever else the box does meanwhile is counted too.
 * @example t.equal(await countJourneys(box.box.database, () => shopper.get('/cart')), 2);
 */
export async function countRoundTrips({ knex }: Pick<Database, 'knex'>, work: () => Promise<unknown>): Promise<number> {
  const { client } = knex;
  const acquire = client.acquireConnection;
  const watched = new Map<Connection, Connection['query']>();
  let journeys = 0;
  const watch = (connection: Connection) => {
    watched.set(connection, connection.query);
    let isUnderWay = false;
    const statement = () => {
      if (!isUnderWay) journeys++;
      isUnderWay = true;
      return () => {
        isUnderWay = false;
      };
    };
    observeStatements(connection, { statement, waited() {} });
  };
  client.acquireConnection = async () => {
    const connection: Connection = await acquire.call(client);
    if (!watched.has(connection)) watch(connection);
    return connection;
  };
  try {
    await work();
    return journeys;
  } finally {
    client.acquireConnection = acquire;
    for (const [connection, query] of watched) connection.query = query;
  }
}
