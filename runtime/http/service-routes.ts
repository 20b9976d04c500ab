/**
 * The routes that every service has: whether it is well, its figures, its own document and the page that shows it.
 */

import type { PreparedBody } from './prepared.ts';
import { defineProblem } from './problems.ts';
import { routeFor } from './route.ts';
import { object, oneOf, Type } from './schemas.ts';

export interface ServiceState {
  /** What the service is called in a sentence, and the tag of its routes: `box`. */
  name: string;
  /** What `/health` says besides `status` and `checks`: the version, and what else names the build. */
  about: Record<string, string>;
  /** Names of migrations that have not run. */
  pendingMigrations(): Promise<string[]>;
  /** True once the service has been told to stop: it serves what is under way and asks for no more. */
  isDraining(): boolean;
  /** The metrics, in Prometheus' text format 0.0.4. */
  metrics(): Promise<string>;
  /** Access kinds that may read them. */
  metricsReaders: readonly string[];
  /** The document's text. */
  document(): Promise<PreparedBody>;
  /** The page of the explorer. */
  page(): Promise<string>;
}

/** Of a document only what every one has. */
const OpenApiDocument = Type.Unsafe<PreparedBody>({
  $id: 'OpenApiDocument',
  type: 'object',
  description: 'OpenAPI 3.1',
  required: ['openapi', 'info', 'paths'],
  properties: {
    openapi: { type: 'string', pattern: '^3\\.1\\.\\d+$', examples: ['3.1.0'] },
    info: {
      type: 'object',
      required: ['title', 'version'],
      properties: {
        title: { type: 'string', examples: ['Box Backend'] },
        version: { type: 'string', examples: ['0.1.0'] },
      },
    },
    paths: { type: 'object' },
  },
});

const check = (ok: string) =>
  oneOf(['ok', 'not_asked'], { description: `\`ok\`: ${ok}. \`not_asked\`: \`probe=live\` asks nothing` });

/** Makes `GET /health`, `GET /metrics`, `GET /docs` and `GET /docs/json`. */
export function serviceRoutes<Services>(service: ServiceState) {
  const { name, about, pendingMigrations, isDraining, metrics, metricsReaders, document, page } = service;
  const route = routeFor<Services>();
  const tag = name.replace(/^./, (letter) => letter.toUpperCase());
  const notReady = defineProblem({ code: 'not_ready', status: 503, title: `The ${name} is not ready` });
  const readHealth = route(
    {
      method: 'get',
      path: '/health',
      operationId: 'readHealth',
      tag,
      summary: `Whether the ${name} is alive and ready`,
      description:
        'A load balancer asks this: 200 means send requests here; 503 means send none, because the database does not answer (`unavailable`), migrations have not run (`not_ready`) or the process was told to stop and is draining (`not_ready`). With `probe=live` nothing else is asked: it answers 200 as long as the process does, also while it drains, and is for whoever restarts a process that hangs.',
      access: 'public',
      query: object({ probe: oneOf(['live', 'ready'], { default: 'ready' }) }),
      status: 200,
      response: object(
        {
          status: oneOf(['ok']),
          ...Object.fromEntries(Object.entries(about).map(([key, value]) => [key, Type.String({ examples: [value] })])),
          checks: object({
            database: check('the database answered a query just now'),
            migrations: check('every migration of the mounted packages has been applied'),
          }),
        },
        { $id: 'Health' },
      ),
      problems: [notReady],
    },
    async ({ query }) => {
      const status = 'ok' as const;
      if (query.probe === 'live') {
        return { status, ...about, checks: { database: 'not_asked', migrations: 'not_asked' } as const };
      }
      if (isDraining()) throw notReady(`The ${name} is stopping.`, { headers: { 'Retry-After': '5' } });
      const pending = await pendingMigrations();
      if (pending.length > 0) throw notReady(`Migrations have not run: ${pending.join(', ')}.`);
      return { status, ...about, checks: { database: 'ok', migrations: 'ok' } as const };
    },
  );
  const readMetrics = route(
    {
      method: 'get',
      path: '/metrics',
      operationId: 'readMetrics',
      tag,
      summary: 'Figures for Prometheus and whatever reads its text format',
      description:
        'Counters and gauges of this process: requests, the database and its pool, events, migrations, memory and event loop. Each replica answers for itself.',
      access: metricsReaders,
      status: 200,
      mediaType: 'text/plain; version=0.0.4; charset=utf-8',
    },
    () => metrics(),
  );
  const readExplorer = route(
    {
      method: 'get',
      path: '/docs',
      operationId: 'readExplorer',
      tag,
      summary: 'This document as a page to read and to try out',
      access: 'public',
      status: 200,
      mediaType: 'text/html; charset=utf-8',
      cacheControl: 'no-cache',
    },
    () => page(),
  );
  const readDocument = route(
    {
      method: 'get',
      path: '/docs/json',
      operationId: 'readDocument',
      tag,
      summary: 'This document: the contract of the running build',
      access: 'public',
      status: 200,
      response: OpenApiDocument,
      mediaType: 'application/json; charset=utf-8',
      cacheControl: 'no-cache',
    },
    () => document(),
  );
  return [readHealth, readMetrics, readExplorer, readDocument];
}
