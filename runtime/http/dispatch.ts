/**
 * Finds the route of a request in constant time. The cost of a router grows with its routes, so routes are split into
 * small routers by the literal prefix of their path (at most two segments): a request is matched only against the few
 * routes that share its prefix, however many are mounted.
 */
import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import { methodNotAllowed, notFound } from './problems.ts';
import type { Route } from './route.ts';

const maxSegments = 2;

/** The first segments of a path, as the key of a router: `/admin/products/:id` gives `admin/products`. */
function keyOf(path: string, segments: number): string {
  let end = 0;
  for (let left = segments; left > 0; left--) {
    end = path.indexOf('/', end + 1);
    if (end === -1) return path.slice(1);
  }
  return path.slice(1, end);
}

function literalSegments(path: string): number {
  const segments = path.split('/').slice(1);
  const firstParameter = segments.findIndex((segment) => segment.startsWith(':'));
  return Math.min(maxSegments, firstParameter === -1 ? segments.length : firstParameter);
}

/** A router uses the first route that matches, so `/things/special` has to precede `/things/:id`. */
function sortLiteralsFirst<Services>(routes: readonly Route<Services>[]): Route<Services>[] {
  const order = ({ declaration }: Route<Services>) => declaration.path.replaceAll(/:\w+/g, '\uffff');
  return [...routes].sort((a, b) => (order(a) < order(b) ? -1 : 1));
}

/**
 * Mounts routes and returns the middleware that serves them.
 * @param serve creates the Koa handler of a route
 * @throws Error when two routes have the same method and path
 */
export function mountRoutes<Services>(
  routes: readonly Route<Services>[],
  serve: (route: Route<Services>) => Middleware,
): Middleware {
  const routers = new Map<string, Router>();
  const seen = new Map<string, string>();
  for (const route of sortLiteralsFirst(routes)) {
    const { method, path, operationId } = route.declaration;
    const shape = `${method} ${path.replaceAll(/:\w+/g, ':')}`;
    const earlier = seen.get(shape);
    if (earlier) throw new Error(`${operationId} and ${earlier} both declare ${method.toUpperCase()} ${path}`);
    seen.set(shape, operationId);
    const key = keyOf(path, literalSegments(path));
    const router = routers.get(key) ?? new Router();
    routers.set(key, router);
    router[method](path, serve(route));
  }
  const middlewares = new Map([...routers].map(([key, router]) => [key, router.routes() as Middleware]));

  return async function dispatch(ctx) {
    if (ctx.path.includes('%')) requireText(ctx.path);
    const keys = [keyOf(ctx.path, 2), keyOf(ctx.path, 1), ''];
    let tried: string | undefined;
    for (const key of keys) {
      const middleware = key === tried ? undefined : middlewares.get(key);
      tried = key;
      if (!middleware) continue;
      let passed = false;
      await middleware(ctx, async () => {
        passed = true;
      });
      if (!passed) return;
    }
    handleUnmatched(
      ctx,
      keys.flatMap((key) => routers.get(key) ?? []),
    );
  };
}

/** @throws not_found (404) for a path whose escapes are no UTF-8, or U+0000: it can name nothing that is stored */
function requireText(path: string): void {
  try {
    if (!decodeURIComponent(path).includes('\0')) return;
  } catch {
    // Not percent-encoded, or in another encoding.
  }
  throw notFound('The path must be percent-encoded in UTF-8, without the character U+0000.');
}

function handleUnmatched(ctx: Context, routers: Router[]): void {
  const methods = new Set<string>();
  for (const router of routers) {
    for (const layer of router.match(ctx.path, ctx.method).path)
      for (const method of layer.methods) methods.add(method);
  }
  if (methods.size === 0) throw notFound(`There is no resource at ${ctx.path}.`);
  const allow = [...methods, 'OPTIONS'].sort().join(', ');
  if (ctx.method === 'OPTIONS') {
    ctx.status = 204;
    ctx.set('Allow', allow);
    return;
  }
  throw methodNotAllowed(`${ctx.path} allows ${allow}.`, { headers: { Allow: allow } });
}
