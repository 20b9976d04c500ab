/**
 * Errors of calls to services outside of the box.
 */

/**
 * - `refused`: the service understood the request and will give no answer to it; asking again is useless.
 * - `rejected`: the service rejects the credentials.
 * - `busy`: the service works, but not for this request, since there are too many at once.
 * - `unavailable`: no response, or one that says that the service cannot work now.
 * - `timeout`: no answer within the time of the call.
 * - `invalid`: an answer that cannot be true, such as sums that do not add up.
 * - `circuit_open`: not called, because the last calls failed.
 */
export const serviceFailures = [
  'refused',
  'rejected',
  'busy',
  'unavailable',
  'timeout',
  'invalid',
  'circuit_open',
] as const;
export type ServiceFailure = (typeof serviceFailures)[number];

/** A call to a service that led to no answer. The message has no secrets and no personal data. */
export class ServiceError extends Error {
  readonly failure: ServiceFailure;

  constructor(failure: ServiceFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.failure = failure;
  }
}

/** Whether a service has definitely refused to answer; any other error may be gone at the next attempt. */
export function isServiceRefusal(error: unknown): boolean {
  return error instanceof ServiceError && error.failure === 'refused';
}
