// The errors with which the gate rejects requests. npm shows the member `error` of the body to its user.

import type { ServerResponse } from 'node:http';
import { vendor } from './vendor.ts';

/** Why a credential was refused; the values of a metric's label. */
export type RefusedReason =
  | 'audience'
  | 'issuer'
  | 'expired'
  | 'unknown_key'
  | 'signature'
  | 'algorithm'
  | 'claims'
  | 'malformed'
  | 'withdrawn'
  | 'wrong';

/** A rejected request: an HTTP status, a stable code, and a message for the user of npm. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: Record<string, unknown>;
  /** Seconds after which the request may succeed. */
  readonly retryAfter: number | undefined;
  /** Why a credential was refused, for the metrics. */
  reason: RefusedReason | undefined;

  constructor(
    status: number,
    code: string,
    message: string,
    details: Record<string, unknown> = {},
    retryAfter: number | undefined = status === 503 ? 5 : undefined,
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
    this.retryAfter = retryAfter;
  }
}

export const tokenMissing = () =>
  new Refusal(401, 'token_missing', 'An activation token is required: activate your licence key to get one');

export const tokenExpired = () =>
  becauseOf(
    'expired',
    new Refusal(401, 'token_expired', 'The activation token has expired: activate again to get a new one'),
  );

export const tokenInvalid = (reason: RefusedReason, explanation: string) =>
  becauseOf(reason, new Refusal(401, 'token_invalid', `The activation token is invalid: ${explanation}`));

export const licenceWithdrawn = () =>
  becauseOf(
    'withdrawn',
    new Refusal(403, 'license_withdrawn', 'The licence is suspended or was revoked: contact the vendor'),
  );

function becauseOf(reason: RefusedReason, refusal: Refusal): Refusal {
  refusal.reason = reason;
  return refusal;
}

export const keysUnavailable = () =>
  new Refusal(503, 'keys_unavailable', 'Activation tokens cannot be verified right now: try again in a moment');

export const publishSecretWrong = () =>
  new Refusal(401, 'publish_secret_wrong', 'The secret of the publisher is wrong');

export const publisherOnly = () =>
  new Refusal(
    403,
    'publisher_only',
    'Only the publisher may do this: an activation token allows reading entitled packages',
  );

export const packageNotFound = (packageName: string) =>
  new Refusal(404, 'not_found', `The package ${packageName} does not exist in this registry`);

export const versionNotFound = (packageName: string, version: string) =>
  new Refusal(404, 'not_found', `The version ${version} of ${packageName} does not exist in this registry`);

export const metricsSecretWrong = () =>
  new Refusal(401, 'metrics_secret_wrong', 'The metrics need the secret METRICS_SECRET');

export const hostInvalid = (explanation: string) => new Refusal(400, 'host_invalid', `The header Host ${explanation}`);

export const unsupportedPath = () =>
  new Refusal(404, 'not_found', 'This registry serves only packages, by their full name');

/** `requiredTier` is the lowest tier that includes the package, if it has one; `tier` is that of the licence. */
export function notEntitled(packageName: string, requiredTier: string | undefined, tier: string): Refusal {
  const message =
    requiredTier === undefined || requiredTier === tier
      ? `${packageName} is not included in this licence (${tier})`
      : `${packageName} is in the ${requiredTier} tier; this licence is ${tier}`;
  return new Refusal(403, 'not_entitled', message, { package: packageName, requiredTier, tier });
}

export const reportNotStored = () =>
  new Refusal(503, 'report_not_kept', 'This download cannot be recorded right now: try again in a moment');

const codes = new WeakMap<ServerResponse, string>();

/** Returns the code of the refusal that was sent as the response; undefined if it is another response. */
export function refusalCode(response: ServerResponse): string | undefined {
  return codes.get(response);
}

/** Sends `{ error, code, ...details }` with the status of the refusal. Does nothing if a response has been started. */
export function sendRefusal(response: ServerResponse, refusal: Refusal): void {
  if (response.headersSent) return;
  codes.set(response, refusal.code);
  response.statusCode = refusal.status;
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Cache-Control', 'no-store');
  if (refusal.retryAfter !== undefined) response.setHeader('Retry-After', String(refusal.retryAfter));
  if (refusal.status === 401) {
    // The scheme is case-insensitive (RFC 9110). It is in lower case, since after `Bearer` npm shows advice to run
    // `npm login` in place of our message.
    response.setHeader(
      'WWW-Authenticate',
      `bearer realm="${vendor}", error="invalid_token", error_description="${refusal.message}"`,
    );
  }
  response.end(`${JSON.stringify({ error: refusal.message, code: refusal.code, ...refusal.details })}\n`);
}
