/**
 * A shopper without an account: an opaque random token, kept by the browser in a cookie or sent as X-Session-Id by
 * clients without cookies. The box stores its hash only.
 */
import { randomBytes } from 'node:crypto';
import type { Context } from 'koa';
import { type AccessKind, hashToken } from '../http/credentials.ts';
import { unauthenticated } from '../http/problems.ts';
import { extensionPoint } from '../package/extension.ts';
import { vendor } from '../vendor.ts';
import type { TenantScope } from './tenancy.ts';

export const sessionCookie = `${vendor.name}_session`;
export const sessionHeader = 'X-Session-Id';
const sessionDays = 90;
const tokenPattern = /^[A-Za-z0-9_-]{43}$/;

export interface ShopperSession {
  /** SHA-256 of the token, in hexadecimal; null before the session's first write. */
  readonly hash: string | null;
  /** Id of the member who is signed in, null for a guest. */
  readonly memberId: string | null;
  /** The hash of the session, which is begun if there is none: the answer then carries the cookie and the header. */
  begin(): string;
}

/** Signs a member in on routes that serve guests and members; the package that keeps members contributes it. */
export type MemberAuthenticator = (ctx: Context, scope: TenantScope) => Promise<{ memberId: string } | null>;
export const memberAuthenticators = extensionPoint<MemberAuthenticator>('shopper.member');

/** Guests and members; served without a session too, since the first write begins one. */
export const sessionAccess: AccessKind<TenantScope, ShopperSession> = {
  name: 'session',
  schemes: {
    sessionCookie: {
      type: 'apiKey',
      in: 'cookie',
      name: sessionCookie,
      description: 'Set by the first write to the cart',
    },
    sessionHeader: { type: 'apiKey', in: 'header', name: sessionHeader, description: 'For clients without cookies' },
  },
  sends: {
    [sessionHeader]: {
      description: 'The session, once there is one: for clients without cookies, to send back with every call',
      schema: { type: 'string' },
      example: 'b0wXJ6m0uPZkq2yq8b7m1pXc5c7oY3l1Q2r8s9tUvWx',
    },
  },
  optional: true,
  async authenticate(ctx, scope) {
    for (const identify of memberAuthenticators.of(scope.db)) {
      const member = await identify(ctx, scope);
      if (member) return shopperSession(ctx, member.memberId);
    }
    return shopperSession(ctx, null);
  },
};

function shopperSession(ctx: Context, memberId: string | null): ShopperSession {
  const header = ctx.get(sessionHeader);
  if (header && !tokenPattern.test(header)) throw unauthenticated(`${sessionHeader} is not a session of this box.`);
  const cookie = header || ctx.cookies.get(sessionCookie) || '';
  let hash = tokenPattern.test(cookie) ? hashToken(cookie) : null;
  if (header) ctx.set(sessionHeader, header);
  return {
    get hash() {
      return hash;
    },
    memberId,
    begin() {
      if (hash !== null) return hash;
      const token = randomBytes(32).toString('base64url');
      hash = hashToken(token);
      ctx.cookies.set(sessionCookie, token, {
        httpOnly: true,
        sameSite: 'lax',
        secure: ctx.secure,
        overwrite: true,
        maxAge: sessionDays * 24 * 60 * 60 * 1000,
      });
      ctx.set(sessionHeader, token);
      return hash;
    },
  };
}
