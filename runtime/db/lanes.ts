/**
 * Lanes: how many connections of a pool work at the same time where PostgreSQL shares the cores of this machine. More
 * would not be faster: they would wait for each other's row locks, and for their turn on a core, with their locks held.
 *
 * What takes longer than a moment, such as an export or a wait for a lock, gives up its lane and keeps its connection, so
 * that it delays others by that moment only. The pool bounds the connections.
 */
import { availableParallelism } from 'node:os';
import type { Connection } from './client.ts';

/** The lanes of a box, of all its processes together; undefined where PostgreSQL is on another machine. */
export function lanesOf(databaseUrl: string): number | undefined {
  const host = URL.canParse(databaseUrl) ? new URL(databaseUrl).searchParams.get('host') : null;
  // A Unix socket.
  return host?.startsWith('/') ? Math.max(4, 2 * availableParallelism()) : undefined;
}

/** Milliseconds after which a connection no longer counts. */
const moment = 10;

/** Work on a connection. */
interface Turn {
  began: number;
  isCounted: boolean;
}

/** The part of knex's client that hands out the connections of its pool. */
interface PoolClient {
  acquireConnection(): Promise<Connection>;
  releaseConnection(connection: Connection): Promise<unknown>;
}

/** Has a pool hand out connections in so many lanes. */
export function keepLanes(client: PoolClient, width: number): void {
  const [acquire, release] = [client.acquireConnection, client.releaseConnection];
  const turns = new Map<Connection, Turn>();
  const waiting: ((turn: Turn) => void)[] = [];
  let counted = 0;
  let isWatched = false;

  const begin = (): Turn => {
    counted += 1;
    return { began: performance.now(), isCounted: true };
  };
  const end = (turn: Turn) => {
    if (!turn.isCounted) return;
    turn.isCounted = false;
    counted -= 1;
    waiting.shift()?.(begin());
  };
  const passLong = () => {
    const since = performance.now() - moment;
    for (const turn of [...turns.values()]) if (turn.began < since) end(turn);
    isWatched = waiting.length > 0;
    if (isWatched) setTimeout(passLong, moment);
  };
  const wait = () => {
    if (!isWatched) setTimeout(passLong, moment);
    isWatched = true;
    return new Promise<Turn>((resolve) => waiting.push(resolve));
  };

  client.acquireConnection = async () => {
    const turn = counted < width ? begin() : await wait();
    try {
      const connection = await acquire.call(client);
      turns.set(connection, turn);
      return connection;
    } catch (error) {
      end(turn);
      throw error;
    }
  };
  client.releaseConnection = (connection) => {
    const turn = turns.get(connection);
    turns.delete(connection);
    const released = release.call(client, connection);
    if (turn) end(turn);
    return released;
  };
}
