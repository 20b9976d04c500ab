/**
 * Members as callers: by the token that the package which keeps members gave them, as a bearer or in a cookie of its own.
 */
import type { Context } from 'koa';
import type { SecuritySchemeObject } from 'openapi3-ts/oas31';
import { extensionPoint, type HasExtensions } from '../extension/extension.ts';
import { bearerToken } from '../http/credentials.ts';
import { unauthenticated } from '../http/problems.ts';
import { vendor } from '../vendor.ts';
import type { TenantScope } from './tenancy.ts';

/** Signs members in, on the routes of guests and members and on those of members alone. */
export interface MemberAuthenticator {
  /** The cookie in which browsers keep the token, where the package sets one. */
  cookie?: string;
  /** The member of a token; null for what is no token of the package, or none any more. */
  identify(scope: TenantScope, token: string): Promise<{ memberId: string } | null>;
}
/** The package that keeps members contributes it. */
export const memberAuthenticators = extensionPoint<MemberAuthenticator>('shopper.member');

/** How members are let in, for the document: nothing where no package keeps any. */
export function memberSchemes(box: HasExtensions): Record<string, SecuritySchemeObject> {
  const authenticators = memberAuthenticators.of(box);
  if (authenticators.length === 0) return {};
  const [cookie] = authenticators.flatMap((each) => each.cookie ?? []);
  return {
    memberToken: { type: 'http', scheme: 'bearer', description: 'Token of a member, from the log-in' },
    ...(cookie && {
      memberCookie: {
        type: 'apiKey' as const,
        in: 'cookie' as const,
        name: cookie,
        description: `Set by the log-in, for pages of the same site; ${vendor.name} counts a bearer token before it`,
      },
    }),
  };
}

/**
 * The member who calls; null for a guest. A bearer token is the caller's own word and counts before what a browser adds
 * by itself; whoever sends one that is no member's is not taken for a guest. A cookie that has ended is left aside.
 * @throws unauthenticated (401) for a bearer token that is no member's
 */
export async function findMember(ctx: Context, scope: TenantScope): Promise<string | null> {
  const authenticators = memberAuthenticators.of(scope.db);
  // Where nobody keeps members, the header says nothing to us.
  if (authenticators.length === 0 || !scope.tenant) return null;
  const token = bearerToken(ctx);
  for (const { cookie, identify } of authenticators) {
    const sent = token ?? (cookie && ctx.cookies.get(cookie));
    const member = sent ? await identify(scope, sent) : null;
    if (member) return member.memberId;
  }
  if (token === null) return null;
  throw unauthenticated("The token is no member's of this shop, or has ended: log in again, or send none.");
}
