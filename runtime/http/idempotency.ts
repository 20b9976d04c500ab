/**
 * Idempotency-Key: a repeated request returns the first response and has no further effect. The application stores the
 * keys; this file has the protocol.
 */
import { createHash } from 'node:crypto';
import type { Context } from 'koa';
import type { Reply } from './operation.ts';
import { invalidRequest } from './problems.ts';

export const maxIdempotencyKeyLength = 255;
export const idempotencyKeyLifetimeHours = 24;

export interface IdempotentRequest {
  key: string;
  operationId: string;
  /** SHA-256 of the request: the same key with a different request is an error, not a retry. */
  fingerprint: string;
  /** The handler works in steps (`outsideTransaction` of the declaration), not in one transaction. */
  outsideTransaction: boolean;
}

/**
 * Runs the work and stores its reply, or replays the stored reply. Work in one transaction is stored in the same
 * transaction: `run` gets services that use it. Work in steps gets an id under which it can be resumed.
 */
export type IdempotentRunner<Services> = (
  services: Services,
  request: IdempotentRequest,
  run: (services: Services) => Promise<Reply>,
) => Promise<{ reply: Reply; replayed: boolean }>;

/** Returns the key of a request; null when it has none. @throws invalid_request (400) when it is empty or too long */
export function idempotencyKey(ctx: Context): string | null {
  const key = ctx.req.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key === 'string' && key.length > 0 && key.length <= maxIdempotencyKeyLength) return key;
  const detail = `must have 1 to ${maxIdempotencyKeyLength} characters`;
  throw invalidRequest(`Idempotency-Key ${detail}`, {
    errors: [{ in: 'header', pointer: '/Idempotency-Key', detail }],
  });
}

/** Requests with the same method, URL and body have the same fingerprint. */
export function fingerprintOf(ctx: Context, body: unknown): string {
  return createHash('sha256')
    .update(`${ctx.method} ${ctx.originalUrl}\n${JSON.stringify(body) ?? ''}`)
    .digest('hex');
}
