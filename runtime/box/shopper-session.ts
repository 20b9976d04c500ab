/**
 * Shopper sessions: an opaque token that the box issues, stored by browsers in a cookie and sent as X-Session-Id by
 * clients without cookies. The box stores only the hash of the session id. An invalid or expired token is treated as
 * none: reads find nothing, and the first write creates a new session.
 */
import type { Context } from 'koa';
import type { HeadersObject } from 'openapi3-ts/oas31';
import type { HasExtensions } from '../extension/extension.ts';
import { type AccessKind, hashToken } from '../http/credentials.ts';
import { vendor } from '../vendor.ts';
import { findMember, memberSchemes } from './members.ts';
import type { SessionKeys } from './session-keys.ts';
import { ageOf, newSessionId, sessionDays } from './session-token.ts';
import type { TenantScope } from './tenancy.ts';
import { UnsignedSessions } from './unsigned-sessions.ts';

const plainCookie = `${vendor.name}_session`;
export const sessionHeader = 'X-Session-Id';
/** Days after which the token of a session in use is renewed. */
const renewalDays = sessionDays / 2;

export interface ShopperSession {
  /** SHA-256 of the session id, in hexadecimal; null before the first write. */
  readonly hash: string | null;
  /** Id of the member who is logged in; null for a guest. */
  readonly memberId: string | null;
  /** Returns the hash of the session. Creates it if there is none: the response then carries the cookie and header. */
  begin(): string;
  /**
   * Replaces the session with a new one and returns both hashes. To be called when a shopper logs in or out, so that a
   * token known to an attacker never becomes a member's (OWASP, session fixation). The caller moves the data of the old
   * session to the new one.
   */
  rotate(): { before: string | null; hash: string };
}

/** The session of a member who is logged in. */
export interface MemberSession extends ShopperSession {
  readonly memberId: string;
}

export interface SessionOptions {
  keys: SessionKeys;
  /** Whether the cookie is sent over TLS only, and only to the host that set it. */
  secureCookies: boolean;
}

type SessionAccess = AccessKind<TenantScope, { session: ShopperSession }, 'session'>;
type MemberAccess = AccessKind<TenantScope, { session: MemberSession }, 'member'>;

/**
 * Returns two access kinds: `session`, for guests and members, where a session is optional since the first write creates
 * one; and `member`, for members only.
 */
export function shopperAccess(
  box: HasExtensions,
  { keys, secureCookies }: SessionOptions,
): readonly [SessionAccess, MemberAccess] {
  const unsigned = new UnsignedSessions(keys);
  // Browsers accept this prefix only from the host itself, over TLS (RFC 6265bis, section 4.1.3.2).
  const cookieName = secureCookies ? `__Host-${plainCookie}` : plainCookie;

  /** The session of a request: that of the first valid token. */
  async function findSession(ctx: Context, { tenant, db }: TenantScope): Promise<FoundSession | null> {
    const header = ctx.get(sessionHeader);
    const sent: (readonly [FoundSession['source'], string])[] = [
      ['header', header],
      ['cookie', ctx.cookies.get(cookieName) ?? ''],
      ...(secureCookies ? [['legacy cookie', ctx.cookies.get(plainCookie) ?? ''] as const] : []),
    ];
    for (const [source, token] of sent) {
      if (token === '' || !tenant) continue;
      // Sibling hosts can set a cookie without the prefix, so it is read only for tokens of earlier releases.
      const issued = source === 'legacy cookie' ? null : await keys.read(tenant.id, token);
      if (issued) return { source, token, sessionId: issued.sessionId, needsRenewal: ageOf(issued) > renewalDays };
      const sessionId = await unsigned.replace(db, token);
      if (sessionId !== null) return { source, token, sessionId, needsRenewal: true };
    }
    return null;
  }

  /** Issues a token for a session and sends it in the header and the cookie. */
  function sendToken(ctx: Context, tenantId: string, sessionId: string): void {
    const token = keys.issue(tenantId, sessionId);
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
    const found = await findSession(ctx, scope);
    if (found?.needsRenewal) sendToken(ctx, tenantId, found.sessionId);
    else if (found?.source === 'header') ctx.set(sessionHeader, found.token);
    let hash = found && hashToken(found.sessionId);
    const createSession = () => {
      const sessionId = newSessionId();
      sendToken(ctx, tenantId, sessionId);
      hash = hashToken(sessionId);
      return hash;
    };
    return {
      get hash() {
        return hash;
      },
      memberId,
      begin: () => hash ?? createSession(),
      rotate() {
        const before = hash;
        return { before, hash: createSession() };
      },
    };
  }

  const responseHeaders: HeadersObject = {
    [sessionHeader]: {
      description:
        'The session token, sent once a session exists. Clients without cookies send it back with every request.',
      schema: { type: 'string' },
      example: 'jPq1lOa0sPk2xG1Yb0wXJ6m0uPZkq2yq8b7m1pXc5c7AAFpIeKAX1oyWkm0vV7xq3ZcZyqN0w',
    },
  };
  const member: MemberAccess = {
    name: 'member',
    isVisitor: true,
    schemes: memberSchemes(box, secureCookies),
    responseHeaders,
    async authenticate(ctx, scope) {
      const memberId = await findMember(ctx, scope);
      return memberId === null ? null : { session: await shopperSession(ctx, scope, memberId) };
    },
  };
  const session: SessionAccess = {
    name: 'session',
    isVisitor: true,
    schemes: {
      sessionCookie: {
        type: 'apiKey',
        in: 'cookie',
        name: cookieName,
        description: 'Set when a session is created, by the first write to the cart',
      },
      sessionHeader: {
        type: 'apiKey',
        in: 'header',
        name: sessionHeader,
        description: 'The session token, for clients without cookies',
      },
      ...memberSchemes(box, secureCookies),
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

interface FoundSession {
  source: 'header' | 'cookie' | 'legacy cookie';
  token: string;
  sessionId: string;
  needsRenewal: boolean;
}
