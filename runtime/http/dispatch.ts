/**
 * Finding the route of a request in constant time. The cost of a router grows with the routes it holds,
 * so routes are dealt into small routers by the fixed beginning of their path (at most two words):
 * a request meets only the few that share its beginning, however many are mounted.
 */
import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import { methodNotAllowed, notFound } from './problems.ts';
import type { Route } from './route.ts';

const wordsInKey = 2;

/** The first words of a path as the name of a router: `/admin/products/:id` gives `admin/products`. */
function keyOf(path: string, words: number): string {
  return path
    .split('/')
    .slice(1, words + 1)
    .join('/');
}

function fixedWords(path: string): number {
  const words = path.split('/').slice(1);
  const firstParameter = words.findIndex((word) => word.startsWith(':'));
  return Math.min(wordsInKey, firstParameter === -1 ? words.length : firstParameter);
}

/** A router takes the first route that fits: `/things/special` has to stand before `/things/:id`, wherever declared. */
function fixedPathsFirst<Services>(routes: readonly Route<Services>[]): Route<Services>[] {
  const order = ({ declaration }: Route<Services>) => declaration.path.replaceAll(/:\w+/g, '\uffff');
  return [...routes].sort((a, b) => (order(a) < order(b) ? -1 : 1));
}

/**
 * Mounts routes and answers the middleware that serves them.
 * @param serve makes the Koa handler of one route
 * @throws Error when two routes answer the same method and path
 */
export function mountRoutes<Services>(
  routes: readonly Route<Services>[],
  serve: (route: Route<Services>) => Middleware,
): Middleware {
  const routers = new Map<string, Router>();
  const seen = new Map<string, string>();
  for (const route of fixedPathsFirst(routes)) {
    const { method, path, operationId } = route.declaration;
    const shape = `${method} ${path.replaceAll(/:\w+/g, ':')}`;
    const earlier = seen.get(shape);
    if (earlier) throw new Error(`${operationId} and ${earlier} both answer ${method.toUpperCase()} ${path}`);
    seen.set(shape, operationId);
    const key = keyOf(path, fixedWords(path));
    const router = routers.get(key) ?? new Router();
    routers.set(key, router);
    router[method](path, serve(route));
  }
  const middlewares = new Map([...routers].map(([key, router]) => [key, router.routes() as Middleware]));

  return async function dispatch(ctx) {
    const keys = [keyOf(ctx.path, 2), keyOf(ctx.path, 1), ''];
    for (const [index, key] of keys.entries()) {
      const middleware = keys.indexOf(key) === index ? middlewares.get(key) : undefined;
      let passed = false;
      await middleware?.(ctx, async () => {
        passed = true;
      });
      if (middleware && !passed) return;
    }
    handleUnmatched(
      ctx,
      keys.flatMap((key) => routers.get(key) ?? []),
    );
  };
}

function handleUnmatched(ctx: Context, routers: Router[]): void {
  const methods = new Set<string>();
  for (const router of routers) {
    for (const layer of router.match(ctx.path, ctx.method).path)
      for (const method of layer.methods) methods.add(method);
  }
  if (methods.size === 0) throw notFound(`Nothing is served at ${ctx.path}.`);
  const allow = [...methods, 'OPTIONS'].sort().join(', ');
  if (ctx.method === 'OPTIONS') {
    ctx.status = 204;
    ctx.set('Allow', allow);
    return;
  }
  throw methodNotAllowed(`${ctx.path} takes ${allow}.`, { headers: { Allow: allow } });
}
