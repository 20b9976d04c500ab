/**
 * A Koa application of declared routes. It handles requests and responses only: the callers and the services of handlers
 * are passed by the application that builds it (a box, the control plane).
 */
import { randomUUID } from 'node:crypto';
import Koa, { type Context, type Next } from 'koa';
import type { AppOptions } from './app-options.ts';
import { discardBody } from './body.ts';
import { checkFile, checkShared, checkStreamed, checkUpload } from './check-declaration.ts';
import { completeRoutes } from './complete.ts';
import { mountRoutes } from './dispatch.ts';
import { setCommonHeaders } from './headers.ts';
import { tokenHider } from './logged-path.ts';
import { acceptedHeaders, setCorsHeaders } from './origins.ts';
import { internalError, Problem } from './problems.ts';
import { accessKindsOf, type Route } from './route.ts';
import { serveRoute } from './serve.ts';
import { resolveTarget } from './target.ts';
import { resolveClient, trustedProxy } from './trusted-proxy.ts';

/**
 * Builds the application.
 * @throws Error when a route names an unknown access kind, an operationId is duplicate or `trustProxy` is invalid
 */
export function createApp<Scope, Services extends object, Caller = unknown>(
  options: AppOptions<Scope, Services, Caller>,
): Koa {
  const kinds = new Map(options.accessKinds.map((kind) => [kind.name, kind]));
  checkRoutes(options.routes, kinds);
  const trusted = trustedProxy(options.trustProxy ?? false);
  const { secureCookies } = options;
  // Koa reads the forwarded headers that `resolveClient` has validated.
  const app = new Koa({ proxy: trusted !== null });
  const routes = completeRoutes(options.routes, {
    accessKinds: options.accessKinds,
    conditional: options.runConsistently !== undefined,
    rateLimited: options.rateLimits !== undefined,
  });
  const dispatch = mountRoutes(routes, (route) => serveRoute(route, kinds, options));
  const accepted = acceptedHeaders(options.accessKinds);
  const hideTokens = tokenHider(routes.map(({ declaration }) => declaration.path));

  async function respondAndLog(ctx: Context, next: Next, requestId: string, started: number): Promise<number> {
    try {
      resolveTarget(ctx);
      const preflight = options.origins ? await setCorsHeaders(ctx, options.origins, accepted) : false;
      await next();
      if (preflight) ctx.set('Access-Control-Allow-Methods', String(ctx.response.get('allow')));
    } catch (error) {
      if (ctx.res.headersSent) options.log.warn({ requestId, err: error }, 'response aborted');
      else sendProblem(ctx, problemOf(error, ctx, options), requestId);
    }
    discardBody(ctx, options.bodyDeadline);
    const milliseconds = Math.round((performance.now() - started) * 100) / 100;
    const { operationId, tenant } = ctx.state;
    options.log.info({
      requestId,
      method: ctx.method,
      path: hideTokens(ctx.path),
      status: ctx.status,
      milliseconds,
      operationId,
      tenant,
    });
    return milliseconds;
  }

  app.use(async (ctx, next) => {
    const started = performance.now();
    const sentId = ctx.get('x-request-id');
    const requestId = /^[\w.-]{1,64}$/.test(sentId) ? sentId : randomUUID();
    ctx.state.requestId = requestId;
    ctx.state.loggedPath = hideTokens(ctx.path);
    resolveClient(ctx, trusted);
    if (secureCookies !== undefined) ctx.cookies.secure = secureCookies;
    setCommonHeaders(ctx, requestId);
    const respond = () => respondAndLog(ctx, next, requestId, started);
    await (options.observeRequest ? options.observeRequest(ctx, respond) : respond());
  });

  for (const middleware of options.before ?? []) app.use(middleware);
  app.use(dispatch);
  // Koa's default handler writes to stderr; only errors of broken connections get here.
  app.on('error', (error) => options.log.debug({ err: error }, 'connection error'));
  return app;
}

function checkRoutes(routes: readonly Route<never>[], kinds: ReadonlyMap<string, unknown>): void {
  const seen = new Set<string>();
  for (const { declaration } of routes as readonly Route<unknown>[]) {
    const { operationId, method, path } = declaration;
    if (seen.has(operationId)) throw new Error(`duplicate operationId ${operationId}`);
    seen.add(operationId);
    checkUpload(declaration);
    checkStreamed(declaration);
    checkFile(declaration);
    checkShared(declaration);
    for (const name of accessKindsOf(declaration)) {
      if (!kinds.has(name)) throw new Error(`${method.toUpperCase()} ${path} declares unknown access "${name}"`);
    }
  }
}

function problemOf(
  error: unknown,
  ctx: Context,
  options: Pick<AppOptions<never, never>, 'translateError' | 'log'>,
): Problem {
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

function sendProblem(ctx: Context, problem: Problem, requestId: string): void {
  ctx.status = problem.type.status;
  // Required for every 401 (RFC 9110, section 11.6.1).
  if (ctx.status === 401) ctx.set('WWW-Authenticate', 'Bearer');
  ctx.set(problem.headers);
  ctx.set('Cache-Control', 'no-store');
  ctx.body = JSON.stringify(problem.toJSON(requestId));
  ctx.type = 'application/problem+json';
}
