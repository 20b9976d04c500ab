/**
 * Webhooks of the vendor: their settings and secrets, signatures, deliveries with their attempts, tests and replays.
 */
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { eraseEventsOf } from '../events/outbox.ts';
import { removeOldDeliveries } from '../webhooks/deliveries.ts';
import { dispatchLock } from '../webhooks/work.ts';
import { startTestControlPlane } from './test-control-plane.ts';
import { type Received, startReceiver, until } from './webhook-receiver.ts';

const signingKeySecret = 'a secret that encrypts secrets';
const options = { signingKeySecret, allowHttpWebhooks: true, allowPrivateWebhooks: true, webhookInterval: 20 };
const controlPlane = await startTestControlPlane(t, options);
const { admin, db } = controlPlane;

async function createWebhook(url: string, eventTypes: string[] | null = null) {
  const { status, body } = await admin.post('/webhooks', { url, eventTypes });
  if (status !== 201) throw new Error(JSON.stringify(body));
  t.teardown(() => admin.delete(`/webhooks/${body.id}`));
  return body as { id: string; secret: string };
}
const deliveriesOf = async (id: string, query = '') =>
  (await admin.get(`/webhooks/${id}/deliveries?limit=100${query}`)).body.items;
const isIdle = async (id: string) => (await admin.get(`/webhooks/${id}`)).body.pending === 0;

t.test('a webhook is created, changed and deleted; its secret is shown once and stored encrypted', async (t) => {
  const receiver = await startReceiver(t);
  const created = await admin.post('/webhooks', { url: receiver.url, label: 'CRM', eventTypes: ['license.minted'] });
  t.equal(created.status, 201);
  const { secret, ...shown } = created.body;
  t.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  const path = `/webhooks/${shown.id}`;
  t.equal(created.headers.get('location'), path);
  t.match(shown, { url: receiver.url, label: 'CRM', eventTypes: exactly(['license.minted']), disabled: false });
  t.strictSame((await admin.get(path)).body, shown);
  t.strictSame((await admin.get('/webhooks?limit=1')).body.items, [shown]);

  const stored = JSON.stringify(await db('webhooks'));
  for (const part of [secret, secret.slice('whsec_'.length)])
    t.notOk(stored.includes(part), 'it is not stored in clear');
  t.match((await db('webhooks').first('secret')).secret, /^v1\./);
  const journal = JSON.stringify(await db('journal'));
  t.notOk(journal.includes(secret) || journal.includes(receiver.url), 'nor are secret and URL in the journal');

  t.match((await admin.patch(path, { eventTypes: null, label: null })).body, { eventTypes: null, label: null });
  t.match((await admin.patch(path, { disabled: true })).body, { disabled: true, disabledReason: 'administrator' });
  t.match(await admin.post(`${path}/test`), { status: 409, body: { code: 'webhook_disabled' } });
  t.equal((await admin.delete(path)).status, 204);
  t.equal((await admin.get(path)).status, 404);
  t.equal((await admin.post('/webhooks', { url: receiver.url, eventTypes: ['no.event'] })).status, 400);
  t.equal((await admin.post('/webhooks', { url: receiver.url, eventTypes: ['webhook.test'] })).status, 400);
});

t.test('a webhook that is deleted meanwhile gets no test and no replay', async (t) => {
  const calls = { test: {}, replay: { from: '2026-01-01T00:00:00Z', to: '2999-01-01T00:00:00Z' } };
  for (const [call, body] of Object.entries(calls)) {
    const { id } = await createWebhook('http://127.0.0.1:9/');
    const answer = await db.transaction(async (transaction) => {
      await transaction('webhooks').where({ id }).delete();
      const waiting = admin.post(`/webhooks/${id}/${call}`, body);
      await until(t, 'the call waits', async () => (await db('pg_locks').whereNot({ granted: true })).length > 0);
      return { waiting };
    });
    t.match(await answer.waiting, { status: 404, body: { code: 'not_found' } }, call);
  }
});

t.test('events of the chosen types are sent, signed, without secrets', async (t) => {
  const [all, some] = [await startReceiver(t), await startReceiver(t)];
  const webhook = await createWebhook(all.url);
  const other = await createWebhook(some.url, ['license.revoked', 'license.suspended']);
  all.secrets = [webhook.secret, other.secret];
  some.secrets = [webhook.secret, other.secret];
  const { id, key } = await controlPlane.mint('acme');
  await admin.post(`/license/keys/${id}/suspend`);
  await until(t, 'both got their events', () => all.received.length === 2 && some.received.length === 1);
  const [minted, suspended] = all.received as [Received, Received];
  t.match(minted, { type: 'license.minted', resourceId: id, signedBy: exactly([0]), path: '/hook' });
  t.match(minted.headers, { 'content-type': 'application/json', 'webhook-id': minted.id });
  t.match(suspended, { type: 'license.suspended', payload: { customerId: 'acme', status: 'suspended' } });
  t.match(some.received, exactly([{ id: suspended.id, type: 'license.suspended', signedBy: exactly([1]) }]));
  t.notOk(JSON.stringify(all.received).includes(key));
  await until(t, 'the deliveries are finished', () => isIdle(webhook.id));
  const deliveries = await deliveriesOf(webhook.id);
  t.match(deliveries, exactly([{ type: 'license.suspended', state: 'delivered' }, { type: 'license.minted' }]));
  const { body } = await admin.get(`/webhooks/${webhook.id}/deliveries/${deliveries[0].id}`);
  t.match(body, { eventId: suspended.id, failures: 0, nextAttemptAt: null });
  t.match(body.attempts, exactly([{ status: 200, error: null, responseStart: 'thank you' }]));
  t.equal((await admin.get(`/webhooks/${other.id}/deliveries/${deliveries[0].id}`)).status, 404);
});

t.test('deliveries of events that are dispatched together are listed newest first', async (t) => {
  const receiver = await startReceiver(t);
  const webhook = await createWebhook(receiver.url, ['license.minted']);
  const minted = await db.transaction(async (transaction) => {
    await transaction.raw('select pg_advisory_xact_lock(?)', [dispatchLock]);
    const keys = [];
    for (let turn = 0; turn < 12; turn++) keys.push((await controlPlane.mint('acme')).id);
    return keys;
  });
  await until(t, 'all are delivered', () => receiver.received.length === minted.length);
  const deliveries: { resource: { id: string } }[] = await deliveriesOf(webhook.id);
  t.strictSame(
    deliveries.map(({ resource }) => resource.id),
    minted.reverse(),
  );
});

t.test('a test event is sent to one webhook, whatever types it has', async (t) => {
  const receiver = await startReceiver(t);
  receiver.respond = (response) => response.writeHead(500).end(`no\u0000\u0001 ${'x'.repeat(10_000)}`);
  const webhook = await createWebhook(receiver.url, ['license.minted']);
  const other = await createWebhook(receiver.url);
  const { status, body } = await admin.post(`/webhooks/${webhook.id}/test`);
  t.equal(status, 202);
  t.match(body, { type: 'webhook.test', state: 'pending', resource: { type: 'webhook', id: webhook.id } });
  const read = async () => (await admin.get(`/webhooks/${webhook.id}/deliveries/${body.id}`)).body;
  await until(t, 'it was attempted', async () => (await read()).attempts.length > 0);
  const { attempts, failures, nextAttemptAt } = await read();
  t.match(attempts[0], { status: 500, error: null, responseStart: /^no +x+$/ });
  t.equal(attempts[0].responseStart.length, 256, 'the response is cut');
  t.equal(failures, 1);
  t.ok(Date.parse(nextAttemptAt) > Date.now(), 'it waits for its next attempt');
  t.strictSame(await deliveriesOf(other.id), []);
  t.ok(await isIdle(other.id));
});

t.test('while a secret is replaced both sign; then only the new one does', async (t) => {
  const receiver = await startReceiver(t);
  const webhook = await createWebhook(receiver.url);
  const path = `/webhooks/${webhook.id}`;
  const replaced = await admin.post(`${path}/secret`, { overlapHours: 2 });
  t.equal(replaced.status, 201);
  const { secret, formerSecretUntil } = replaced.body;
  t.ok(Math.abs(Date.parse(formerSecretUntil) - Date.now() - 7_200_000) < 60_000);
  receiver.secrets = [webhook.secret, secret];
  const signers = async () => {
    const before = receiver.received.length;
    await admin.post(`${path}/test`);
    await until(t, 'the test has arrived', () => receiver.received.length > before);
    return receiver.received.at(-1)?.signedBy;
  };
  t.strictSame(await signers(), [0, 1]);
  await db('webhooks')
    .where({ id: webhook.id })
    .update({ formerSecretUntil: db.raw("now() - interval '1 second'") });
  t.strictSame(await signers(), [1]);
  t.equal((await admin.get(path)).body.formerSecretUntil, null);
  const { body } = await admin.post(`${path}/secret`, { overlapHours: 0 });
  receiver.secrets.push(body.secret);
  t.strictSame(await signers(), [2], 'without an overlap the former secret ends at once');
  t.notOk(JSON.stringify(await db('webhooks')).includes(secret), 'none is stored in clear');
});

t.test('one event is sent again, and those of a time, with the same ids and in their order', async (t) => {
  const receiver = await startReceiver(t);
  const from = new Date().toISOString();
  const { id } = await controlPlane.mint('replayed');
  await admin.post(`/license/keys/${id}/suspend`);
  await admin.post(`/license/keys/${id}/revoke`);
  const webhook = await createWebhook(receiver.url, ['license.minted', 'license.revoked']);
  const path = `/webhooks/${webhook.id}`;
  t.strictSame(await deliveriesOf(webhook.id), [], 'events before a webhook are not sent to it');
  const to = new Date(Date.now() + 60_000).toISOString();
  const replay = () => admin.post(`${path}/replay`, { from, to });
  t.match(await replay(), { status: 202, body: { deliveries: 2 } });
  await until(t, 'both have arrived', () => receiver.received.length === 2);
  t.strictSame(receiver.typesOf(id), ['license.minted', 'license.revoked']);
  await until(t, 'they are finished', () => isIdle(webhook.id));
  await replay();
  await until(t, 'they have arrived again', () => receiver.received.length === 4);
  const ids = receiver.received.map(({ id }) => id);
  t.strictSame(ids.slice(2), ids.slice(0, 2));
  await until(t, 'they are finished', () => isIdle(webhook.id));
  const [last] = await deliveriesOf(webhook.id);
  t.match(await admin.post(`${path}/deliveries/${last.id}/redeliver`), { status: 202, body: { state: 'pending' } });
  await until(t, 'it has arrived again', () => receiver.received.length === 5);
  t.equal(receiver.received.at(-1)?.id, last.eventId);
  await until(t, 'it is finished', () => isIdle(webhook.id));
  const { body } = await admin.get(`${path}/deliveries/${last.id}`);
  t.equal(body.attempts.length, 3);
  t.match(await admin.post(`${path}/replay`, { from: to, to: from }), { body: { deliveries: 0 } });
});

t.test('finished deliveries are removed after thirty days, and all of a customer that is erased', async (t) => {
  const receiver = await startReceiver(t);
  const webhook = await createWebhook(receiver.url);
  await controlPlane.mint('erased');
  await controlPlane.mint('kept');
  await until(t, 'both are sent', async () => receiver.received.length === 2 && (await isIdle(webhook.id)));
  t.equal(await eraseEventsOf(db, 'erased'), 1);
  t.equal((await deliveriesOf(webhook.id)).length, 1);
  receiver.respond = (response) => response.writeHead(503).end();
  await controlPlane.mint('waiting');
  await until(t, 'one waits', async () => (await deliveriesOf(webhook.id, '&state=pending')).length === 1);
  await db('webhook_deliveries').where({ webhookId: webhook.id }).update({ createdAt: '2020-01-01' });
  await db('webhook_deliveries')
    .where({ webhookId: webhook.id, state: 'delivered' })
    .update({ finishedAt: '2020-01-01' });
  t.equal(await removeOldDeliveries(db), 1);
  t.match(await deliveriesOf(webhook.id), exactly([{ state: 'pending' }]));
});

t.test('metrics say what waits, and for how long', async (t) => {
  const receiver = await startReceiver(t);
  receiver.respond = (response) => response.writeHead(503).end();
  const webhook = await createWebhook(receiver.url);
  await admin.post(`/webhooks/${webhook.id}/test`);
  await until(t, 'it has failed', async () => (await admin.get(`/webhooks/${webhook.id}`)).body.failingSince !== null);
  await db('events')
    .where({ type: 'webhook.test' })
    .update({ createdAt: db.raw("now() - interval '100 seconds'") });
  await until(t, 'the metrics say so', async () => {
    const { body } = await admin.get('/metrics');
    const value = (name: string) => Number(new RegExp(`^carton_${name} ([\\d.]+)$`, 'm').exec(body)?.[1]);
    return (
      value('webhook_deliveries\\{state="pending"\\}') >= 1 &&
      value('webhook_oldest_pending_seconds') >= 100 &&
      value('webhooks_faulty\\{state="failed"\\}') >= 1
    );
  });
});
