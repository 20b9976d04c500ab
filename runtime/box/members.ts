/**
 * Authenticates members by the token that the member package issued, sent as a bearer token or in that package's cookie.
 */
import type { Context } from 'koa';
import type { SecuritySchemeObject } from 'openapi3-ts/oas31';
import { extensionPoint, type HasExtensions } from '../extension/extension.ts';
import { bearerToken } from '../http/credentials.ts';
import { unauthenticated } from '../http/problems.ts';
import type { TenantScope } from './tenancy.ts';

/** Authenticates members, on routes for all shoppers and on routes for members only. */
export interface MemberAuthenticator {
  /**
   * The name of the cookie that carries the token, if the package sets one.
   * @param secure cookies are sent over TLS only
   */
  cookieName?(secure: boolean): string;
  /** The member of a token; null for an unknown or expired one. */
  identify(scope: TenantScope, token: string): Promise<{ memberId: string } | null>;
}
/** Contributed by the package that manages members. */
export const memberAuthenticators = extensionPoint<MemberAuthenticator>('shopper.member');

/**
 * The security schemes of members, for the document; empty without a member package.
 * @param secureCookies cookies are sent over TLS only
 */
export function memberSchemes(box: HasExtensions, secureCookies: boolean): Record<string, SecuritySchemeObject> {
  const authenticators = memberAuthenticators.of(box);
  if (authenticators.length === 0) return {};
  const [cookie] = authenticators.flatMap((each) => each.cookieName?.(secureCookies) ?? []);
  return {
    memberToken: { type: 'http', scheme: 'bearer', description: 'The token that a member gets when they log in' },
    ...(cookie && {
      memberCookie: {
        type: 'apiKey' as const,
        in: 'cookie' as const,
        name: cookie,
        description: 'Set when a member logs in, for pages of the same site. A bearer token takes precedence over it.',
      },
    }),
  };
}

/**
 * Returns the member who calls, null for a guest. A bearer token is sent deliberately, so it takes precedence over a
 * cookie, and an invalid one is an error. An expired cookie is ignored.
 * @throws unauthenticated (401) for an invalid bearer token
 */
export async function findMember(ctx: Context, scope: TenantScope): Promise<string | null> {
  const authenticators = memberAuthenticators.of(scope.db);
  // Without a member package, the Authorization header is not for this route.
  if (authenticators.length === 0 || !scope.tenant) return null;
  const token = bearerToken(ctx);
  for (const { cookieName, identify } of authenticators) {
    const sent = token ?? (cookieName && ctx.cookies.get(cookieName(ctx.cookies.secure)));
    const member = sent ? await identify(scope, sent) : null;
    if (member) return member.memberId;
  }
  if (token === null) return null;
  throw unauthenticated('The bearer token is invalid or has expired: log in again, or send no token.');
}
