/**
 * A Koa application made of declared routes. It knows requests and answers only: who the callers are and what
 * a handler may use are given by whoever builds it (a box, the control plane).
 */
import { randomUUID } from 'node:crypto';
import Koa, { type Context, type Middleware } from 'koa';
import type { Logger } from 'pino';
import type { AccessKind } from './credentials.ts';
import { mountRoutes } from './dispatch.ts';
import { fingerprintOf, type IdempotencyKeeper, idempotencyKey } from './idempotency.ts';
import { authenticate, problemsOf, type Reply, readInput, readParams, readQuery, replyOf, send } from './operation.ts';
import { internalError, Problem, type ProblemType } from './problems.ts';
import { accessKindsOf, type Route } from './route.ts';
import { faults } from './validation.ts';

export interface AppOptions<Scope, Services> {
  routes: readonly Route<Services>[];
  accessKinds: readonly AccessKind<Scope, never>[];
  /** What a request belongs to, found before its credential is looked at (the tenant, in a box). */
  scope(ctx: Context, route: Route<Services>): Promise<Scope> | Scope;
  /** What a handler of this request may use. */
  services(ctx: Context, scope: Scope, caller: unknown): Services;
  log: Logger;
  /** Problems every operation may answer besides the engine's own. */
  commonProblems?: readonly ProblemType[];
  /** Makes a problem of an error that is not a fault of ours, or answers undefined. */
  translateError?(error: unknown): Problem | undefined;
  keepIdempotent?: IdempotencyKeeper<Services>;
  /** Believe X-Forwarded-* (behind a proxy that sets them). */
  trustProxy?: boolean;
  /** Refuse an answer that breaks its own schema: for tests, where a lie must not pass. */
  strictAnswers?: boolean;
  /** Served before the routes: pages and files that are no operations. */
  before?: readonly Middleware[];
}

/** Builds the application. @throws Error when a route names an unknown access kind or an operationId stands twice */
export function createApp<Scope, Services extends object>(options: AppOptions<Scope, Services>): Koa {
  const kinds = new Map(options.accessKinds.map((kind) => [kind.name, kind as unknown as AccessKind]));
  checkRoutes(options.routes, kinds);
  const app = new Koa({
    proxy: options.trustProxy ?? false,
    // The entry nearest to us, which our own proxy wrote: the ones before it are whatever the client claims.
    maxIpsCount: 1,
  });
  const dispatch = mountRoutes(options.routes, (route) => serveRoute(route, kinds, options));

  app.use(async (ctx, next) => {
    const started = performance.now();
    const given = ctx.get('x-request-id');
    const requestId = /^[\w.-]{1,64}$/.test(given) ? given : randomUUID();
    ctx.state.requestId = requestId;
    ctx.set('X-Request-Id', requestId);
    ctx.set('X-Content-Type-Options', 'nosniff');
    try {
      await next();
    } catch (error) {
      answerProblem(ctx, problemOf(error, ctx, options), requestId);
    }
    const milliseconds = Math.round((performance.now() - started) * 100) / 100;
    const { operationId, tenant } = ctx.state;
    options.log.info({
      requestId,
      method: ctx.method,
      path: ctx.path,
      status: ctx.status,
      milliseconds,
      operationId,
      tenant,
    });
  });
  for (const middleware of options.before ?? []) app.use(middleware);
  app.use(dispatch);
  // Koa's own last resort writes to stderr; what reaches it is a broken connection, not an answer.
  app.on('error', (error) => options.log.debug({ err: error }, 'connection error'));
  return app;
}

function checkRoutes(routes: readonly Route<never>[], kinds: ReadonlyMap<string, AccessKind>): void {
  const seen = new Set<string>();
  for (const { declaration } of routes as readonly Route<unknown>[]) {
    const { operationId, method, path } = declaration;
    if (seen.has(operationId)) throw new Error(`operationId ${operationId} stands twice`);
    seen.add(operationId);
    for (const name of accessKindsOf(declaration)) {
      if (!kinds.has(name)) throw new Error(`${method.toUpperCase()} ${path} asks for unknown access "${name}"`);
    }
  }
}

function serveRoute<Scope, Services extends object>(
  route: Route<Services>,
  kinds: ReadonlyMap<string, AccessKind>,
  options: AppOptions<Scope, Services>,
): Middleware {
  const { declaration, handler } = route;
  const declared = new Set(problemsOf(declaration, options.commonProblems).map((problem) => problem.code));

  return async function serve(ctx) {
    ctx.state.operationId = declaration.operationId;
    ctx.state.declared = declared;
    const scope = await options.scope(ctx, route);
    const caller = await authenticate(ctx, scope, declaration, kinds);
    const params = readParams(ctx, declaration);
    const query = readQuery(ctx, declaration);
    const body = await readInput(ctx, declaration);
    const run = async (services: Services): Promise<Reply> => {
      const result = await handler({ ...services, params, query, body } as never);
      const reply = replyOf(declaration, result);
      if (options.strictAnswers && declaration.response) refuseLie(route, reply);
      return reply;
    };
    const services = options.services(ctx, scope, caller);
    const key = declaration.idempotent ? idempotencyKey(ctx) : null;
    if (key === null || !options.keepIdempotent) return send(ctx, await run(services));
    const request = { key, operationId: declaration.operationId, fingerprint: fingerprintOf(ctx, body) };
    const { reply, replayed } = await options.keepIdempotent(services, request, run);
    if (replayed) ctx.set('Idempotent-Replayed', 'true');
    send(ctx, reply);
  };
}

function refuseLie(route: Route<never>, reply: Reply): void {
  const { operationId, response } = route.declaration;
  const wrong = faults(response as never, JSON.parse(reply.body ?? 'null'));
  if (wrong) throw new Error(`${operationId} answers against its own schema: ${wrong}`);
}

function problemOf<Scope, Services>(error: unknown, ctx: Context, options: AppOptions<Scope, Services>): Problem {
  const problem = error instanceof Problem ? error : options.translateError?.(error);
  const { requestId, declared, operationId } = ctx.state;
  if (problem && declared && !declared.has(problem.type.code)) {
    options.log.error({ requestId, operationId, code: problem.type.code }, 'undeclared problem');
    return internalError(undefined);
  }
  if (problem) return problem;
  options.log.error({ requestId, operationId, err: error }, 'request failed');
  return internalError(undefined);
}

function answerProblem(ctx: Context, problem: Problem, requestId: string): void {
  ctx.status = problem.type.status;
  ctx.set(problem.headers);
  ctx.set('Cache-Control', 'no-store');
  ctx.body = JSON.stringify(problem.toJSON(requestId));
  ctx.type = 'application/problem+json';
}
