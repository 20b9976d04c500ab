/**
 * A box that is asked to stop: it drains, which its health reports, and then exits.
 */
import { type IncomingHttpHeaders, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import t from 'tap';
import { callerOf } from '../../testing/client.ts';
import { type BoxProcess, startBoxProcess } from './box-process.ts';

const long = { DRAIN_SECONDS: '600' };

/** Polls the health until the response has the status. */
async function untilStatus(url: string, status: number): Promise<void> {
  while ((await callerOf(url).get('/health')).status !== status) await sleep(10);
}

/** The `Connection` header of a response, which fetch does not expose. */
function connectionHeader(url: string): Promise<IncomingHttpHeaders['connection']> {
  return new Promise((resolve, reject) => {
    request(url, { headers: { connection: 'keep-alive' } }, (response) => {
      response.resume().once('end', () => resolve(response.headers.connection));
    })
      .once('error', reject)
      .end();
  });
}

t.test('while it drains it continues to serve, and its health is 503', async (t) => {
  const box = await startBoxProcess(t, long);
  const operator = callerOf(box.url, { authorization: `Bearer ${box.secret}` });
  t.equal(await connectionHeader(`${box.url}/health`), 'keep-alive');
  box.child.kill('SIGTERM');
  await untilStatus(box.url, 503);
  const refused = await operator.get('/health');
  t.match(refused, { body: { code: 'not_ready', detail: /stopping/ } });
  t.ok(refused.headers.get('retry-after'));
  t.match(await operator.get('/health?probe=live'), { status: 200 }, 'it is alive');
  t.match(await operator.get('/admin/tenants'), { status: 200 }, 'and serves requests');
  t.equal(await connectionHeader(`${box.url}/health?probe=live`), 'close', 'each response closes its connection');
  t.match((await operator.get('/metrics')).body, /^carton_draining 1$/m);

  await sleep(1100); // within a second it would count as the same signal
  box.child.kill('SIGTERM');
  t.equal(await box.ended, 0, 'a second signal ends the wait');
});

t.test('two signals within a second do not end the wait; a third does no harm', async (t) => {
  const box = await startBoxProcess(t, long);
  box.child.kill('SIGTERM');
  box.child.kill('SIGINT');
  await untilStatus(box.url, 503);
  await sleep(1100);
  t.match(await callerOf(box.url).get('/health?probe=live'), { status: 200 });

  // A request in progress when the wait ends is completed, whatever signals follow.
  const holder = new pg.Client({ connectionString: box.databaseUrl });
  await holder.connect();
  await holder.query('begin; lock table tenants in access exclusive mode');
  const call = callerOf(box.url, { authorization: `Bearer ${box.secret}` }).get('/admin/tenants');
  await untilLocked(holder);
  box.child.kill('SIGTERM');
  await box.line('stopping');
  box.child.kill('SIGTERM');
  box.child.kill('SIGINT');
  await holder.query('rollback');
  await holder.end();
  t.match(await call, { status: 200 });
  t.equal(await box.ended, 0);
});

async function untilLocked(client: pg.Client): Promise<void> {
  const text =
    "select count(*)::int as waiting from pg_stat_activity where wait_event_type = 'Lock' and query like '%from tenants%' and datname = current_database()";
  while ((await client.query(text)).rows[0].waiting === 0) await sleep(10);
}

t.test('without DRAIN_SECONDS it stops immediately, otherwise after that time', async (t) => {
  for (const environment of [{}, { DRAIN_SECONDS: '1' }] as Record<string, string>[]) {
    const box: BoxProcess = await startBoxProcess(t, environment);
    box.child.kill('SIGINT');
    t.equal(await box.ended, 0);
    const messages = box.log().map(({ msg }) => msg);
    t.ok(messages.includes('stopping'));
    t.equal(messages.includes('draining'), 'DRAIN_SECONDS' in environment);
  }
});

t.test('SIGUSR2 switches the log level to debug and back', async (t) => {
  const box = await startBoxProcess(t);
  const operator = callerOf(box.url, { authorization: `Bearer ${box.secret}` });
  await operator.get('/admin/tenants');
  t.notOk(box.log().some(({ msg }) => msg === 'statement'));
  box.child.kill('SIGUSR2');
  t.match(await box.line('log level changed'), { level: 30, to: 'debug' });
  await operator.get('/admin/tenants');
  const statement = await box.line('statement');
  t.match(statement, { statement: String, milliseconds: Number, waitedMilliseconds: Number });
  box.child.kill('SIGUSR2');
  while (box.log().filter(({ msg }) => msg === 'log level changed').length < 2) await sleep(10);
  const count = box.log().filter(({ msg }) => msg === 'statement').length;
  await operator.get('/admin/tenants');
  await operator.get('/metrics');
  t.equal(box.log().filter(({ msg }) => msg === 'statement').length, count);
});
