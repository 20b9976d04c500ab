/**
 * An export of 400,000 rows: complete and in little memory, even for a slow client; and it ends when the client
 * disconnects.
 */
import { once } from 'node:events';
import { request } from 'node:http';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import t from 'tap';
import { createTestBox } from '../testing/box.ts';
import { printsPackage } from './prints-package.ts';

const rows = 400_000;
const megabyte = 1024 * 1024;
const box = await createTestBox(t, await printsPackage(t));
await box.owner.query(
  `insert into prints (tenant_id, id, title, sha256, created_at)
   select $1, gen_random_uuid(), 'Print ' || number, '', date_trunc('milliseconds', now()) - number / 3 * interval '1 ms'
     from generate_series(1, $2::int) number`,
  [box.id, rows],
);
const other = await box.openTenant();
await box.owner.query(`insert into prints (tenant_id, id, title, sha256) select $1, gen_random_uuid(), 'Foreign', ''`, [
  other.id,
]);
const { headers } = box.staff;

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** Bytes of this process that are in use: what it has asked of the system depends on when garbage is collected. */
function bytesInUse(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

async function readFrom(path: string) {
  const sent = request(`${box.url}${path}`, { headers }).end();
  const [response] = await once(sent, 'response');
  return response;
}

const exported = async () => (await box.staff.get('/admin/prints/exported')).body as { rows: number; ended: boolean };

t.test('a slow client receives every row once, without buffering in memory', async (t) => {
  const before = bytesInUse();
  const response = await readFrom('/admin/prints/export');
  await setTimeout(1000);
  t.ok((await exported()).rows < rows / 2, 'backpressure stops the export');
  // How often each print was received; other rows count as number 0.
  const times = new Uint8Array(rows + 1);
  let bytes = 0;
  let most = bytesInUse();
  for await (const line of createInterface({ input: response })) {
    bytes += line.length + 1;
    const number = Number(/^Print (\d+) *$/.exec(line.slice(37))?.[1] ?? 0);
    times[number] = (times[number] ?? 0) + 1;
    if (number % 20_000 === 0) most = Math.max(most, bytesInUse());
  }
  t.ok(bytes > rows * 1000);
  t.equal(times[0], 0, "no other tenant's row");
  t.ok(times.subarray(1).every((count) => count === 1));
  const grown = most - before;
  t.ok(grown < bytes / 2, `it grew by ${Math.round(grown / megabyte)} MB of ${Math.round(bytes / megabyte)}`);
});

t.test('the export ends when the client disconnects', async (t) => {
  const response = await readFrom('/admin/prints/export');
  response.destroy();
  while (!(await exported()).ended) await setTimeout(10);
  t.ok((await exported()).rows < rows / 2);
  const open = await box.owner.query(
    `select state from pg_stat_activity
      where datname = current_database() and application_name = 'box' and state <> 'idle'`,
  );
  t.strictSame(open, []);
});
