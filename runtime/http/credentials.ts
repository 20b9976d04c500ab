/**
 * Who is calling. An access kind is a named way to prove it: how it stands in the document, and how a request is checked.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Context } from 'koa';
import type { HeadersObject, SecuritySchemeObject } from 'openapi3-ts/oas31';
import type { RouteDeclaration } from './route.ts';

/**
 * A way to be allowed in. `authenticate` answers the caller, or null when the request carries no such
 * credential or a wrong one (401), or throws a problem of its own (403 for a credential without the right). What the
 * handlers are given of the caller is the application's to say (`AppOptions.services`).
 */
export interface AccessKind<Scope = unknown, Caller = unknown, Name extends string = string> {
  readonly name: Name;
  /** Alternative schemes of the document, by name: any one of them suffices. */
  readonly schemes: Record<string, SecuritySchemeObject>;
  /** Names of cookies that it takes besides, from before they were called as the document says. */
  readonly legacyCookies?: readonly string[];
  /** Headers that an answer to such a caller may carry, for the document. */
  readonly responseHeaders?: HeadersObject;
  /**
   * True when a request without the credential is served too (a shopper before the first cart write). `authenticate`
   * then answers who that is, never null.
   */
  readonly optional?: boolean;
  authenticate(ctx: Context, scope: Scope, declaration: RouteDeclaration): Promise<Caller | null> | Caller | null;
  /** Whether the caller has the right a route asks for; a kind without rights has them all. */
  permits?(caller: Caller, permission: string): boolean;
}

/** The token of `Authorization: Bearer`, or null. */
export function bearerToken({ headers }: Pick<Context, 'headers'>): string | null {
  const match = /^Bearer +([^\s]+) *$/i.exec(headers.authorization ?? '');
  return match?.[1] ?? null;
}

/** Compares two secrets in time that does not depend on where they differ; an unset secret equals nothing. */
export function secretsEqual(given: string | null | undefined, expected: string | null | undefined): boolean {
  if (!given || !expected) return false;
  return timingSafeEqual(sha256(given), sha256(expected));
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** The form in which a token is kept: its SHA-256 in hexadecimal. Only for tokens with at least 128 random bits. */
export function hashToken(token: string): string {
  return sha256(token).toString('hex');
}
