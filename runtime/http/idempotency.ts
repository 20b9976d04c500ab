/**
 * Idempotency-Key: a request that is sent again answers what it answered the first time and works once.
 * Where the keys are kept is the application's affair; this is the rule.
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
  /** SHA-256 of what was asked: the same key with another request is a mistake, not a repetition. */
  fingerprint: string;
  /** The work is done in steps (`outsideTransaction` of the declaration), not in one transaction. */
  outsideTransaction: boolean;
}

/**
 * Runs the work and keeps its reply, or replays the reply kept. Work of one transaction is kept in that transaction:
 * `run` is given the services in which it belongs to it. Work in steps is given the id it is taken up again by.
 */
export type IdempotentRunner<Services> = (
  services: Services,
  request: IdempotentRequest,
  run: (services: Services) => Promise<Reply>,
) => Promise<{ reply: Reply; replayed: boolean }>;

/** The key of a request, or null when it carries none. @throws invalid_request (400) when empty or too long */
export function idempotencyKey(ctx: Context): string | null {
  const key = ctx.req.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key === 'string' && key.length > 0 && key.length <= maxIdempotencyKeyLength) return key;
  const detail = `must have 1 to ${maxIdempotencyKeyLength} characters`;
  throw invalidRequest(`Idempotency-Key ${detail}`, {
    errors: [{ in: 'header', pointer: '/Idempotency-Key', detail }],
  });
}

/** What makes two requests the same: where they go and what they say. */
export function fingerprintOf(ctx: Context, body: unknown): string {
  return createHash('sha256')
    .update(`${ctx.method} ${ctx.originalUrl}\n${JSON.stringify(body) ?? ''}`)
    .digest('hex');
}
