/**
 * The options of an application.
 */
import type { Context, Middleware } from 'koa';
import type { Logger } from 'pino';
import type { AccessKind } from './credentials.ts';
import type { WaitObserver } from './fair-share.ts';
import type { RateLimiting } from './guesses.ts';
import type { RequestHeader } from './headers.ts';
import type { IdempotentRunner } from './idempotency.ts';
import type { OriginSource } from './origins.ts';
import type { ConsistentRunner } from './preconditions.ts';
import type { Problem, ProblemType } from './problems.ts';
import type { Refusal } from './repair.ts';
import type { Route } from './route.ts';
import type { UploadSpace } from './upload-space.ts';

/**
 * Wraps each request, for metrics and tracing. `ctx.state` has the request id before `respond` is called and the
 * operation id afterwards. `respond` never throws; it returns the duration in milliseconds.
 */
export type RequestObserver = (ctx: Context, respond: () => Promise<number>) => Promise<void>;

/** `Caller` is the type that the access kinds return. */
export interface AppOptions<Scope, Services, Caller = unknown> {
  routes: readonly Route<Services>[];
  accessKinds: readonly AccessKind<Scope, Caller>[];
  /** Resolves the scope of a request (the tenant, in a box) before authentication. */
  scope(ctx: Context, route: Route<Services>): Promise<Scope> | Scope;
  /** Returns the services for the handler of a request; `caller` is null on a public route. */
  services(ctx: Context, scope: Scope, caller: Caller | null): Services;
  log: Logger;
  /** Problems that every operation may return besides the engine's own. */
  commonProblems?: readonly ProblemType[];
  /** Maps an error to a problem; undefined for an internal error. */
  translateError?(error: unknown): Problem | undefined;
  runIdempotently?: IdempotentRunner<Services>;
  /** Required for If-Match: without it no change is conditional. */
  runConsistently?: ConsistentRunner<Services>;
  /** Rate limits; without them requests are not counted. */
  rateLimits?: RateLimiting<Scope, Caller>;
  /** Origins whose pages may call this application; without it none may, and no CORS headers are sent. */
  origins?: OriginSource;
  /** Headers of requests that its document has besides those of every service. */
  requestHeaders?: readonly RequestHeader[];
  /** Proxies that are trusted for X-Forwarded-For, -Host and -Proto, as `trustedProxy` reads them; defaults to none. */
  trustProxy?: boolean | string;
  /** Whether cookies are sent over TLS only; by default those that are set over TLS. */
  secureCookies?: boolean;
  /** Wraps every request. */
  observeRequest?: RequestObserver;
  /** Milliseconds in which a body, or each chunk of an upload, has to arrive. */
  bodyDeadline?: number;
  /** Empty texts of fields that may be null are null, as the forms of a storefront send them. */
  emptyTextsAreNull?: boolean;
  /** The folder for uploaded files while their requests are served; defaults to one in the system's temporary folder. */
  uploadFolder?: string;
  /** What uploads may hold on disk at once; 1 GiB by default. */
  uploadSpace?: UploadSpace;
  /** Whose request it is: their uploads share half of that space at most, and they take turns while the box is busy. */
  owner?(scope: Scope): string | null;
  /** Milliseconds in which the client has to read what a streamed response has sent; defaults to two minutes. */
  readDeadline?: number;
  /**
   * Fail a request whose response does not match its own schema. For tests. Otherwise what the schema refuses is repaired
   * where it may be absent.
   */
  strictResponses?: boolean;
  /** Notified of requests that wait for those of the same owner. */
  observeWaits?: WaitObserver;
  /** Called with what the schema of a response refuses. */
  observeRefusals?(operationId: string, refusals: readonly Refusal[]): void;
  /** Middleware that runs before the routes: pages and files that are not operations. */
  before?: readonly Middleware[];
}
