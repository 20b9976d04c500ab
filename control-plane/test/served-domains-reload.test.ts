/**
 * A connection for notifications that is lost while the served domains are read: the next one reads them again, and
 * nothing of the former reading remains.
 */
import { setTimeout } from 'node:timers/promises';
import t from 'tap';
import { openServedDomains } from '../boxes/served/domains.ts';
import { findBackend } from '../boxes/store.ts';
import { startTestControlPlane } from './test-control-plane.ts';

const controlPlane = await startTestControlPlane(t);
const { db, databaseUrl } = controlPlane;
const { key, customerId } = await controlPlane.mint();
const backendUrl = 'https://box.example.com';
await controlPlane.visitor().post('/boxes/deploy', { key, name: 'shop', backendUrl, domains: [] });
await controlPlane.server.stop();
const [{ id: boxId }] = await db('boxes').where({ customerId });
const count = 200_000;
await db.raw(
  `insert into box_domains (customer_id, domain, box_id, position, state)
   select ?, 'm' || number || '.example', ?, 0, 'proved' from generate_series(1, ?::integer) as number`,
  [customerId, boxId, count],
);
const loads: unknown[] = [];
const log = {
  info: (facts: { domains?: number }) => facts.domains !== undefined && loads.push(facts.domains),
  warn() {},
};
const began = performance.now();
const served = await openServedDomains(db, databaseUrl, log);
const loadTime = performance.now() - began;
t.teardown(() => served.close());

const cutOff = () =>
  db.raw(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'control-plane notifications' and datname = current_database()`,
  );

t.test('a domain that is removed while two readings overlap is not found afterwards', async (t) => {
  t.strictSame(loads, [count]);
  await cutOff();
  // In the middle of the reading that follows.
  await setTimeout(100 + loadTime / 2);
  await cutOff();
  const removed: string[] = [];
  // Until both readings are over, however many of them the memory kept.
  for (const end = performance.now() + 4 * loadTime; performance.now() < end || loads.length < 2; ) {
    const domain = `m${removed.length + 1}.example`;
    await db('box_domains').where({ domain }).delete();
    removed.push(domain);
    await setTimeout(5);
  }
  await served.catchUp();
  const wrong: string[] = [];
  for (const domain of removed) if ((await served.find([domain])) !== null) wrong.push(domain);
  t.strictSame(wrong, []);
  const kept = `m${count}.example`;
  t.strictSame(await served.find([kept]), await findBackend(db, [kept], false));
  t.strictSame(await served.find([kept]), { domain: kept, backendUrl });
});
