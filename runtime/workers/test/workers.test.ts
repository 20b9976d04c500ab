/**
 * Several workers are one box: its limits, its connections, its metrics and its background work are those of all.
 */
import pg from 'pg';
import t, { type Test } from 'tap';
import { startEmbeddedPostgres } from '../../db/embedded.ts';
import { until } from '../../testing/waiting.ts';
import { type Answer, prepareWorkers, type WorkerBox, type WorkerProcess } from './support.ts';

const operatorSecret = 'secret-of-the-operator';
const operator = { authorization: `Bearer ${operatorSecret}` };
const settings = { OPERATOR_SECRET: operatorSecret, HOSTING_SECRET: 'secret-of-the-hosting', LOG_LEVEL: 'info' };
const poolSize = 5;
/** That of the background work of a box. */
const backgroundPoolSize = 4;

const statusesOf = (answers: readonly Answer[]) => {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

/** The value of a metric, or of all its series whose labels contain the text. */
function sumOf(metrics: string, name: string, labels = ''): number {
  const lines = metrics.split('\n').filter((line) => line.startsWith(name) && line.includes(labels));
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

const metricsOf = async (worker: WorkerProcess) => {
  // While the worker that adds them up is busy, the answer is that one must ask again.
  const { status, body } = await until(
    () => worker.send('/metrics', { headers: operator }),
    (answer) => answer.status !== 503,
  );
  if (status !== 200) throw new Error(body);
  return body;
};

/** Connects to the database of the box. */
async function connectTo(t: Test, { home }: WorkerBox): Promise<pg.Client> {
  const { url } = await startEmbeddedPostgres({ directory: `${home}/data/postgresql`, joinOnly: true });
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  t.teardown(() => client.end().catch(() => {}));
  return client;
}

t.test('limits hold for all workers together', async (t) => {
  const limit = 20;
  const box = await prepareWorkers(t, 2, { ...settings, RATE_LIMIT_READ: `${limit}`, RATE_LIMIT_LOGIN: `${limit}` });
  const workers = [await box.start(1), await box.start(2)];
  const began = performance.now();
  /** Requests that a limit allows again while the test runs. */
  const regained = () => Math.ceil(((performance.now() - began) / 60_000) * limit);
  const burst = (send: (worker: WorkerProcess, number: number) => Promise<Answer>) =>
    Promise.all(Array.from({ length: 2 * limit }, (_, number) => workers.map((worker) => send(worker, number))).flat());

  const read = statusesOf(await burst((worker) => worker.send('/health?probe=live')));
  // Some of the limit went to the requests with which the workers' starts were awaited.
  t.ok((read[200] ?? 0) > limit / 2 && (read[200] ?? 0) <= limit + regained(), `${read[200]} requests are allowed`);
  t.strictSame(Object.keys(read), ['200', '429']);

  const wrong = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
  const guessed = statusesOf(await burst((worker, number) => worker.send('/admin/tenants', wrong(`wrong-${number}`))));
  // Each secret is sent to both workers, and is one guess.
  t.ok((guessed[401] ?? 0) >= 2 * limit && (guessed[401] ?? 0) <= 2 * (limit + regained()), `${guessed[401]} guesses`);
  t.strictSame(Object.keys(guessed), ['401', '429']);

  const [leader, other] = workers as [WorkerProcess, WorkerProcess];
  leader.child.kill('SIGSTOP');
  const alone = statusesOf(
    await Promise.all(Array.from({ length: 2 * limit }, () => other.send('/health?probe=live'))),
  );
  leader.child.kill('SIGCONT');
  t.ok((alone[200] ?? 0) <= limit / 2 + regained(), 'while the leader hangs, another worker allows its part');
  t.ok((alone[200] ?? 0) > 0);
});

t.test('metrics, connections, caches and background work are those of one box', async (t) => {
  const box = await prepareWorkers(t, 2, { ...settings, DATABASE_POOL_SIZE: `${poolSize}` });
  const workers = [await box.start(1), await box.start(2)] as const;
  const [leader, other] = workers;
  const get = (worker: WorkerProcess, path: string) => worker.send(path, { headers: operator });
  const count = (metrics: string) => sumOf(metrics, 'carton_http_requests_total', 'operation="listTenants"');

  await Promise.all(Array.from({ length: 30 }, () => get(leader, '/admin/tenants')));
  await Promise.all(Array.from({ length: 40 }, () => get(other, '/admin/tenants')));
  for (const worker of workers) {
    const metrics = await metricsOf(worker);
    t.equal(count(metrics), 70, 'requests of both workers');
    t.equal(sumOf(metrics, 'carton_http_request_duration_seconds_count', 'operation="listTenants"'), 70);
    t.equal(sumOf(metrics, 'carton_database_connections_max{pool="requests"}'), poolSize);
    t.equal(
      sumOf(metrics, 'carton_database_connections_max{pool="background"}'),
      backgroundPoolSize,
      'one worker, the leader, makes deliveries and runs jobs',
    );
    t.equal(sumOf(metrics, 'carton_build_info'), 1);
    t.equal(sumOf(metrics, 'carton_database_up'), 1);
    t.equal(sumOf(metrics, 'carton_migrations{state="pending"}'), 0);
    t.equal(metrics.match(/^# TYPE carton_http_requests_total /gm)?.length, 1);
  }

  const client = await connectTo(t, box);
  const sessions = async (name: string) => {
    const text = 'select from pg_stat_activity where datname = current_database() and application_name = $1';
    return (await client.query(text, [name])).rowCount;
  };
  const load = async () => {
    await Promise.all(Array.from({ length: 60 }, (_, number) => get(number % 2 ? leader : other, '/admin/tenants')));
    return sessions('box');
  };
  t.equal(await until(load, (open) => open === poolSize), poolSize, 'all connections are in use, and no more');
  const hearing = await until(
    () => sessions('box events'),
    (open) => open !== 0,
  );
  t.equal(hearing, 1, 'one worker hears of events');
  t.ok(leader.output().includes('"worker":1') && other.output().includes('"worker":2'), 'the log names the worker');

  const created = await other.send(
    '/admin/tenants',
    { method: 'POST', headers: operator },
    {
      slug: 'first',
      name: 'First',
      staffEmail: 'owner@first.example',
    },
  );
  t.equal(created.status, 201);
  const { id } = JSON.parse(created.body);
  const tenant = { 'x-tenant-slug': 'first', 'x-hosting-secret': settings.HOSTING_SECRET };
  const statusAt = async (worker: WorkerProcess) => (await worker.send('/store', { headers: tenant })).status;
  t.strictSame([await statusAt(leader), await statusAt(other)], [200, 200]);
  for (const [from, status] of [
    [other, 'suspended'],
    [leader, 'active'],
  ] as const) {
    const changed = await from.send(`/admin/tenants/${id}`, { method: 'PATCH', headers: operator }, { status });
    t.equal(changed.status, 200);
    const expected = status === 'active' ? 200 : 403;
    t.strictSame([await statusAt(leader), await statusAt(other)], [expected, expected], `${status}, at both workers`);
  }
  const dispatched = async () =>
    (await client.query('select from event_outbox where dispatched_at is null')).rowCount === 0;
  await until(dispatched, (yes) => yes);

  const before = count(await metricsOf(leader));
  other.child.kill('SIGKILL');
  await other.ended;
  t.equal(count(await metricsOf(leader)), before, 'what a worker had counted is not lost with it');
  const third = await box.start(2);
  await get(third, '/admin/tenants');
  await until(
    async () => count(await metricsOf(third)),
    (found) => found === before + 1,
  );

  leader.child.kill('SIGTERM');
  t.strictSame(
    [await leader.ended, await third.ended],
    [
      [0, null],
      [0, null],
    ],
    'all workers stop with the leader',
  );
  t.match(await client.query('select 1').catch((error) => error), Error, 'and PostgreSQL after them');
});

t.test('a leader that crashes', async (t) => {
  const box = await prepareWorkers(t, 2, { ...settings, RATE_LIMIT_READ: '1000' });
  const leader = await box.start(1);
  const other = await box.start(2);
  const list = () => other.send('/admin/tenants', { headers: operator });
  await list();
  await metricsOf(other);
  const client = await connectTo(t, box);
  leader.child.kill('SIGKILL');
  await leader.ended;
  t.equal((await list()).status, 200, 'the other worker and PostgreSQL serve on');
  t.equal((await other.send('/health?probe=live')).status, 200, 'also what has a limit');
  t.equal((await other.send('/metrics', { headers: operator })).status, 503);
  const next = await box.start(1);
  await list();
  const read = async () => (await other.send('/metrics', { headers: operator })).body;
  const counted = await until(read, (body) => body.includes('carton_http_requests_total'));
  t.equal(sumOf(counted, 'carton_http_requests_total', 'operation="listTenants"'), 0, 'counting begins again');
  await list();
  t.equal(sumOf(await metricsOf(next), 'carton_http_requests_total', 'operation="listTenants"'), 1);
  t.equal((await client.query('select 1')).rowCount, 1, 'PostgreSQL has run all the time');
  other.child.disconnect();
  t.strictSame(await other.ended, [0, null], 'a worker whose supervisor dies ends');
  t.equal((await next.send('/health')).status, 200, 'the leader serves on');
});
