/**
 * Workers that receive a signal to stop while they start: they end by themselves, and nobody waits for them.
 */
import { join } from 'node:path';
import pg from 'pg';
import t from 'tap';
import { readLocation } from '../../db/embedded/cluster.ts';
import { readPostmaster } from '../../db/embedded/server.ts';
import { startEmbeddedPostgres } from '../../db/embedded.ts';
import { until } from '../../testing/waiting.ts';
import { openWorkers } from '../workers.ts';
import { prepareWorkers } from './support.ts';

const settings = { OPERATOR_SECRET: 'secret-of-the-operator', LOG_LEVEL: 'info' };
const ended = [0, null];
/** Longer than a worker takes to start, and shorter than it would wait for PostgreSQL. */
const patience = 60_000;

t.test('a worker that waits for a PostgreSQL that never comes', async (t) => {
  const box = await prepareWorkers(t, 3, settings);
  const leader = await openWorkers({ number: 1, count: 3, path: box.path });
  t.teardown(() => leader.close());
  const isConnected = () => until(() => leader.followers.size, Boolean);

  const signalled = box.launch(2);
  await isConnected();
  signalled.child.kill('SIGTERM');
  t.strictSame(await signalled.ended, ended, 'ends at a signal');
  t.match(signalled.output(), 'stopping during the start');
  t.equal(await leader.untilAlone(patience), true);

  const told = box.launch(2);
  await isConnected();
  leader.tellAll('stop');
  t.strictSame(await told.ended, ended, 'ends when its leader stops');

  const late = box.launch(3);
  t.strictSame(await late.ended, ended, 'and also if it connects only then');
  t.equal(await leader.untilAlone(patience), true, 'the leader does not wait for it');
});

t.test('a leader that receives SIGTERM during its migrations', async (t) => {
  const box = await prepareWorkers(t, 2, settings);
  const directory = join(box.home, 'data/postgresql');
  const [first, other] = [await box.start(1), await box.start(2)];
  const { url } = await startEmbeddedPostgres({ directory, joinOnly: true });
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  t.teardown(() => client.end().catch(() => {}));
  // As another box that migrates holds it: see withMigrationLock.
  await client.query('select pg_advisory_lock(7261903415)');
  first.child.kill('SIGKILL');
  await first.ended;

  const leader = box.launch(1);
  const waiting = `select from pg_stat_activity where application_name = 'box start' and wait_event_type = 'Lock'`;
  await until(
    async () => (await client.query(waiting)).rowCount,
    (count) => count === 1,
  );
  leader.child.kill('SIGTERM');
  t.strictSame(await leader.ended, ended);
  t.strictSame(await other.ended, ended, 'the worker that has served on stops with it');
  t.match(leader.output(), 'stopping during the start');
  t.notMatch(leader.output(), 'migrations are applied');
  t.notMatch(leader.output(), 'which take too long');
  const data = join((await readLocation(directory)) ?? directory, 'data');
  t.equal(readPostmaster(data), null, 'and PostgreSQL after them');
  const next = await box.start(1);
  t.equal((await next.send('/health')).status, 200, 'the next start completes what this one has left');
  next.child.kill('SIGTERM');
  t.strictSame(await next.ended, ended);
});
