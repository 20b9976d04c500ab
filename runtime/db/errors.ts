/**
 * Database errors, classified by SQLSTATE, or by the messages of knex and pg where there is none.
 */

/** The work was refused or cut off because the database is busy; it may be retried. */
export class DatabaseBusy extends Error {
  /** Seconds to wait before a retry. */
  readonly retryAfter: number;

  constructor(message: string, retryAfter: number) {
    super(message);
    this.name = 'DatabaseBusy';
    this.retryAfter = retryAfter;
  }
}

const unreachable = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN']);

/** True while the database is unreachable or stopping, and for a statement timeout or a lost conflict (class 40). */
export function isDatabaseUnavailable(error: unknown): boolean {
  const { name, message } = error as { name?: string; message?: string };
  const state = sqlState(error);
  return (
    unreachable.has(state) ||
    isMissingSocket(error) ||
    /^(08|40|53|57P|57014)/.test(state) ||
    name === 'KnexTimeoutError' ||
    /Connection terminated|connection timeout|not queryable/i.test(message ?? '')
  );
}

/** True where a server's socket is missing; a missing file of ours is a bug, and no reason to try again. */
function isMissingSocket(error: unknown): boolean {
  return sqlState(error) === 'ENOENT' && (error as NodeJS.ErrnoException).syscall === 'connect';
}

/** True for a value that the database cannot store (class 22). */
export function isUnstorableValue(error: unknown): boolean {
  return sqlState(error).startsWith('22');
}

/** False for a lost conflict or a statement timeout (SQLSTATE 40xxx, 57014): the connection stays usable. */
export function breaksConnection(error: unknown): boolean {
  return isDatabaseUnavailable(error) && !/^(40|57014)/.test(sqlState(error));
}

/** True for a violation of a unique constraint (SQLSTATE 23505), or only of the named one. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  return isViolation(error, '23505', constraint);
}

/** True for a violation of a foreign key (SQLSTATE 23503), or only of the named one. */
export function isForeignKeyViolation(error: unknown, constraint?: string): boolean {
  return isViolation(error, '23503', constraint);
}

/**
 * True for a prepared statement whose columns a migration of another process has changed, such as `select *` of a table
 * with a new column (SQLSTATE 0A000 of the plan cache).
 */
export function isOutdatedStatement(error: unknown): boolean {
  return sqlState(error) === '0A000' && (error as { routine?: unknown }).routine === 'RevalidateCachedQuery';
}

/** SQLSTATE of every statement after one that failed; it does not name the cause. */
export const inFailedTransaction = '25P02';

/** True for a statement that was not run, since one in front of it in the transaction or round trip failed. */
export const isSkippedStatement = (error: unknown) => sqlState(error) === inFailedTransaction;

/** True for a violation of a table's unique index `<table>_external_id`. */
export function isDuplicateExternalId(error: unknown): boolean {
  return isUniqueViolation(error) && /_external_id$/.test(constraintOf(error) ?? '');
}

function sqlState(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : '';
}

function isViolation(error: unknown, state: string, constraint?: string): boolean {
  if ((error as { code?: string } | undefined)?.code !== state) return false;
  return constraint === undefined || constraintOf(error) === constraint;
}

/** An error from a Citus worker names the constraint only in its message, followed by the number of the shard. */
function constraintOf(error: unknown): string | undefined {
  const violation = error as { constraint?: string; message?: string };
  const name = violation.constraint ?? /constraint "([^"]*)"/.exec(violation.message ?? '')?.[1];
  return name?.replace(/_\d{6,}$/, '');
}
