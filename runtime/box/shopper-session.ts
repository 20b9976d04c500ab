/**
 * A shopper without an account: an opaque token that the box issued, kept by the browser in a cookie or sent as
 * X-Session-Id by clients without cookies. The box stores the hash of its name only. What is no session of this shop,
 * or none any more, is treated like none: nothing is found by it, and the first write begins a new one.
 */
import type { Context } from 'koa';
import type { HeadersObject } from 'openapi3-ts/oas31';
import type { TenantDatabase } from '../db/tenant-database.ts';
import { extensionPoint, type HasExtensions } from '../extension/extension.ts';
import { type AccessKind, hashToken } from '../http/credentials.ts';
import { vendor } from '../vendor.ts';
import { findMember, memberSchemes } from './members.ts';
import type { SessionKeys } from './session-keys.ts';
import { isUnsignedToken, newSessionName, sessionDays } from './session-token.ts';
import type { TenantScope } from './tenancy.ts';

const plainCookie = `${vendor.name}_session`;
export const sessionHeader = 'X-Session-Id';
/** Days after which the token of a session that goes on is issued anew. */
const renewalDays = sessionDays / 2;

export interface ShopperSession {
  /** SHA-256 of the session's name, in hexadecimal; null before the session's first write. */
  readonly hash: string | null;
  /** Id of the member who is signed in, null for a guest. */
  readonly memberId: string | null;
  /** The hash of the session, which is begun if there is none: the answer then carries the cookie and the header. */
  begin(): string;
  /**
   * Begins another session in place of this one, and answers both hashes; for whoever signs a shopper in or out, so
   * that a session which somebody else knows or planted is never a member's (OWASP, session fixation). What belongs to
   * the one before is theirs to move.
   */
  rotate(): { before: string | null; hash: string };
}

/** The session of a member who is signed in. */
export interface MemberSession extends ShopperSession {
  readonly memberId: string;
}

/**
 * Whether something is kept for a session of this hash. Sessions had no signature once: such a one counts for as long
 * as it may live after the upgrade, if a package knows it, and gets its signature with the first answer.
 */
export type SessionLookup = (db: TenantDatabase, hash: string) => Promise<boolean>;
export const sessionLookups = extensionPoint<SessionLookup>('shopper.session-memory');

export interface SessionOptions {
  keys: SessionKeys;
  /** Whether browsers send the cookie over TLS only, to the very host that set it. */
  secureCookies: boolean;
}

type SessionAccess = AccessKind<TenantScope, { session: ShopperSession }, 'session'>;
type MemberAccess = AccessKind<TenantScope, { session: MemberSession }, 'member'>;

/**
 * Two access kinds: `session`, for guests and members, served without a session too, since the first write begins one;
 * and `member`, for members alone.
 */
export function shopperAccess(
  box: HasExtensions,
  { keys, secureCookies }: SessionOptions,
): readonly [SessionAccess, MemberAccess] {
  // A browser takes the prefix only from the host itself, over TLS (RFC 6265bis, section 4.1.3.2).
  const cookieName = secureCookies ? `__Host-${plainCookie}` : plainCookie;

  /** The session that a request names, by the first of its tokens that is one. */
  async function sessionOf(ctx: Context, { tenant, db }: TenantScope): Promise<Named | null> {
    const header = ctx.get(sessionHeader);
    const sent: (readonly [Named['by'], string])[] = [
      ['header', header],
      ['cookie', ctx.cookies.get(cookieName) ?? ''],
      ...(secureCookies ? [['earlier cookie', ctx.cookies.get(plainCookie) ?? ''] as const] : []),
    ];
    for (const [by, token] of sent) {
      if (token === '' || !tenant) continue;
      // Whoever is beside the host can set the plain cookie: under it only what the release before issued is taken.
      const issued = by === 'earlier cookie' ? null : await keys.read(tenant.id, token);
      if (issued) return { by, token, name: issued.name, isDue: issued.age > renewalDays };
      if (await isKnown(db, token)) return { by, token, name: token, isDue: true };
    }
    return null;
  }

  async function isKnown(db: TenantDatabase, name: string): Promise<boolean> {
    if (!isUnsignedToken(name)) return false;
    await keys.ready();
    if (Date.now() > keys.unsignedUntil) return false;
    const hash = hashToken(name);
    for (const knows of sessionLookups.of(db)) if (await knows(db, hash)) return true;
    return false;
  }

  /** Gives the shopper the token of a session: in the header always, and in the cookie. */
  function hand(ctx: Context, tenantId: string, name: string): void {
    const token = keys.issue(tenantId, name);
    ctx.cookies.set(cookieName, token, {
      httpOnly: true,
      sameSite: 'lax',
      secure: secureCookies,
      overwrite: true,
      maxAge: sessionDays * 24 * 60 * 60 * 1000,
    });
    if (secureCookies && ctx.cookies.get(plainCookie) !== undefined) {
      ctx.cookies.set(plainCookie, null, { httpOnly: true, sameSite: 'lax', overwrite: true });
    }
    ctx.set(sessionHeader, token);
  }

  async function shopperSession<Id extends string | null>(ctx: Context, scope: TenantScope, memberId: Id) {
    const tenantId = scope.tenant?.id ?? '';
    await keys.ready();
    const named = await sessionOf(ctx, scope);
    if (named?.isDue) hand(ctx, tenantId, named.name);
    else if (named?.by === 'header') ctx.set(sessionHeader, named.token);
    let hash = named && hashToken(named.name);
    const beginAnew = () => {
      const name = newSessionName();
      hand(ctx, tenantId, name);
      hash = hashToken(name);
      return hash;
    };
    return {
      get hash() {
        return hash;
      },
      memberId,
      begin: () => hash ?? beginAnew(),
      rotate() {
        const before = hash;
        return { before, hash: beginAnew() };
      },
    };
  }

  const responseHeaders: HeadersObject = {
    [sessionHeader]: {
      description: 'The session, once there is one: for clients without cookies, to send back with every call',
      schema: { type: 'string' },
      example: 'jPq1lOa0sPk2xG1Yb0wXJ6m0uPZkq2yq8b7m1pXc5c7AAFpIeKAX1oyWkm0vV7xq3ZcZyqN0w',
    },
  };
  const member: MemberAccess = {
    name: 'member',
    schemes: memberSchemes(box),
    responseHeaders,
    async authenticate(ctx, scope) {
      const memberId = await findMember(ctx, scope);
      return memberId === null ? null : { session: await shopperSession(ctx, scope, memberId) };
    },
  };
  const session: SessionAccess = {
    name: 'session',
    schemes: {
      sessionCookie: {
        type: 'apiKey',
        in: 'cookie',
        name: cookieName,
        description: 'Set by the first write to the cart',
      },
      sessionHeader: { type: 'apiKey', in: 'header', name: sessionHeader, description: 'For clients without cookies' },
      ...memberSchemes(box),
    },
    legacyCookies: secureCookies ? [plainCookie] : [],
    responseHeaders,
    optional: true,
    async authenticate(ctx, scope) {
      return { session: await shopperSession(ctx, scope, await findMember(ctx, scope)) };
    },
  };
  return [session, member];
}

interface Named {
  by: 'header' | 'cookie' | 'earlier cookie';
  token: string;
  name: string;
  /** Its token has to be issued anew. */
  isDue: boolean;
}
