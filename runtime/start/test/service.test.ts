/**
 * The start and the stop of any service: what was opened is closed backwards, also when a later step fails.
 */
import t from 'tap';
import { connect } from '../../db/connection.ts';
import { routeFor } from '../../http/route.ts';
import { callerOf } from '../../testing/client.ts';
import { createTestDatabase } from '../../testing/database.ts';
import { startService } from '../service.ts';

const route = routeFor<{ seen: string }>();
const seen = route(
  {
    method: 'get',
    path: '/seen',
    operationId: 'readSeen',
    tag: 'Seen',
    summary: 'What it sees',
    access: 'public',
    status: 200,
    mediaType: 'text/plain',
  },
  ({ seen }) => seen,
);

/** Starts a service of one route, that writes down what happens to it. */
async function start(url: string, port: number, happened: string[], fail?: Error) {
  return startService<string, { seen: string }, null, { name: string }>(
    { about: { version: '1' }, host: '127.0.0.1', port },
    async ({ closes, operations }) => {
      const knex = connect({ url });
      closes(async () => {
        await knex.destroy();
        happened.push('database closed');
      });
      closes(async () => {
        happened.push(`worker stopped${operations.draining ? ' after draining' : ''}`);
      });
      if (fail) throw fail;
      return {
        given: { name: 'shop' },
        listening() {
          happened.push('listening');
        },
        api: {
          name: 'shop',
          title: 'Shop',
          version: '1',
          description: 'A shop',
          badges: [],
          about: { version: '1' },
          metricsReaders: ['metrics'],
          knex,
          migrated: [],
          groups: (own) => [{ name: 'own', description: 'Its own', routes: [...own, seen] }],
          ownScope: 'its own',
          scope: () => "a caller's",
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
  const happened: string[] = [];
  const service = await start(database.url, 0, happened);
  t.equal(service.name, 'shop', 'what it gave is given');
  t.strictSame(happened, ['listening']);
  const caller = callerOf(service.url);
  t.match(await caller.get('/seen'), { status: 200, body: "a caller's" });
  t.match(await caller.get('/health'), { status: 200, body: { version: '1' } });
  const paths = Object.keys((await service.document()).paths as object);
  t.strictSame(paths.sort(), ['/docs', '/docs/json', '/health', '/metrics', '/seen']);
  t.strictSame(service.routes.map(({ declaration }) => declaration.path).sort(), paths);

  service.drain();
  t.match(await caller.get('/health'), { status: 503, body: { code: 'not_ready' } });
  t.match(await caller.get('/seen'), { status: 200 }, 'it goes on serving');
  await service.stop();
  t.strictSame(happened, ['listening', 'worker stopped after draining', 'database closed']);
});

t.test('what was opened is closed when the start fails', async (t) => {
  const database = await createTestDatabase();
  t.teardown(() => database.drop());
  const closed = ['worker stopped', 'database closed'];
  const happened: string[] = [];
  await t.rejects(start(database.url, 0, happened, new Error('no key')), { message: 'no key' });
  t.strictSame(happened, closed);

  const first = await start(database.url, 0, []);
  t.teardown(() => first.stop());
  const port = Number(new URL(first.url).port);
  const late: string[] = [];
  await t.rejects(start(database.url, port, late), { message: new RegExp(`port ${port} is taken`) });
  t.strictSame(late, closed);
});
