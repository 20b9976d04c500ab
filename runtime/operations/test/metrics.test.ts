/**
 * The metrics as Prometheus reads them: access, values, and that requests cannot create further series.
 */
import t from 'tap';
import { echoPackage } from '../../background/test/echo-package.ts';
import { newId } from '../../db/id.ts';
import { createTestBox } from '../../testing/box.ts';
import { callerOf } from '../../testing/client.ts';
import { until } from '../../testing/waiting.ts';
import { vendor } from '../../vendor.ts';
import { readMetrics } from './read-metrics.ts';

const packages = ['core', 'auth', 'tenant'].map((name) => `@carton/${name}`);

t.test('only a caller with the metrics secret, or the operator, may read them', async (t) => {
  const box = await createTestBox(t, { packages });
  const bearer = (secret: string) => callerOf(box.url, { authorization: `Bearer ${secret}` });
  t.match(await bearer(box.secrets.metrics).get('/metrics'), { status: 200 });
  t.match(await box.operator.get('/metrics'), { status: 200 });
  for (const caller of [callerOf(box.url), bearer('wrong'), box.staff, box.hosting]) {
    t.match(await caller.get('/metrics'), { status: 401, body: { code: 'unauthenticated' } });
  }
  t.match(
    await bearer(box.secrets.metrics).get('/admin/tenants'),
    { status: 401 },
    'the secret is valid for nothing else',
  );
});

t.test('requests by operation, method and status', async (t) => {
  const box = await createTestBox(t, { packages });
  await box.staff.get('/admin/me');
  await box.staff.get('/admin/me');
  await box.visitor().get('/admin/me');
  for (const path of ['/nowhere', '/nowhere/else', '/docs']) await box.visitor().get(path);
  await box.visitor().call('PROPFIND', '/admin/me');
  await box
    .visitor()
    .get('/admin/me?%00=1')
    .catch(() => {});
  const metrics = await readMetrics(box);
  t.equal(metrics.value('http_requests_total', { operation: 'readMe', method: 'GET', status: '200' }), 2);
  t.equal(metrics.value('http_request_duration_seconds_count', { operation: 'readMe' }), 4);
  t.equal(metrics.value('http_request_duration_seconds_bucket', { operation: 'readMe', le: '+Inf' }), 4);
  t.equal(metrics.value('http_requests_total', { operation: 'none', method: 'GET', status: '404' }), 2);
  t.equal(metrics.value('http_requests_total', { operation: 'none', method: 'other', status: '405' }), 1);
  t.equal(metrics.value('http_requests_in_flight'), 1, 'this one');
  const operations = new Set(box.box.routes.map(({ declaration }) => declaration.operationId));
  for (const { labels } of metrics.samples('http_requests_total')) {
    t.ok(labels.operation === 'none' || operations.has(labels.operation as string), labels.operation);
  }
  const counts = metrics
    .samples('http_request_duration_seconds_bucket')
    .filter(({ labels }) => labels.operation === 'readMe');
  t.strictSame(
    counts.map(({ value }) => value),
    counts.map(({ value }) => value).sort((one, other) => one - other),
    'each bucket includes those below it',
  );
});

t.test('the build, the pools, the database and its migrations', async (t) => {
  const box = await createTestBox(t, { packages, database: 'empty' });
  const waiting = (pool: string) => ['database_requests_waiting', { pool }] as const;
  // The background work of a new box may wait for a connection for a moment.
  const metrics = await until(
    () => readMetrics(box),
    (read) => read.value(...waiting('background')) === 0,
  );
  t.equal(metrics.value('build_info', { version: vendor.version, tier: 'enterprise' }), 1);
  t.equal(metrics.value('draining'), 0);
  for (const pool of ['requests', 'background']) {
    t.ok((metrics.value('database_connections_max', { pool }) ?? 0) > 0, pool);
    t.equal(metrics.value(...waiting(pool)), 0);
  }
  t.equal(metrics.value('database_up'), 1);
  t.ok((metrics.value('migrations', { state: 'applied' }) ?? 0) >= 10);
  t.equal(metrics.value('migrations', { state: 'pending' }), 0);
  t.equal(metrics.value('migrations', { state: 'orphaned' }), 0);
  t.ok((metrics.value('database_statements_total', { outcome: 'done' }) ?? 0) > 0);
  t.ok((metrics.value('database_waits_total') ?? 0) > 0);
  for (const name of [
    'process_resident_memory_bytes',
    'process_cpu_seconds_total',
    'nodejs_eventloop_lag_p99_seconds',
  ]) {
    const value = metrics.value(name);
    t.ok(value !== undefined && Number.isFinite(value), name);
  }
});

t.test('a pending migration is reported, and an unavailable database does not delay the metrics', async (t) => {
  const box = await createTestBox(t, { packages, database: 'empty' });
  await box.owner.query(
    "insert into applied_migrations (file, package, sha256) values ('20200101000000_old_x.js', 'old', '')",
  );
  await box.owner.query("delete from applied_migrations where file like '%tenant_domains%'");
  const behind = await readMetrics(box);
  t.equal(behind.value('migrations', { state: 'pending' }), 1);
  t.equal(behind.value('migrations', { state: 'orphaned' }), 1);
  await box.owner.query('alter table applied_migrations rename to renamed_migrations');
  await new Promise((resolve) => setTimeout(resolve, 1100)); // the state is cached for a second
  const unavailable = await readMetrics(box);
  t.equal(unavailable.value('database_up'), 0);
  t.strictSame(unavailable.samples('migrations'), []);
  await box.owner.query('alter table renamed_migrations rename to applied_migrations');
});

t.test('failed statements', async (t) => {
  const box = await createTestBox(t, { packages });
  await t.rejects(box.db.query('select 1 / 0 from tenants where id = $1'));
  t.ok(((await readMetrics(box)).value('database_statements_total', { outcome: 'failed' }) ?? 0) >= 1);
});

t.test('events and jobs', async (t) => {
  const box = await createTestBox(t, { tier: 'basic', database: 'empty', ...(await echoPackage(t)) });
  await box.db.insert('echo_faults', { subscriber: 'echo.outside' });
  t.match(await box.staff.post('/admin/echoes', { id: newId(), text: 'one' }), { status: 201 });
  const attempts = (subscriber: string, outcome: string) => ({ subscriber, outcome });
  const metrics = await until(
    () => readMetrics(box),
    ({ value }) =>
      value('event_delivery_attempts_total', attempts('echo.once', 'delivered')) === 1 &&
      (value('event_delivery_attempts_total', attempts('echo.outside', 'failed')) ?? 0) >= 1 &&
      (value('job_runs_total', { job: 'echo.count', outcome: 'done' }) ?? 0) >= 1 &&
      value('tenants') === 1,
  );
  t.ok((metrics.value('events_dispatched_total') ?? 0) >= 1);
  t.ok((metrics.value('event_dispatch_lag_seconds_count') ?? 0) >= 1);
  t.equal(metrics.value('event_delivery_lag_seconds_count', { subscriber: 'echo.once' }), 1);
  t.equal(metrics.value('event_delivery_lag_seconds_bucket', { subscriber: 'echo.once', le: '21600' }), 1);
  t.ok((metrics.value('background_sweeps_total') ?? 0) >= 1);
  t.ok((metrics.value('background_last_sweep_timestamp_seconds') ?? 0) > 1_700_000_000);
});

t.test('requests that wait for others of their store', async (t) => {
  const box = await createTestBox(t, { packages });
  const other = await box.openTenant();
  const name = 'x'.repeat(900_000);
  const large = () => box.staff.patch('/admin/store', { name });
  const outcomes = async () => (await readMetrics(box)).value('http_request_waits_total', { outcome: 'begun' });
  // Bodies cost as much as the machine needs for them: a few rounds are enough on any.
  for (let round = 0; round < 20 && !(await outcomes()); round++) {
    const visits = [other.visitor().get('/store'), other.visitor().get('/store')];
    const answers = await Promise.all([...visits, ...Array.from({ length: 8 }, large)]);
    t.strictSame([...new Set(answers.map(({ status }) => status))], [200, 400]);
  }
  const metrics = await readMetrics(box);
  const begun = metrics.value('http_request_waits_total', { outcome: 'begun' });
  t.ok(Number(begun) > 0, `${begun}`);
  t.equal(metrics.value('http_request_wait_seconds_count'), begun);
  t.ok(Number(metrics.value('http_request_wait_seconds_sum')) > 0);
  t.equal(metrics.value('http_requests_waiting'), 0);
});
