/**
 * Authentication. An access kind is a named way to authenticate: its security schemes in the document, and the check of
 * a request.
 */
import { hash, timingSafeEqual } from 'node:crypto';
import type { Context } from 'koa';
import type { HeadersObject, SecuritySchemeObject } from 'openapi3-ts/oas31';
import type { RouteDeclaration } from './route.ts';

/**
 * A way to authenticate. `authenticate` returns the caller, or null when the request has no such credential or a wrong
 * one (401), or throws a problem of its own. The application decides what handlers get of the caller
 * (`AppOptions.services`).
 */
export interface AccessKind<Scope = unknown, Caller = unknown, Name extends string = string> {
  readonly name: Name;
  /** Alternative security schemes of the document, by name: any one of them suffices. */
  readonly schemes: Record<string, SecuritySchemeObject>;
  /** Further cookies that it accepts, under the names of earlier releases. */
  readonly legacyCookies?: readonly string[];
  /** Headers that a response to such a caller may carry, for the document. */
  readonly responseHeaders?: HeadersObject;
  /**
   * True when the credential is optional (a shopper before the first cart write). `authenticate` then returns a caller
   * for requests without one, never null.
   */
  readonly optional?: boolean;
  /** True for people who use pages of a storefront, whose addresses have parameters that others append. */
  readonly isVisitor?: boolean;
  authenticate(ctx: Context, scope: Scope, declaration: RouteDeclaration): Promise<Caller | null> | Caller | null;
  /** Whether the caller has a permission; without this function callers have all permissions. */
  permits?(caller: Caller, permission: string): boolean;
}

/** The token of `Authorization: Bearer`, or null. */
export function bearerToken({ headers }: Pick<Context, 'headers'>): string | null {
  const match = /^Bearer +([^\s]+) *$/i.exec(headers.authorization ?? '');
  return match?.[1] ?? null;
}

/** Compares two secrets in constant time; an unset secret equals nothing. */
export function secretsEqual(actual: string | null | undefined, expected: string | null | undefined): boolean {
  if (!actual || !expected) return false;
  return timingSafeEqual(sha256(actual), sha256(expected));
}

function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

/** The stored form of a token: its SHA-256 in hexadecimal. Only for tokens with at least 128 random bits. */
export function hashToken(token: string): string {
  return hash('sha256', token);
}
