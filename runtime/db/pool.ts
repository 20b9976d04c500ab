/**
 * Lending the connections of the pool: never to a queue without end, and never for longer than the request may take.
 */
import type { Knex } from 'knex';
import type { Connection } from './client.ts';
import { breaksConnection, DatabaseBusy } from './errors.ts';
import type { DatabaseObserver } from './observer.ts';

/** So many may wait for each connection of the pool; whoever comes then is told to come again. */
const waitingForEach = 32;

/** A moment on the clock of `performance.now()` by which work has to be done. */
export type Deadline = number;

/** What work past its deadline is refused with. */
const tooLate = () => new DatabaseBusy('The request took longer than it may and was ended.', 5);

/**
 * Takes a connection out of the pool, for whoever gives it back.
 * @throws DatabaseBusy when too many wait already or the deadline has passed
 */
export async function checkOutConnection(knex: Knex, deadline?: Deadline): Promise<PooledConnection> {
  const { pool } = knex.client;
  if (deadline !== undefined && performance.now() >= deadline) throw tooLate();
  if (pool.numPendingAcquires() >= pool.max * waitingForEach) {
    throw new DatabaseBusy('Too many requests wait for the database.', 1);
  }
  const { observer } = knex.userParams as { observer?: DatabaseObserver };
  return observer ? observedWait(knex, observer) : knex.client.acquireConnection();
}

async function observedWait(knex: Knex, observer: DatabaseObserver): Promise<PooledConnection> {
  const began = performance.now();
  let ended = began;
  try {
    const connection: PooledConnection = await knex.client.acquireConnection();
    ended = performance.now();
    connection.waited = ended - began;
    return connection;
  } catch (error) {
    ended = performance.now();
    throw error;
  } finally {
    observer.waited(began, ended);
  }
}

/** What knex and pg hold beside the connection's own face. */
export interface PooledConnection extends Connection {
  /** Set, knex hands it out no more. */
  __knex__disposed?: unknown;
  connection: { stream: { destroy(): void } };
}

/**
 * Work on one connection of the pool, which gets it back; one that broke is not handed out again. Past the deadline
 * the connection is cut: PostgreSQL notices, ends the statement and rolls back.
 * @throws DatabaseBusy like `checkOutConnection`, and when the deadline passes
 */
export async function withConnection<T>(
  knex: Knex,
  work: (connection: Connection) => Promise<T>,
  deadline?: Deadline,
): Promise<T> {
  const connection = await checkOutConnection(knex, deadline);
  let late = false;
  const cut = () => {
    late = true;
    connection.__knex__disposed ??= new Error('cut at its deadline');
    connection.connection.stream.destroy();
  };
  const timer = deadline === undefined ? undefined : setTimeout(cut, Math.ceil(deadline - performance.now()));
  try {
    return await work(connection);
  } catch (error) {
    if (late) throw tooLate();
    // The server says goodbye before the socket closes: without this mark the next one would be given the dead connection.
    if (breaksConnection(error)) connection.__knex__disposed ??= error;
    throw error;
  } finally {
    clearTimeout(timer);
    knex.client.releaseConnection(connection);
  }
}
