/**
 * What an application is built of.
 */
import type { Context, Middleware } from 'koa';
import type { Logger } from 'pino';
import type { AccessKind } from './credentials.ts';
import type { RateLimiting } from './guesses.ts';
import type { IdempotentRunner } from './idempotency.ts';
import type { OriginSource } from './origins.ts';
import type { ConsistentRunner } from './preconditions.ts';
import type { Problem, ProblemType } from './problems.ts';
import type { Route } from './route.ts';

/**
 * Runs each request, for whoever counts and traces them. The request's id stands in `ctx.state` before, its
 * operation's after; `answer` throws nothing and answers how many milliseconds it took.
 */
export type RequestObserver = (ctx: Context, answer: () => Promise<number>) => Promise<void>;

/** `Caller` is what any of its access kinds answers. */
export interface AppOptions<Scope, Services, Caller = unknown> {
  routes: readonly Route<Services>[];
  accessKinds: readonly AccessKind<Scope, Caller>[];
  /** What a request belongs to, found before its credential is looked at (the tenant, in a box). */
  scope(ctx: Context, route: Route<Services>): Promise<Scope> | Scope;
  /** What a handler of this request may use; `caller` is null on a public route. */
  services(ctx: Context, scope: Scope, caller: Caller | null): Services;
  log: Logger;
  /** Problems every operation may answer besides the engine's own. */
  commonProblems?: readonly ProblemType[];
  /** Makes a problem of an error that is not a fault of ours, or answers undefined. */
  translateError?(error: unknown): Problem | undefined;
  runIdempotently?: IdempotentRunner<Services>;
  /** Makes If-Match work: without it no change is conditional. */
  runConsistently?: ConsistentRunner<Services>;
  /** Counts requests; without it they are not. */
  rateLimits?: RateLimiting<Scope, Caller>;
  /** The other sites whose pages may call; without it none may, and browsers are told nothing. */
  origins?: OriginSource;
  /** Which proxies are believed in X-Forwarded-For, -Host and -Proto, as `trustedProxy` reads it; none unless told. */
  trustProxy?: boolean | string;
  /** Whether cookies are sent over TLS only; left out, those are that are set over TLS, as far as one knows here. */
  secureCookies?: boolean;
  /** Is given every request to run. */
  observeRequest?: RequestObserver;
  /** Milliseconds in which a body has to arrive; in which each piece of an upload has to. */
  bodyDeadline?: number;
  /** Where files of uploads stand while their requests are served; the system's folder for such unless given. */
  uploadFolder?: string;
  /** Milliseconds in which the reader of a streamed answer has to take what it was sent; two minutes unless given. */
  readDeadline?: number;
  /** Refuse an answer that breaks its own schema: for tests, where a lie must not pass. */
  strictResponses?: boolean;
  /** Served before the routes: pages and files that are no operations. */
  before?: readonly Middleware[];
}
