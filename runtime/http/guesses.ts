/**
 * Wrong credentials, counted by the kind of access, the scope (the shop, in a box) and the address they come from. They
 * are random and long (a token, a key, a secret of the box), so that who holds a right one is let in however many wrong
 * ones came from the same address: it may be an office's, or a storefront's server. What a person chose, a password, is
 * no credential of a request: it stands in the body of a route that counts as `login`.
 */
import type { Context } from 'koa';
import { type AccessKind, hashToken } from './credentials.ts';
import { type CredentialPlaces, credentialPlaces } from './origins.ts';
import { addressBlock, countRequest, type RateLimiter } from './rate-limit.ts';
import { accessKindsOf, type RouteDeclaration } from './route.ts';

/** Wrong credentials remembered at most, in each of two generations. */
const mostRemembered = 10_000;

export class Guesses<Scope> {
  readonly #limiter: RateLimiter;
  readonly #scopeName: (scope: Scope) => string;
  /** What was counted already; the older half is dropped whole, so memory stays bounded. */
  #recent = new Set<string>();
  #older = new Set<string>();

  /** @param scopeName what keeps the guesses at one from counting for another */
  constructor(limiter: RateLimiter, scopeName: (scope: Scope) => string) {
    this.#limiter = limiter;
    this.#scopeName = scopeName;
  }

  /**
   * Makes the counter of a route: called when a request's credential is none. One that comes again is the same guess,
   * so a page that goes on asking with a token that has ended counts once; and who sent none has guessed nothing. Where
   * guests are let in, nothing is counted.
   * @returns null for such a route; the counter throws too_many_requests (429)
   */
  counterFor(
    declaration: RouteDeclaration,
    kinds: ReadonlyMap<string, Pick<AccessKind, 'schemes' | 'legacyCookies' | 'optional'>>,
  ): ((ctx: Context, scope: Scope) => void) | null {
    const names = accessKindsOf(declaration);
    const [name] = names;
    if (name === undefined || names.some((each) => kinds.get(each)?.optional)) return null;
    const places = credentialPlaces(declaration, kinds);
    return (ctx, scope) => {
      const sent = credentialsOf(ctx, places);
      if (sent === '') return;
      const guesser = `guesses of ${name} ${this.#scopeName(scope)} ${addressBlock(ctx.ip)}`;
      const guess = `${guesser} ${hashToken(sent)}`;
      if (this.#recent.has(guess) || this.#older.has(guess)) return;
      countRequest(ctx, this.#limiter, 'login', guesser);
      this.#remember(guess);
    };
  }

  #remember(guess: string): void {
    if (this.#recent.size >= mostRemembered) {
      this.#older = this.#recent;
      this.#recent = new Set();
    }
    this.#recent.add(guess);
  }
}

/** What a request sent where credentials stand, as one text; empty when it sent none. */
function credentialsOf(ctx: Context, { headers, cookies }: CredentialPlaces): string {
  const sent = [...headers.map((name) => ctx.get(name)), ...cookies.map((name) => ctx.cookies.get(name) ?? '')];
  return sent.every((each) => each === '') ? '' : sent.join('\n');
}

/** The limits of an application, and who a caller is counted as. */
export interface RateLimiting<Scope, Caller = unknown> {
  limiter: RateLimiter;
  guesses: Guesses<Scope>;
  /** The name a caller is counted by; null for one who is not limited. A credential that costs nothing names nobody. */
  callerName(ctx: Context, scope: Scope, caller: Caller | null): string | null;
}
