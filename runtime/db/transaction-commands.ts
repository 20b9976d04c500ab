/**
 * The commands that begin and end a transaction on a connection. As prepared statements they share a round trip, and its
 * Sync, with the statements beside them (prepared-query.ts).
 */
import type { Connection } from './client.ts';
import { runCommand } from './prepared-query.ts';

export interface TransactionOptions {
  /**
   * `repeatable read`: all statements see one snapshot; for reading. `serializable`: may fail with an error of SQLSTATE
   * class 40, after which the work can be retried. Ignored where the work joins an outer transaction.
   */
  isolation?: 'read committed' | 'repeatable read' | 'serializable';
}

const beginTexts = {
  'read committed': 'begin',
  'repeatable read': 'begin isolation level repeatable read',
  serializable: 'begin isolation level serializable',
};

/** Sends `begin`, which is not awaited: if it fails, so does every statement behind it. */
export function begin(connection: Connection, { isolation = 'read committed' }: TransactionOptions): void {
  runCommand(connection, beginTexts[isolation]).catch(() => {});
}

/** @throws Error if a statement of the transaction has failed, to which PostgreSQL answers `ROLLBACK` */
export async function commit(connection: Connection): Promise<void> {
  const command = await runCommand(connection, 'commit');
  if (command !== 'COMMIT') throw new Error('a statement of the transaction has failed');
}

/** A connection that fails is closed, which rolls back too. */
export async function rollback(connection: Connection): Promise<void> {
  await connection.query('rollback').catch(() => {});
}

/**
 * Waits until all that was sent on a connection is answered, behind a read that failed: those that were skipped for it are
 * sent again by then, and not when the connection is another's.
 */
export async function untilAnswered(connection: Connection): Promise<void> {
  await runCommand(connection, 'select').catch(() => {});
}
