/**
 * The routes that belong to no package: health and the document. `/docs` itself is a page, drawn by the explorer.
 */
import type { Database } from '../db/database.ts';
import { type Migration, pendingMigrations } from '../db/migrations.ts';
import { defineProblem } from '../http/problems.ts';
import { object, oneOf, Type } from '../http/schemas.ts';
import { vendor } from '../vendor.ts';
import { route } from './services.ts';

const Health = object(
  {
    status: oneOf(['ok']),
    version: Type.String({ description: 'Version of the engine' }),
    tier: Type.String(),
    checks: object({
      database: oneOf(['ok', 'not_asked']),
      migrations: oneOf(['ok', 'not_asked']),
    }),
  },
  { $id: 'Health' },
);

const notReady = defineProblem({ code: 'not_ready', status: 503, title: 'The box is not ready' });

export interface EngineState {
  database: Database;
  tier: string;
  migrations: readonly Migration[];
  /** True once the box has been told to stop: it serves what is under way and asks for no more. */
  isDraining(): boolean;
  /** The document as text. */
  document(): string;
}

export function engineRoutes({ database, tier, migrations, isDraining, document }: EngineState) {
  const readHealth = route(
    {
      method: 'get',
      path: '/health',
      operationId: 'readHealth',
      tag: 'Box',
      summary: 'Whether the box is alive and ready',
      description:
        'Ready means: the database answers and every migration has been applied. With `probe=live` nothing else is asked: it answers as long as the process does.',
      access: 'public',
      query: object({ probe: oneOf(['live', 'ready'], { default: 'ready' }) }),
      status: 200,
      response: Health,
      problems: [notReady],
    },
    async ({ query }) => {
      const status = 'ok' as const;
      const about = { status, version: vendor.version, tier };
      if (query.probe === 'live')
        return { ...about, checks: { database: 'not_asked', migrations: 'not_asked' } as const };
      if (isDraining()) throw notReady('The box is stopping.', { headers: { 'Retry-After': '5' } });
      const pending = await pendingMigrations(database.knex, migrations);
      if (pending.length > 0) throw notReady(`Migrations have not run: ${pending.join(', ')}.`);
      return { ...about, checks: { database: 'ok', migrations: 'ok' } as const };
    },
  );
  const readDocument = route(
    {
      method: 'get',
      path: '/docs/json',
      operationId: 'readDocument',
      tag: 'Box',
      summary: 'This document: the contract of the running build',
      access: 'public',
      status: 200,
      mediaType: 'application/json; charset=utf-8',
      cacheControl: 'no-cache',
    },
    () => document(),
  );
  return [readHealth, readDocument];
}
