/**
 * Starting and stopping a service: resources are closed in reverse order, also when a later step fails.
 */
import t from 'tap';
import { connect } from '../../db/connection.ts';
import { routeFor } from '../../http/route.ts';
import { callerOf } from '../../testing/client.ts';
import { createTestDatabase } from '../../testing/database.ts';
import { startService } from '../start-service.ts';

const route = routeFor<{ seen: string }>();
const seen = route(
  {
    method: 'get',
    path: '/seen',
    operationId: 'readSeen',
    tag: 'Seen',
    summary: 'Read the scope',
    access: 'public',
    status: 200,
    mediaType: 'text/plain',
  },
  ({ seen }) => seen,
);

/** Starts a service with one route that records its steps. */
async function start(url: string, port: number, steps: string[], fail?: Error) {
  return startService<string, { seen: string }, null, { name: string }>(
    { about: { version: '1' }, host: '127.0.0.1', port },
    async ({ onClose, operations }) => {
      const knex = connect({ url });
      onClose(async () => {
        await knex.destroy();
        steps.push('database closed');
      });
      onClose(async () => {
        steps.push(`worker stopped${operations.draining ? ' after draining' : ''}`);
      });
      if (fail) throw fail;
      return {
        handle: { name: 'test' },
        onListening() {
          steps.push('listening');
        },
        api: {
          name: 'test',
          title: 'Test',
          version: '1',
          description: 'A test service',
          badges: [],
          about: { version: '1' },
          metricsReaders: ['metrics'],
          knex,
          migrated: [],
          groups: (own) => [{ name: 'all', description: 'All routes', routes: [...own, seen] }],
          ownScope: 'own routes',
          scope: () => 'other routes',
          services: (_, scope) => ({ seen: scope }),
          accessKinds: [
            { name: 'metrics', schemes: { secret: { type: 'http', scheme: 'bearer' } }, authenticate: () => null },
          ],
        },
      };
    },
  );
}

t.test('a service starts, serves its routes and those of every service, drains and stops', async (t) => {
  const database = await createTestDatabase();
  t.teardown(() => database.drop());
  const steps: string[] = [];
  const service = await start(database.url, 0, steps);
  t.equal(service.name, 'test', 'the handle is part of the result');
  t.strictSame(steps, ['listening']);
  const caller = callerOf(service.url);
  t.match(await caller.get('/seen'), { status: 200, body: 'other routes' });
  t.match(await caller.get('/health'), { status: 200, body: { version: '1' } });
  const paths = Object.keys((await service.document()).paths as object);
  t.strictSame(paths.sort(), ['/docs', '/docs/json', '/health', '/metrics', '/seen']);
  t.strictSame(service.routes.map(({ declaration }) => declaration.path).sort(), paths);

  service.drain();
  t.match(await caller.get('/health'), { status: 503, body: { code: 'not_ready' } });
  t.match(await caller.get('/seen'), { status: 200 }, 'it continues to serve');
  await service.stop();
  t.strictSame(steps, ['listening', 'worker stopped after draining', 'database closed']);
});

t.test('resources are closed when the start fails', async (t) => {
  const database = await createTestDatabase();
  t.teardown(() => database.drop());
  const closed = ['worker stopped', 'database closed'];
  const steps: string[] = [];
  await t.rejects(start(database.url, 0, steps, new Error('no key')), { message: 'no key' });
  t.strictSame(steps, closed);

  const first = await start(database.url, 0, []);
  t.teardown(() => first.stop());
  const port = Number(new URL(first.url).port);
  const late: string[] = [];
  await t.rejects(start(database.url, port, late), { message: new RegExp(`port ${port} is already in use`) });
  t.strictSame(late, closed);
});
