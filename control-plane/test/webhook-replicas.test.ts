/**
 * Webhooks with several replicas, and with one that is killed: nothing is lost, and the order of each licence is kept.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { connect } from '@carton/runtime/service';
import t, { type Test } from 'tap';
import { startControlPlane } from '../index.ts';
import { leaseDeliveries } from '../webhooks/work.ts';
import { startTestControlPlane } from './test-control-plane.ts';
import { startReceiver, until } from './webhook-receiver.ts';

const lenient = { allowHttpWebhooks: true, allowPrivateWebhooks: true };
const order = ['license.minted', 'license.suspended', 'license.reinstated', 'license.revoked'];

/** Starts a control plane as a process on a database, and resolves once it listens. */
async function startProcess(t: Test, databaseUrl: string): Promise<ChildProcess> {
  const child = spawn(
    process.execPath,
    ['--conditions=workspace-source', fileURLToPath(new URL('../main.ts', import.meta.url))],
    {
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        DATABASE_URL: databaseUrl,
        ADMIN_SECRET: 'admin secret of the tests',
        REGISTRY_SECRET: 'registry-secret-of-the-tests',
        REGISTRY_URL: 'https://registry.example/',
        CONTROL_PLANE_PORT: '0',
        ALLOW_HTTP_WEBHOOKS: 'true',
        ALLOW_PRIVATE_WEBHOOKS: 'true',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  t.teardown(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'close');
  });
  let output = '';
  for await (const chunk of child.stdout ?? []) {
    output += chunk;
    if (output.includes('"msg":"listening"')) break;
  }
  child.stdout?.resume();
  return child;
}

t.test('replicas share the work, send each event once, and keep the order of each licence', async (t) => {
  const controlPlane = await startTestControlPlane(t, { ...lenient, webhookInterval: 20 });
  const { admin, db, options } = controlPlane;
  const replicas = await Promise.all([1, 2].map(() => startControlPlane({ ...options, port: 0 })));
  for (const replica of replicas) t.teardown(() => replica.stop());
  const receiver = await startReceiver(t);
  // Responses take a while, so that an event that overtakes another is noticed.
  receiver.respond = (response) => setTimeout(() => response.end(), Math.random() * 20);
  await admin.post('/webhooks', { url: receiver.url });
  const licenses = await Promise.all(
    Array.from({ length: 25 }, async () => {
      const { id } = await controlPlane.mint('many');
      for (const action of ['suspend', 'reinstate', 'revoke']) await admin.post(`/license/keys/${id}/${action}`);
      return id;
    }),
  );
  await until(t, 'all have arrived', () => receiver.received.length >= licenses.length * order.length);
  await until(
    t,
    'all are finished',
    async () => (await db('webhook_deliveries').where({ state: 'pending' })).length === 0,
  );
  t.equal(new Set(receiver.received.map(({ id }) => id)).size, receiver.received.length, 'none was sent twice');
  t.strictSame(
    licenses.map((id) => receiver.typesOf(id)),
    licenses.map(() => order),
  );
});

t.test('one of several takes a delivery', async (t) => {
  const { admin, db, databaseUrl } = await startTestControlPlane(t, lenient);
  const { body } = await admin.post('/webhooks', { url: 'http://127.0.0.1:9' });
  for (let test = 0; test < 3; test += 1) await admin.post(`/webhooks/${body.id}/test`);
  const replicas = [1, 2, 3, 4].map(() => connect({ url: databaseUrl, poolSize: 1 }));
  t.teardown(() => Promise.all(replicas.map((replica) => replica.destroy())));
  for (let round = 0; round < 10; round += 1) {
    await db('webhook_deliveries').update({ lease: null, leasedUntil: null });
    const leased = await Promise.all(
      replicas.map((replica) => replica.transaction((transaction) => leaseDeliveries(transaction, body.id))),
    );
    t.equal(leased.flat().length, 1, 'of the events of one resource only the first');
  }
});

t.test('what a killed control plane was sending is sent by the next one, with the same id', async (t) => {
  // Its own worker is off: the processes send.
  const controlPlane = await startTestControlPlane(t, lenient);
  const { admin, db, databaseUrl } = controlPlane;
  const receiver = await startReceiver(t);
  receiver.respond = () => {};
  const { body: webhook } = await admin.post('/webhooks', { url: receiver.url });
  const first = await startProcess(t, databaseUrl);
  const { id } = await controlPlane.mint('crash');
  await admin.post(`/license/keys/${id}/suspend`);
  await until(t, 'it is being sent', () => receiver.received.length === 1);
  first.kill('SIGKILL');
  await once(first, 'close');
  await admin.post(`/license/keys/${id}/reinstate`);
  await admin.post(`/license/keys/${id}/revoke`);
  t.equal((await db('webhook_deliveries').where({ state: 'delivered' })).length, 0);

  receiver.respond = (response) => response.end();
  const second = await startProcess(t, databaseUrl);
  // The lease of the killed one ends by itself after a minute.
  await db('webhook_deliveries')
    .whereNotNull('leasedUntil')
    .update({ leasedUntil: db.raw("now() - interval '1 second'") });
  await until(t, 'all have arrived', () => receiver.received.length === 5);
  t.strictSame(receiver.typesOf(id), ['license.minted', ...order]);
  t.equal(receiver.received[0]?.id, receiver.received[1]?.id);
  await until(t, 'all are finished', async () => (await admin.get(`/webhooks/${webhook.id}`)).body.pending === 0);

  // A process that is asked to stop releases what it is sending.
  receiver.respond = () => {};
  await admin.post(`/webhooks/${webhook.id}/test`);
  await until(t, 'it is being sent', () => receiver.received.length === 6);
  second.kill('SIGTERM');
  const [code] = await once(second, 'close');
  t.equal(code, 0);
  t.match(await db('webhook_deliveries').where({ state: 'pending' }).first(), { lease: null, failures: 0 });
});
