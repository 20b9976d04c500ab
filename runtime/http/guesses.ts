/**
 * Limits guesses at credentials: invalid ones are counted by access kind, scope (the tenant, in a box) and IP address.
 * Credentials are long and random (a token, a key, a secret of the box), so a valid one is accepted however many invalid
 * ones came from the same address, which may be shared by an office or be that of a storefront's server. Passwords are
 * not covered here: they are sent in the body of a route of the rate class `login`.
 */
import type { Context } from 'koa';
import { addressBlock } from './address.ts';
import { type AccessKind, hashToken } from './credentials.ts';
import { type CredentialSources, credentialSources } from './origins.ts';
import { countRequest, type RateCounter } from './rate-limit.ts';
import { accessKindsOf, type RouteDeclaration } from './route.ts';

export class Guesses<Scope> {
  readonly #limiter: RateCounter;
  readonly #scopeName: (scope: Scope) => string;

  /** @param scopeName returns a name for the scope; scopes are counted separately */
  constructor(limiter: RateCounter, scopeName: (scope: Scope) => string) {
    this.#limiter = limiter;
    this.#scopeName = scopeName;
  }

  /**
   * Returns the counter of a route, to be called for each request with an invalid credential. A repeated credential
   * counts once, so that a page polling with an expired token is a single guess; a request without a credential does not
   * count. Nothing is counted on routes where the credential is optional.
   * @returns null for a route that does not count; the counter throws too_many_requests (429)
   */
  counterFor(
    declaration: RouteDeclaration,
    kinds: ReadonlyMap<string, Pick<AccessKind, 'schemes' | 'legacyCookies' | 'optional'>>,
  ): ((ctx: Context, scope: Scope) => void | Promise<void>) | null {
    const names = accessKindsOf(declaration);
    const [name] = names;
    if (name === undefined || names.some((each) => kinds.get(each)?.optional)) return null;
    const places = credentialSources(declaration, kinds);
    return (ctx, scope) => {
      const sent = credentialsOf(ctx, places);
      if (sent === '') return;
      const source = `guesses of ${name} ${this.#scopeName(scope)} ${addressBlock(ctx.ip)}`;
      return countRequest(ctx, this.#limiter, 'login', source, hashToken(sent));
    };
  }
}

/** The credentials of a request as one string; empty when it sent none. */
function credentialsOf(ctx: Context, { headers, cookies }: CredentialSources): string {
  const sent = [...headers.map((name) => ctx.get(name)), ...cookies.map((name) => ctx.cookies.get(name) ?? '')];
  return sent.every((each) => each === '') ? '' : sent.join('\n');
}

/** The rate limits of an application. */
export interface RateLimiting<Scope, Caller = unknown> {
  limiter: RateCounter;
  guesses: Guesses<Scope>;
  /** The name to count a caller by; null for one without limits. Credentials that anyone can create are not identities. */
  callerName(ctx: Context, scope: Scope, caller: Caller | null): string | null;
}
