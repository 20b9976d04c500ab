/**
 * Deliveries when receivers fail: retries, the order of each licence, webhooks that are disabled, and addresses that no
 * request may go to.
 */
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { startResponder } from '../boxes/testing/dns-responder.ts';
import { startTestControlPlane } from './test-control-plane.ts';
import { startReceiver, until } from './webhook-receiver.ts';

const names: Record<string, { a: string[] }> = {
  'moving.vendor.shop': { a: ['203.0.113.7'] },
  'inside.vendor.shop': { a: ['127.0.0.1'] },
  'metadata.vendor.shop': { a: ['169.254.169.254'] },
};
const responder = await startResponder(t, names);
const common = { nameserverLookup: responder.address, allowHttpWebhooks: true, webhookInterval: 20 };
const controlPlane = await startTestControlPlane(t, { ...common, allowPrivateWebhooks: true });
const strict = await startTestControlPlane(t, common);
const { admin, db } = controlPlane;

async function createWebhook(url: string, eventTypes: string[] | null = null, on = controlPlane) {
  const { status, body } = await on.admin.post('/webhooks', { url, eventTypes });
  if (status !== 201) throw new Error(JSON.stringify(body));
  t.teardown(() => on.admin.delete(`/webhooks/${body.id}`));
  return body as { id: string; secret: string };
}
const read = async (id: string) => (await admin.get(`/webhooks/${id}`)).body;
const deliveriesOf = async (id: string, on = controlPlane) =>
  (await on.admin.get(`/webhooks/${id}/deliveries?limit=100`)).body.items;
const attemptsOf = async (id: string, delivery: string, on = controlPlane) =>
  (await on.admin.get(`/webhooks/${id}/deliveries/${delivery}`)).body.attempts;
/** Makes what waits due now, as if its back-off had passed. */
const retry = (webhookId: string) =>
  db('webhook_deliveries')
    .where({ webhookId, state: 'pending' })
    .update({ nextAttemptAt: db.raw("now() - interval '1 second'") });
/** Makes the first attempts of what waits more than three days old. */
const age = (webhookId: string) =>
  db('webhook_deliveries')
    .where({ webhookId, state: 'pending' })
    .update({
      firstAttemptAt: db.raw("now() - interval '73 hours'"),
      nextAttemptAt: db.raw("now() - interval '1 second'"),
    });

t.test('later events of a licence wait for the one that failed; those of others do not', async (t) => {
  const receiver = await startReceiver(t);
  const webhook = await createWebhook(receiver.url);
  const first = await controlPlane.mint('failing');
  receiver.respond = (response, { resourceId, type }) =>
    response.writeHead(resourceId === first.id && type === 'license.suspended' ? 500 : 200).end();
  await admin.post(`/license/keys/${first.id}/suspend`);
  await admin.post(`/license/keys/${first.id}/revoke`);
  await until(t, 'the second event has failed', () => receiver.typesOf(first.id).includes('license.suspended'));
  const second = await controlPlane.mint('working');
  await admin.post(`/license/keys/${second.id}/suspend`);
  await until(t, 'another licence goes on', () => receiver.typesOf(second.id).length === 2);
  t.strictSame(receiver.typesOf(first.id), ['license.minted', 'license.suspended']);
  await retry(webhook.id);
  await until(t, 'it has failed again', () => receiver.typesOf(first.id).length === 3);
  t.equal(new Set(receiver.received.filter(({ type }) => type === 'license.suspended').map(({ id }) => id)).size, 2);
  await until(t, 'its attempt is stored', async () => {
    const [row] = await db('webhook_deliveries').where({ webhookId: webhook.id, failures: 2 });
    return row !== undefined;
  });
  t.ok((await read(webhook.id)).failingSince);
  receiver.respond = (response) => response.end();
  await retry(webhook.id);
  await until(t, 'the rest has arrived', () => receiver.typesOf(first.id).length === 5);
  t.strictSame(receiver.typesOf(first.id), [
    'license.minted',
    'license.suspended',
    'license.suspended',
    'license.suspended',
    'license.revoked',
  ]);
  await until(t, 'the webhook works', async () => (await read(webhook.id)).pending === 0);
  t.match(await read(webhook.id), { failingSince: null, disabled: false });
});

t.test('waits grow, and differ', async (t) => {
  const receiver = await startReceiver(t);
  receiver.respond = (response) => response.writeHead(400).end();
  const webhook = await createWebhook(receiver.url);
  const { body } = await admin.post(`/webhooks/${webhook.id}/test`);
  const waits: number[] = [];
  for (let failures = 1; failures <= 7; failures += 1) {
    await until(t, `${failures} attempts`, async () => {
      const row = await db('webhook_deliveries').where({ id: body.id }).first();
      if (row.failures !== failures) return false;
      waits.push((Date.parse(row.nextAttemptAt) - Date.now()) / 1000);
      return true;
    });
    await retry(webhook.id);
  }
  for (const [position, wait] of waits.entries()) {
    const planned = Math.min(7200, 5 * 4 ** position);
    t.ok(wait <= planned * 1.2 && wait > planned * 0.8 - 3, `${wait} seconds after ${position + 1} failures`);
  }
});

t.test('a receiver that asks to wait is not called before, also not with other events', async (t) => {
  const [receiver, witness] = [await startReceiver(t), await startReceiver(t)];
  receiver.respond = (response) => response.writeHead(429, { 'retry-after': '600' }).end();
  const webhook = await createWebhook(receiver.url, ['license.minted']);
  await createWebhook(witness.url, ['license.minted']);
  await controlPlane.mint('first');
  await until(t, 'it has failed', async () => (await deliveriesOf(webhook.id))[0]?.failures === 1);
  const [{ nextAttemptAt }] = await deliveriesOf(webhook.id);
  const wait = (Date.parse(nextAttemptAt) - Date.now()) / 1000;
  t.ok(wait > 590 && wait <= 720, `${wait} seconds`);
  await controlPlane.mint('second');
  await until(t, 'another webhook has both', () => witness.received.length === 2);
  await controlPlane.mint('third');
  await until(t, 'and the next', () => witness.received.length === 3);
  t.equal(receiver.received.length, 1);
  t.equal((await read(webhook.id)).pending, 3);
});

t.test('a receiver that is away gets few requests, however many events wait for it', async (t) => {
  const [receiver, witness] = [await startReceiver(t), await startReceiver(t)];
  receiver.respond = (response) => response.writeHead(503).end();
  const webhook = await createWebhook(receiver.url, ['license.minted']);
  await createWebhook(witness.url, ['license.minted']);
  for (let licence = 0; licence < 20; licence += 1) await controlPlane.mint('waiting');
  await until(t, 'another webhook has all', () => witness.received.length === 20);
  await controlPlane.mint('waiting');
  await until(t, 'and one more', () => witness.received.length === 21);
  const { length } = receiver.received;
  t.ok(length >= 3 && length <= 6, `${length} requests: three failures, and what was being sent beside the last`);
  t.equal((await read(webhook.id)).pending, 21);
});

t.test('410 disables a webhook; its events wait, and are sent in their order once it is enabled', async (t) => {
  const receiver = await startReceiver(t);
  const witness = await startReceiver(t);
  const webhook = await createWebhook(receiver.url, ['license.minted', 'license.suspended', 'license.revoked']);
  const other = await createWebhook(witness.url, ['webhook.disabled']);
  receiver.respond = (response) => response.writeHead(410).end();
  const { id } = await controlPlane.mint('gone');
  await until(t, 'it is disabled', async () => (await read(webhook.id)).disabled);
  t.match(await read(webhook.id), { disabledReason: 'gone', pending: 1 });
  await until(t, 'another webhook is notified', () => witness.received.length === 1);
  t.match(witness.received, exactly([{ resourceId: webhook.id, payload: { reason: 'gone' } }]));
  await admin.post(`/license/keys/${id}/suspend`);
  await admin.post(`/license/keys/${id}/revoke`);
  await until(t, 'three events wait', async () => (await read(webhook.id)).pending === 3);
  await retry(webhook.id);
  for (const round of [2, 3]) {
    await admin.post(`/webhooks/${other.id}/test`);
    await until(t, 'other webhooks get requests', () => witness.received.length === round);
  }
  t.equal(receiver.received.length, 1, 'a disabled webhook gets none');
  receiver.respond = (response) => response.end();
  t.match((await admin.patch(`/webhooks/${webhook.id}`, { disabled: false })).body, {
    disabled: false,
    disabledReason: null,
    failingSince: null,
  });
  await until(t, 'they have arrived', () => receiver.received.length === 4);
  t.strictSame(receiver.typesOf(id).slice(1), ['license.minted', 'license.suspended', 'license.revoked']);
});

t.test('a webhook that fails for three days is disabled; an event that alone fails is given up', async (t) => {
  const receiver = await startReceiver(t);
  const webhook = await createWebhook(receiver.url, ['license.minted']);
  receiver.respond = (response) => response.writeHead(503).end();
  await controlPlane.mint('down');
  await until(t, 'it has failed', () => receiver.received.length === 1);
  await until(t, 'the attempt is stored', async () => (await deliveriesOf(webhook.id))[0].failures === 1);
  await age(webhook.id);
  await until(t, 'it is disabled', async () => (await read(webhook.id)).disabled);
  t.match(await read(webhook.id), { disabledReason: 'failing', pending: 1 });

  receiver.respond = (response, { payload: { customerId } }) =>
    response.writeHead(customerId === 'down' ? 422 : 200).end();
  await admin.patch(`/webhooks/${webhook.id}`, { disabled: false });
  await until(t, 'it has failed again', async () => (await deliveriesOf(webhook.id))[0].failures === 1);
  await controlPlane.mint('fine');
  await until(t, 'another event was delivered', async () => (await read(webhook.id)).lastDeliveredAt !== null);
  await age(webhook.id);
  await until(t, 'it is dead', async () => (await deliveriesOf(webhook.id))[1].state === 'dead');
  t.match(await read(webhook.id), { disabled: false, pending: 0 });
  const [, dead] = await deliveriesOf(webhook.id);
  t.equal((await attemptsOf(webhook.id, dead.id)).length, 4);
  receiver.respond = (response) => response.end();
  await admin.post(`/webhooks/${webhook.id}/deliveries/${dead.id}/redeliver`);
  await until(t, 'it is delivered when it is sent again', async () => {
    const [, delivery] = await deliveriesOf(webhook.id);
    return delivery.state === 'delivered';
  });
});

t.test('refused connections, redirects and broken responses are failures', async (t) => {
  const [target, receiver] = [await startReceiver(t), await startReceiver(t)];
  const closed = await createWebhook('http://127.0.0.1:9/hook');
  const moved = await createWebhook(receiver.url);
  const cases: [webhook: string, expected: object][] = [
    [closed.id, { status: null, error: 'the request failed: ECONNREFUSED' }],
    [moved.id, { status: 307, error: null }],
  ];
  receiver.respond = (response) => response.writeHead(307, { location: target.url }).end();
  for (const [webhook, expected] of cases) {
    const { body } = await admin.post(`/webhooks/${webhook}/test`);
    await until(t, 'it was attempted', async () => (await attemptsOf(webhook, body.id)).length === 1);
    t.match((await attemptsOf(webhook, body.id))[0], expected);
  }
  t.equal(target.received.length, 0, 'a redirect is not followed');
  const [{ id }] = await deliveriesOf(moved.id);
  receiver.respond = (response) => response.socket?.destroy();
  await retry(moved.id);
  await until(t, 'it was attempted again', async () => (await attemptsOf(moved.id, id)).length === 2);
  t.match((await attemptsOf(moved.id, id))[0], { status: null, error: 'the request failed: ECONNRESET' });
  receiver.respond = (response) => {
    response.writeHead(200, { 'content-length': 1_000_000 });
    response.write('x'.repeat(20_000));
  };
  await retry(moved.id);
  await until(t, 'a long response is not read to its end', async () => (await read(moved.id)).pending === 0);
});

t.test('a request goes to the address that was checked', async (t) => {
  const receiver = await startReceiver(t);
  // Only the DNS server that the control plane asks knows this name.
  const webhook = await createWebhook(`http://inside.vendor.shop:${receiver.port}/hook`);
  await admin.post(`/webhooks/${webhook.id}/test`);
  await until(t, 'it has arrived', () => receiver.received.length === 1);
  t.equal(receiver.received[0]?.headers.host, `inside.vendor.shop:${receiver.port}`);
});

t.test('no request goes to an address that is not public, whatever the name led to before', async (t) => {
  const receiver = await startReceiver(t);
  const post = (url: string) => strict.admin.post('/webhooks', { url });
  for (const url of [
    receiver.url,
    `http://localhost:${receiver.port}`,
    `http://2130706433:${receiver.port}`,
    `http://[::ffff:127.0.0.1]:${receiver.port}`,
    `http://inside.vendor.shop:${receiver.port}`,
    'http://metadata.vendor.shop/latest',
    'http://user:secret@moving.vendor.shop',
    'https://control.vendor.example/webhooks',
    'ftp://moving.vendor.shop',
  ]) {
    t.match(await post(url), { status: 400, body: { code: 'invalid_request' } }, url);
  }
  const { status, body: webhook } = await post(`http://moving.vendor.shop:${receiver.port}/hook`);
  t.equal(status, 201);
  t.equal((await strict.admin.patch(`/webhooks/${webhook.id}`, { url: receiver.url })).status, 400);
  // The control plane keeps addresses for 30 seconds: another one does not know the former.
  names['moving.vendor.shop'] = { a: ['127.0.0.1'] };
  const other = await startTestControlPlane(t, common);
  await strict.server.stop();
  await other.db('webhooks').insert((await strict.db('webhooks'))[0]);
  const { body: delivery } = await other.admin.post(`/webhooks/${webhook.id}/test`);
  await until(t, 'it was attempted', async () => (await attemptsOf(webhook.id, delivery.id, other)).length === 1);
  t.match((await attemptsOf(webhook.id, delivery.id, other))[0], {
    status: null,
    error: /^the URL must not lead to 127\.0\.0\.1/,
  });
  t.equal(receiver.received.length, 0);
  const byDefault = await startTestControlPlane(t, { nameserverLookup: responder.address });
  t.equal((await byDefault.admin.post('/webhooks', { url: 'http://public.vendor.shop' })).status, 400);
  t.equal((await byDefault.admin.post('/webhooks', { url: 'https://public.vendor.shop' })).status, 201);
});
