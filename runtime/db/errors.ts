/**
 * What goes wrong with the database, told apart by its SQLSTATE codes and by what knex and pg say without one.
 */

/** The database was not asked, or not for long enough; whoever asks again later may be answered. */
export class DatabaseBusy extends Error {
  /** Seconds after which it is worth asking again. */
  readonly retryAfter: number;

  constructor(message: string, retryAfter: number) {
    super(message);
    this.name = 'DatabaseBusy';
    this.retryAfter = retryAfter;
  }
}

const unreachable = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN']);

/** True while the database is away, is stopping, ended a statement that ran too long, or broke a deadlock (class 40). */
export function isDatabaseUnavailable(error: unknown): boolean {
  const { name, message } = error as { name?: string; message?: string };
  const state = sqlState(error);
  return (
    unreachable.has(state) ||
    /^(08|40|53|57P|57014)/.test(state) ||
    name === 'KnexTimeoutError' ||
    /Connection terminated|connection timeout|not queryable/i.test(message ?? '')
  );
}

/** True for a value that the database cannot hold (class 22). */
export function isUnstorableValue(error: unknown): boolean {
  return sqlState(error).startsWith('22');
}

/** A statement that lost to another transaction or ran too long (SQLSTATE 40xxx, 57014) leaves its connection whole. */
export function breaksConnection(error: unknown): boolean {
  return isDatabaseUnavailable(error) && !/^(40|57014)/.test(sqlState(error));
}

/** True for a violation of a unique constraint, of the named one if given (SQLSTATE 23505). */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  return isViolation(error, '23505', constraint);
}

/** True for a violation of a foreign key, of the named one if given (SQLSTATE 23503). */
export function isForeignKeyViolation(error: unknown, constraint?: string): boolean {
  return isViolation(error, '23503', constraint);
}

/** True where the unique index `<table>_external_id` of a table refuses a row. */
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

/** What comes from another node of Citus names it in the message alone, and there the number of the shard follows it. */
function constraintOf(error: unknown): string | undefined {
  const violation = error as { constraint?: string; message?: string };
  const name = violation.constraint ?? /constraint "([^"]*)"/.exec(violation.message ?? '')?.[1];
  return name?.replace(/_\d{6,}$/, '');
}
