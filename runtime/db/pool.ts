/**
 * Checking connections out of the pool, with a bounded queue and a deadline for the work.
 */
import type { Knex } from 'knex';
import type { Connection } from './client.ts';
import { breaksConnection, DatabaseBusy } from './errors.ts';
import type { Lanes } from './lanes.ts';
import type { DatabaseObserver } from './observer.ts';

/** The length of the queue for each connection of the pool; further work is refused and may be retried. */
const maxWaitingPerConnection = 32;

/** The time on the clock of `performance.now()` at which work is cut off. */
export type Deadline = number;

const tooManyWaiting = () => new DatabaseBusy('Too many requests are waiting for the database.', 1);
const deadlineExceeded = () => new DatabaseBusy('The request exceeded its time limit and was cancelled.', 5);

/**
 * Checks a connection out of the pool. The caller releases it.
 * @throws DatabaseBusy when the queue is full or the deadline has passed
 */
export async function checkOutConnection(knex: Knex, deadline?: Deadline): Promise<PooledConnection> {
  const { pool } = knex.client;
  if (deadline !== undefined && performance.now() >= deadline) throw deadlineExceeded();
  if (pool.numPendingAcquires() >= pool.max * maxWaitingPerConnection) {
    throw tooManyWaiting();
  }
  const { observer } = knex.userParams as { observer?: DatabaseObserver };
  return observer ? acquireObserved(knex, observer) : knex.client.acquireConnection();
}

async function acquireObserved(knex: Knex, observer: DatabaseObserver): Promise<PooledConnection> {
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

/**
 * Runs a transaction in a lane of the pool, if it has lanes. It may give the lane up before it ends.
 * @throws DatabaseBusy when as many wait for one as may wait for a connection
 */
export async function inLane<T>(knex: Knex, work: (giveUp: () => void) => Promise<T>): Promise<T> {
  const lanes = lanesOf(knex);
  return lanes ? lanes.run(work) : work(() => {});
}

/** Runs reads: where transactions work in lanes, in one of them. @throws DatabaseBusy like `inLane` */
export async function besideLanes<T>(knex: Knex, work: () => Promise<T>): Promise<T> {
  const lanes = lanesOf(knex);
  return lanes ? lanes.runRead(work) : work();
}

function lanesOf(knex: Knex): Lanes | undefined {
  const { lanes } = knex.userParams as { lanes?: Lanes };
  if (lanes && lanes.waiting >= knex.client.pool.max * maxWaitingPerConnection) throw tooManyWaiting();
  return lanes;
}

/** A connection with the internals of knex and pg that are used here. */
export interface PooledConnection extends Connection {
  /** When set, knex discards the connection instead of reusing it. */
  __knex__disposed?: unknown;
  connection: { stream: { destroy(): void } };
}

interface CutOff {
  deadline: Deadline;
  close: () => void;
}

/** Work with a deadline. A timer for each would cost more than most of them do: nearly all end long before. */
const cutOffs = new Set<CutOff>();
let isWatching = false;
/** Milliseconds between two looks at the deadlines. */
const look = 20;

function cutOffAt(deadline: Deadline, close: () => void): CutOff {
  const cutOff = { deadline, close };
  cutOffs.add(cutOff);
  if (!isWatching) setTimeout(closeLate, look);
  isWatching = true;
  return cutOff;
}

function closeLate(): void {
  const now = performance.now();
  for (const cutOff of cutOffs) {
    if (cutOff.deadline > now) continue;
    cutOffs.delete(cutOff);
    cutOff.close();
  }
  isWatching = cutOffs.size > 0;
  if (isWatching) setTimeout(closeLate, look);
}

/**
 * Runs work on one connection of the pool and releases it; a broken connection is discarded. At the deadline the
 * connection is closed: PostgreSQL then cancels the statement and rolls back.
 * @throws DatabaseBusy like `checkOutConnection`, and when the deadline passes
 */
export async function withConnection<T>(
  knex: Knex,
  work: (connection: Connection) => Promise<T>,
  deadline?: Deadline,
): Promise<T> {
  const connection = await checkOutConnection(knex, deadline);
  let isLate = false;
  const close = () => {
    isLate = true;
    connection.__knex__disposed ??= new Error('closed at its deadline');
    connection.connection.stream.destroy();
  };
  const cutOff = deadline === undefined ? undefined : cutOffAt(deadline, close);
  try {
    return await work(connection);
  } catch (error) {
    if (isLate) throw deadlineExceeded();
    // The error arrives before the socket closes: without this mark the pool would reuse the dead connection.
    if (breaksConnection(error)) connection.__knex__disposed ??= error;
    throw error;
  } finally {
    if (cutOff) cutOffs.delete(cutOff);
    knex.client.releaseConnection(connection);
  }
}
