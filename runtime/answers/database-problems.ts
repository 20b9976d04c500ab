/**
 * What a caller is told of an error of the database.
 */
import { DatabaseBusy, isDatabaseUnavailable, isDuplicateExternalId, isUnstorableValue } from '../db/errors.ts';
import { externalIdTaken } from '../http/integration.ts';
import { invalidRequest, type Problem, unavailable } from '../http/problems.ts';

/**
 * The problem an error of the database stands for: 503 while it is busy or away, 409 where an `externalId` is taken,
 * 400 for a value it cannot hold, undefined for what is our own fault.
 */
export function problemOfDatabaseError(error: unknown): Problem | undefined {
  if (error instanceof DatabaseBusy) return tryAgain(error.message, error.retryAfter);
  if (isDatabaseUnavailable(error)) return tryAgain('The database does not answer at the moment.', 2);
  if (isUnstorableValue(error)) return invalidRequest('A value cannot be stored as it is.');
  if (isDuplicateExternalId(error)) return externalIdTaken();
  return undefined;
}

function tryAgain(detail: string, seconds: number): Problem {
  return unavailable(detail, { headers: { 'Retry-After': String(seconds) } });
}
