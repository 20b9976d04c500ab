/**
 * The routes that every service has: whether it is well, and its own document. `/docs` itself is a page, drawn by
 * the explorer.
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
  /** The document's text. */
  document(): Promise<PreparedBody>;
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

const check = oneOf(['ok', 'not_asked']);

/** Makes `GET /health` and `GET /docs/json`. */
export function serviceRoutes<Services>({ name, about, pendingMigrations, isDraining, document }: ServiceState) {
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
        'Ready means: the database answers and every migration has been applied. With `probe=live` nothing else is asked: it answers as long as the process does.',
      access: 'public',
      query: object({ probe: oneOf(['live', 'ready'], { default: 'ready' }) }),
      status: 200,
      response: object(
        {
          status: oneOf(['ok']),
          ...Object.fromEntries(Object.entries(about).map(([key, value]) => [key, Type.String({ examples: [value] })])),
          checks: object({ database: check, migrations: check }),
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
  return [readHealth, readDocument];
}
