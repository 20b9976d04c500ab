/**
 * The routes of every service: health, metrics, its OpenAPI document and the interactive page for it.
 */
import type { PreparedBody } from './prepared.ts';
import { defineProblem } from './problems.ts';
import { routeFor } from './route.ts';
import { object, oneOf, Type } from './schemas.ts';

export interface ServiceState {
  /** The name of the service in sentences, and the tag of its routes: `box`. */
  name: string;
  /** Fields of `/health` besides `status` and `checks`: the version and others that identify the build. */
  about: Record<string, string>;
  /** Names of migrations that have not been applied. */
  pendingMigrations(): Promise<string[]>;
  /** True once the service was told to stop: it completes the requests in flight. */
  isDraining(): boolean;
  /** The metrics in the Prometheus text format 0.0.4. */
  metrics(): Promise<string>;
  /** Access kinds that may read them. */
  metricsReaders: readonly string[];
  /** The OpenAPI document. */
  document(): Promise<PreparedBody>;
  /** The HTML page of the explorer. */
  page(): Promise<string>;
}

/** The properties that every document has. */
const OpenApiDocument = Type.Unsafe<PreparedBody>({
  $id: 'OpenApiDocument',
  type: 'object',
  description: 'An OpenAPI 3.1 document',
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
  oneOf(['ok', 'not_asked'], { description: `\`ok\`: ${ok}. \`not_asked\`: not checked, with \`probe=live\`` });

/** Returns `GET /health`, `GET /metrics`, `GET /docs` and `GET /docs/json`. */
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
      summary: `Check the health of the ${name}`,
      description:
        'For load balancers. 200 means that requests can be sent here; 503 means that the database is unreachable (`unavailable`), that migrations are pending, or that the process is stopping (both `not_ready`). With `probe=live` no dependency is checked: the response is 200 as long as the process responds, even while it drains. Supervisors use it to find a process that hangs. Other query parameters are ignored.',
      access: 'public',
      // Probes append something to their address that changes each time, so that no proxy answers them.
      query: object({ probe: oneOf(['live', 'ready'], { default: 'ready' }) }, { additionalProperties: true }),
      status: 200,
      response: object(
        {
          status: oneOf(['ok']),
          ...Object.fromEntries(Object.entries(about).map(([key, value]) => [key, Type.String({ examples: [value] })])),
          checks: object({
            database: check('the database has just answered a query'),
            migrations: check('all migrations of the mounted packages have been applied'),
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
      if (pending.length > 0) throw notReady(`Pending migrations: ${pending.join(', ')}.`);
      return { status, ...about, checks: { database: 'ok', migrations: 'ok' } as const };
    },
  );
  const readMetrics = route(
    {
      method: 'get',
      path: '/metrics',
      operationId: 'readMetrics',
      tag,
      summary: 'Read the metrics in the Prometheus text format',
      description:
        'Counters and gauges: requests, the database and its pool, events, migrations, memory and the event loop. Each replica reports its own, for all of its processes.',
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
      summary: 'Open this document as an interactive page',
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
      summary: 'Read the OpenAPI document of the running build',
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
