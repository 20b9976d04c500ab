/**
 * Maps database errors to the problems that callers see.
 */
import {
  DatabaseBusy,
  isDatabaseUnavailable,
  isDuplicateExternalId,
  isOutdatedStatement,
  isUnstorableValue,
} from '../db/errors.ts';
import { externalIdTaken } from '../http/integration.ts';
import { invalidRequest, type Problem, unavailable } from '../http/problems.ts';

/**
 * Returns the problem for a database error: 503 while the database is busy or unreachable, or was changed during a
 * transaction, 409 for a duplicate
 * `externalId`, 400 for a value that cannot be stored; undefined for a bug of ours.
 */
export function problemOfDatabaseError(error: unknown): Problem | undefined {
  if (error instanceof DatabaseBusy) return tryAgain(error.message, error.retryAfter);
  if (isDatabaseUnavailable(error)) return tryAgain('The database is currently unreachable.', 2);
  if (isOutdatedStatement(error)) return tryAgain('The database was changed meanwhile.', 1);
  if (isUnstorableValue(error))
    return invalidRequest('A value cannot be stored: it is out of range or contains invalid characters.');
  if (isDuplicateExternalId(error)) return externalIdTaken();
  return undefined;
}

function tryAgain(detail: string, seconds: number): Problem {
  return unavailable(detail, { headers: { 'Retry-After': String(seconds) } });
}
