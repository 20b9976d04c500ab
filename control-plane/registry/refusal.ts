// Every answer with which the gate turns a request away. npm shows its user the `error` member of the body.

import type { ServerResponse } from 'node:http';
import { vendor } from './vendor.ts';

/** A request the gate turns away: an HTTP status, a stable code and a sentence for the person who reads it. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: Record<string, unknown>;

  constructor(status: number, code: string, message: string, details: Record<string, unknown> = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

export const tokenMissing = () =>
  new Refusal(401, 'token_missing', 'This registry needs an activation token: activate your licence key to get one');

export const tokenExpired = () =>
  new Refusal(401, 'token_expired', 'The activation token has expired: activate again to get a new one');

export const tokenInvalid = (reason: string) =>
  new Refusal(401, 'token_invalid', `The activation token is not valid: ${reason}`);

export const keysUnavailable = () =>
  new Refusal(503, 'keys_unavailable', 'Activation tokens cannot be checked right now: try again in a moment');

export const publishSecretWrong = () => new Refusal(401, 'publish_secret_wrong', "This is not the publisher's secret");

export const publisherOnly = () =>
  new Refusal(403, 'publisher_only', 'Only the publisher may do this: a licence reads packages by their name');

export const notServed = (packageName: string) =>
  new Refusal(404, 'not_found', `There is no package ${packageName} in this registry`);

export const outsideOfRegistry = () =>
  new Refusal(404, 'not_found', 'This registry serves packages by their name and nothing else');

/** `requiredTier` is the tier that holds the package, when its manifest names one; `tier` is the licence's. */
export function notEntitled(packageName: string, requiredTier: string | undefined, tier: string): Refusal {
  const message =
    requiredTier === undefined || requiredTier === tier
      ? `${packageName} is not part of this licence (${tier})`
      : `${packageName} is in the ${requiredTier} tier; this licence is ${tier}`;
  return new Refusal(403, 'not_entitled', message, { package: packageName, requiredTier, tier });
}

export const reportNotKept = () =>
  new Refusal(503, 'report_not_kept', 'This download cannot be recorded right now: try again in a moment');

/** Answers `{ error, code, ...details }` with the refusal's status; does nothing when an answer has already begun. */
export function sendRefusal(response: ServerResponse, refusal: Refusal): void {
  if (response.headersSent) return;
  response.statusCode = refusal.status;
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Cache-Control', 'no-store');
  if (refusal.status === 503) response.setHeader('Retry-After', '5');
  if (refusal.status === 401) {
    // The scheme is in lower case on purpose (it has no case, RFC 9110): npm replaces the message after the word
    // `Bearer` by advice to run `npm login`, and shows our sentence otherwise.
    response.setHeader(
      'WWW-Authenticate',
      `bearer realm="${vendor}", error="invalid_token", error_description="${refusal.message}"`,
    );
  }
  response.end(`${JSON.stringify({ error: refusal.message, code: refusal.code, ...refusal.details })}\n`);
}
