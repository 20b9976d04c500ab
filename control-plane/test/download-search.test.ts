/**
 * Search of downloads: filters, pages that stay stable, CSV in which nothing is a formula, and plans that read no more in
 * a larger table.
 */
import { randomUUID } from 'node:crypto';
import { connect, packageName } from '@carton/runtime/service';
import t from 'tap';
import { csvLine } from '../csv.ts';
import { rollUpReports } from '../telemetry/roll-up.ts';
import { listReports, listRollups } from '../telemetry/search.ts';
import { startTestControlPlane } from './test-control-plane.ts';

const controlPlane = await startTestControlPlane(t);
const { db, admin, registry } = controlPlane;
const reportOf = (change: object = {}) => ({
  customerId: 'acme',
  tier: 'basic',
  packageName: packageName('cart'),
  version: '0.1.0',
  outcome: 'allowed',
  ...change,
});

async function send(downloads: { downloadedAt: string; change?: object }[]): Promise<void> {
  const reports = downloads.map(({ downloadedAt, change }) => ({
    idempotencyKey: randomUUID(),
    downloadedAt,
    report: reportOf(change),
  }));
  t.equal((await registry.post('/telemetry/downloads/batch', { reports })).status, 202);
}

const timesOf = async (query: string) => {
  const { status, body } = await admin.get(`/telemetry/downloads?${query}`);
  return status === 200 ? body.items.map(({ downloadedAt }: { downloadedAt: string }) => downloadedAt) : status;
};
const hour = (at: number) => `2026-11-20T${String(at).padStart(2, '0')}:00:00.000Z`;

t.test('downloads are found by customer, package, version, outcome, tier and time', async (t) => {
  const changes = [
    {},
    { customerId: 'other' },
    { packageName: packageName('tax') },
    { version: '0.2.0' },
    { outcome: 'denied' },
    { tier: 'growth' },
  ];
  await send(changes.map((change, at) => ({ downloadedAt: hour(at), change })));
  const cases: [query: string, hours: number[]][] = [
    ['', [5, 4, 3, 2, 1, 0]],
    ['customerId=other', [1]],
    [`packageName=${encodeURIComponent(packageName('tax'))}`, [2]],
    ['version=0.2.0', [3]],
    ['outcome=denied', [4]],
    ['tier=growth', [5]],
    [`from=${hour(2)}&to=${hour(4)}`, [3, 2]],
    [`from=${hour(2)}&outcome=allowed&customerId=acme&tier=basic`, [3, 2]],
    [`from=${encodeURIComponent('2026-11-20T05:00:00+02:00')}`, [5, 4, 3]],
    ['to=2026-11-20T00:00:00Z', []],
  ];
  for (const [query, hours] of cases) t.strictSame(await timesOf(query), hours.map(hour), query);
  for (const query of ['from=yesterday', 'tier=platinum', 'version=', 'host=x'])
    t.equal(await timesOf(query), 400, query);
});

t.test('pages neither repeat nor skip a download, also when earlier and later ones arrive meanwhile', async (t) => {
  const customerId = 'paged';
  const at = (minute: number) => `2026-11-21T10:${String(minute).padStart(2, '0')}:00.000Z`;
  // Several have the same time.
  await send(Array.from({ length: 20 }, (_, each) => ({ downloadedAt: at(20 + (each >> 2)), change: { customerId } })));
  const seen: string[] = [];
  let cursor = '';
  for (;;) {
    const { body } = await admin.get(
      `/telemetry/downloads?customerId=${customerId}&limit=3${cursor && `&cursor=${cursor}`}`,
    );
    seen.push(...body.items.map(({ id }: { id: string }) => id));
    if (body.nextCursor === null) break;
    cursor = body.nextCursor;
    await send([
      { downloadedAt: at(59), change: { customerId } },
      { downloadedAt: at(24), change: { customerId: 'another' } },
    ]);
  }
  t.equal(seen.length, 20);
  t.equal(new Set(seen).size, 20);
  t.equal((await admin.get(`/telemetry/rollups?cursor=${cursor}`)).status, 400, 'a cursor is of its list');
});

t.test('a field of CSV is no formula, whatever it begins with and whatever separates the fields', async (t) => {
  for (const [value, field] of [
    ['0.1.0', '0.1.0'],
    ['@carton/cart', '"\'@carton/cart"'],
    ['=1+1', '"\'=1+1"'],
    ['+1', '"\'+1"'],
    ['-1', '"\'-1"'],
    ['\t=1', '"\'\t=1"'],
    ['\r=1', '"\'\r=1"'],
    ['＝1', '"\'＝1"'],
    ['a;=1+1', '"a;=1+1"'],
    ['a,b "c"', '"a,b ""c"""'],
    ['', ''],
    [null, ''],
    [-5, '-5'],
  ] as const) {
    t.equal(csvLine([value, 'end']), `${field},end\r\n`);
  }
});

t.test('all results of a search are sent as CSV', async (t) => {
  const customerId = '=HYPERLINK("http://x.example";"click")';
  await send(Array.from({ length: 500 }, (_, at) => ({ downloadedAt: hour(at % 24), change: { customerId } })));
  await send(Array.from({ length: 300 }, (_, at) => ({ downloadedAt: hour(at % 24), change: { customerId } })));
  await rollUpReports(db);
  const query = `customerId=${encodeURIComponent(customerId)}`;
  const { status, headers, body } = await admin.get(`/telemetry/downloads/csv?${query}`);
  t.equal(status, 200);
  t.equal(headers.get('content-type'), 'text/csv; charset=utf-8');
  const lines = (body as string).split('\r\n');
  t.equal(lines.length, 1 + 800 + 1);
  t.equal(lines[0], 'downloadedAt,customerId,tier,packageName,version,outcome,createdAt,id');
  const cell = `"'=HYPERLINK(""http://x.example"";""click"")"`;
  t.ok(lines[1]?.startsWith(`${hour(23)},${cell},basic,"'${packageName('cart')}",0.1.0,allowed,`), lines[1]);
  t.strictSame(new Set(lines.slice(1, -1).map((line) => line.split(',').at(-1))).size, 800, 'each once');

  const rollups = await admin.get(`/telemetry/rollups/csv?${query}`);
  t.strictSame((rollups.body as string).split('\r\n'), [
    'day,customerId,tier,packageName,version,outcome,count',
    `2026-11-20,${cell},basic,"'${packageName('cart')}",0.1.0,allowed,800`,
    '',
  ]);
  t.equal((await admin.get('/telemetry/downloads/csv?limit=5')).status, 400);
  t.equal((await registry.get('/telemetry/downloads/csv')).status, 401);
});

t.test('a page reads few rows of a large table, whatever it is filtered by', async (t) => {
  const rows = 40_000;
  // Of each value that is searched for there are few, and none among the latest.
  await db.raw(
    `insert into download_reports (id, customer_id, tier, package_name, version, outcome, downloaded_at)
     select gen_random_uuid(), 'c' || n % 400, case when n % 1000 = 999 then 'growth' else 'enterprise' end,
            'p' || n % 60, case when n % 500 = 499 then '9.0.0' else '1.' || n % 5 || '.0' end,
            case when n % 400 = 399 then 'denied' else 'allowed' end, now() - n * interval '1 minute'
       from generate_series(1, ?) as n`,
    [rows],
  );
  await db.raw(
    `insert into download_rollups (id, day, customer_id, tier, package_name, version, outcome, count)
     select gen_random_uuid(), downloaded_at::date, customer_id, tier, package_name, version, outcome, count(*)
       from download_reports where customer_id like 'c%' group by 2, 3, 4, 5, 6, 7`,
  );
  await db.raw('vacuum analyze download_reports, download_rollups');
  const reader = connect({ url: controlPlane.databaseUrl, poolSize: 1 });
  t.teardown(() => reader.destroy());
  const queries: { sql: string; bindings: readonly unknown[] }[] = [];
  reader.on('query', (query) => queries.push(query));
  const filters = [
    {},
    { customerId: 'c7' },
    { customerId: 'c399', outcome: 'denied' },
    { packageName: 'p7' },
    { version: '9.0.0' },
    { outcome: 'denied' },
    { tier: 'growth' },
  ] as const;
  const range = { from: new Date(Date.now() - 20 * 86_400_000).toISOString(), to: new Date().toISOString() };
  const days = { from: range.from.slice(0, 10), to: range.to.slice(0, 10) };
  for (const filter of filters) {
    for (const list of [
      () => listReports(reader, { limit: 20, ...filter }),
      () => listReports(reader, { limit: 20, ...filter, ...range }),
      () => listRollups(reader, { limit: 20, ...filter }),
      () => listRollups(reader, { limit: 20, ...filter, ...days }),
    ]) {
      await list();
      const { sql, bindings } = queries.at(-1) as (typeof queries)[number];
      const explained = await db.raw(
        `explain (analyze, format json) ${sql.replaceAll(/\$\d+/g, '?')}`,
        bindings as never,
      );
      const read = rowsRead(explained.rows[0]['QUERY PLAN'][0].Plan);
      t.ok(read <= 1500, `${sql} ${JSON.stringify(filter)} reads ${read} rows`);
    }
  }
});

interface Plan {
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}

/** The rows that the scans of a plan have read. */
function rowsRead({ Plans = [], ...plan }: Plan): number {
  if (Plans.length > 0) return Plans.reduce((sum, each) => sum + rowsRead(each), 0);
  return (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops'];
}
