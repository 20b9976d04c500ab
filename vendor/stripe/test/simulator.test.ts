/**
 * The simulator behaves as the real provider documents: tests against it mean little otherwise.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Answer } from '@carton/runtime/testing';
import { exactly } from '@carton/runtime/testing';
import { findMismatches, noRates, randomFaults, Shopper, startSimulator } from '@carton/stripe/testing';
import Stripe from 'stripe';
import t from 'tap';
import { parseForm } from '../testing/form.ts';
import { randomOf } from '../testing/random.ts';

const bearer = 'Bearer sk_test_simulator';

async function call(url: string, path: string, form?: Record<string, string>, headers: Record<string, string> = {}) {
  const response = await fetch(url + path, {
    method: form ? 'POST' : 'GET',
    headers: { authorization: bearer, ...headers },
    body: form && new URLSearchParams(form),
  });
  const { status, headers: responseHeaders } = response;
  return { status, body: (await response.json()) as Answer['body'], headers: responseHeaders };
}

const intent = { amount: '2500', currency: 'eur', capture_method: 'manual', 'metadata[payment_id]': 'a' };

t.test('an idempotency key replays its first response', async (t) => {
  const simulator = await startSimulator();
  t.teardown(() => simulator.stop());
  const create = (form: Record<string, string>) =>
    call(simulator.url, '/v1/payment_intents', form, { 'idempotency-key': 'one' });
  const [first, second] = [await create(intent), await create(intent)];
  t.equal(second.body.id, first.body.id);
  t.equal(second.headers.get('idempotent-replayed'), 'true');
  t.match(await create({ ...intent, amount: '1' }), { status: 400, body: { error: { type: 'idempotency_error' } } });
  simulator.faults = (_, moment) => (moment === 'before' ? { delay: 50 } : null);
  simulator.forgetKeys();
  const both = await Promise.all([create(intent), create(intent)]);
  t.strictSame(both.map(({ status }) => status).sort(), [200, 409]);
  t.match(both.find(({ status }) => status === 409)?.body, { error: { code: 'idempotency_key_in_use' } });
});

t.test("errors have the API's shape", async (t) => {
  const simulator = await startSimulator();
  t.teardown(() => simulator.stop());
  const { url } = simulator;
  const { body } = await call(url, '/v1/payment_intents', intent);
  const path = `/v1/payment_intents/${body.id}`;
  const invalid = (code?: string) => ({ error: { type: 'invalid_request_error', ...(code && { code }) } });
  t.match(await call(url, `${path}/capture`, {}), { status: 400, body: invalid('payment_intent_unexpected_state') });
  t.match(await call(url, '/v1/payment_intents/pi_0'), { status: 404, body: invalid('resource_missing') });
  t.match(await call(url, '/v1/customers'), { status: 404, body: invalid() });
  t.match(await call(url, path, undefined, { authorization: 'Bearer sk_other' }), { status: 401 });
  t.match(await call(url, '/v1/payment_intents', { ...intent, amount: '1.5' }), {
    status: 400,
    body: { error: { param: 'amount' } },
  });
  t.match(await call(url, '/v1/payment_intents', { ...intent, currency: 'EUR' }), {
    body: { error: { param: 'currency' } },
  });
  const shopper = new Shopper(url);
  t.equal(await shopper.pay(body.client_secret, 'pm_card_chargeDeclined'), 'card_declined');
  t.equal(await shopper.pay(body.client_secret), 'requires_capture');
  t.match(await call(url, `${path}/capture`, { amount_to_capture: '2501' }), { body: invalid('amount_too_large') });
  t.match(await call(url, `${path}/capture`, { amount_to_capture: '2000', 'expand[0]': 'latest_charge' }), {
    status: 200,
    body: {
      status: 'succeeded',
      amount_received: 2000,
      latest_charge: { amount_captured: 2000, amount_refunded: 500 },
    },
  });
  t.match(await call(url, '/v1/refunds', { payment_intent: body.id, amount: '2001' }), { status: 400 });
  t.match(await call(url, '/v1/refunds', { payment_intent: body.id }), { status: 200, body: { amount: 2000 } });
  t.match(await call(url, '/v1/refunds', { payment_intent: body.id }), { body: invalid('charge_already_refunded') });
  t.match(await call(url, `/v1/refunds?payment_intent=${body.id}`), { body: { data: exactly([{ amount: 2000 }]) } });
  t.match(simulator.ledger(), exactly([{ captured: 2000, refunded: 2000, held: 0, duplicates: 1 }]));
  const automatic = await call(url, '/v1/payment_intents', { amount: '100', currency: 'eur' });
  t.equal(await shopper.pay(automatic.body.client_secret), 'succeeded');
  const intruder = await call(url, `${path}/confirm`, { client_secret: 'guessed' }, { authorization: 'Bearer pk_1' });
  t.equal(intruder.status, 401);
});

t.test('responses are lost before and after processing', async (t) => {
  const simulator = await startSimulator();
  t.teardown(() => simulator.stop());
  for (const moment of ['before', 'after'] as const) {
    simulator.faults = (_, at) => (at === moment ? { lose: true } : null);
    await t.rejects(call(simulator.url, '/v1/payment_intents', intent));
    t.equal(simulator.ledger().length, moment === 'before' ? 0 : 1);
  }
  simulator.faults = (_, at) => (at === 'after' ? { status: 500 } : null);
  const key = { 'idempotency-key': 'failed' };
  t.equal((await call(simulator.url, '/v1/payment_intents', intent, key)).status, 500);
  simulator.faults = () => null;
  t.equal((await call(simulator.url, '/v1/payment_intents', intent, key)).status, 500, 'the error is replayed too');
});

t.test('events are signed, retried until accepted, and arrive late and twice', async (t) => {
  const received: { body: string; signature: string }[] = [];
  let refusals = 2;
  const endpoint = createServer(async (request, response) => {
    const body = await text(request);
    if (refusals-- > 0) response.writeHead(503).end();
    else {
      received.push({ body, signature: String(request.headers['stripe-signature']) });
      response.writeHead(204).end();
    }
  }).listen(0, '127.0.0.1');
  await once(endpoint, 'listening');
  t.teardown(() => endpoint.close());
  const url = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}`;
  const rates = { delayEvent: 0.5, maxEventDelay: 50, repeatEvent: 0.5 };
  const simulator = await startSimulator({ rates, accounts: { sk_test_simulator: [{ url, secret: 'whsec_1' }] } });
  t.teardown(() => simulator.stop());
  for (let round = 0; round < 10; round++) await call(simulator.url, '/v1/payment_intents', intent);
  await simulator.webhooks.flush();
  const { events } = simulator.webhooks;
  t.strictSame(
    new Set(received.map(({ body }) => body)),
    new Set(events.map(({ body }) => body)),
    'every event arrives',
  );
  t.ok(received.length > events.length, 'some arrive twice');
  t.notSame(
    [...new Set(received.map(({ body }) => body))],
    events.map(({ body }) => body),
    'out of order',
  );
  for (const { body, signature } of received) {
    t.equal(Stripe.webhooks.constructEvent(body, signature, 'whsec_1', 300).type, 'payment_intent.created');
  }
  simulator.listen([{ url: 'http://127.0.0.1:1', secret: 'whsec_1' }]);
  await call(simulator.url, '/v1/payment_intents', intent);
});

t.test('random faults are reproducible', async (t) => {
  const rates = { ...noRates, loseRequest: 0.1, loseResponse: 0.1, fail: 0.1, delay: 0.3, maxDelay: 9 };
  const draw = (seed: number) => {
    const faults = randomFaults(randomOf(seed), rates);
    return Array.from({ length: 400 }, (_, index) => faults('capture', index % 2 ? 'after' : 'before'));
  };
  t.strictSame(draw(7), draw(7));
  t.notSame(draw(7), draw(8));
  const kinds = draw(7).map((fault) => (fault ? Object.entries(fault)[0]?.filter((_, at) => !at || fault)[0] : null));
  t.strictSame(new Set(kinds), new Set([null, 'lose', 'status', 'delay']));
  t.equal(
    randomFaults(randomOf(7), { ...rates, loseRequest: 1 })('confirm', 'before'),
    null,
    "a shopper's confirmation never fails",
  );
});

t.test('bodies are parsed as forms with brackets', async (t) => {
  const form = parseForm('amount=5&metadata%5Ba%5D=1&metadata%5Bb%5D=2&expand[0]=x&deep[a][b]=c');
  t.match(form, { amount: '5', metadata: { a: '1', b: '2' }, expand: { 0: 'x' }, deep: { a: { b: 'c' } } });
  t.equal(Object.getPrototypeOf(parseForm('__proto__[polluted]=1')), null);
  t.notOk('polluted' in {});
});

t.test('mismatches between ledger and payments are found', async (t) => {
  const entry = {
    reference: 'pi_1',
    status: 'succeeded' as const,
    metadata: { payment_id: 'a', cart_id: 'cart' },
    currency: 'eur',
    amount: 100,
    held: 0,
    captured: 100,
    refunded: 0,
    disputed: 0,
    duplicates: 0,
  };
  const amounts = { capturedAmount: 100, refundedAmount: 0, disputedAmount: 0 };
  const payment = { id: 'a', reference: 'pi_1', status: 'captured', ...amounts };
  const other = { ...entry, reference: 'pi_2', metadata: { payment_id: 'b', cart_id: 'cart' } };
  t.strictSame(findMismatches([entry], [payment]), []);
  for (const [ledger, recorded, fault] of [
    [[], [payment], /payment a is unknown/],
    [[entry], [{ ...payment, capturedAmount: 99 }], /100 captured and 0 refunded at the provider, 99 and 0 in the box/],
    [[{ ...entry, disputed: 40 }], [payment], /40 disputed at the provider, 0 in the box/],
    [
      [{ ...entry, refunded: 70, disputed: 40 }],
      [{ ...payment, refundedAmount: 70, disputedAmount: 40 }],
      /more is refunded and disputed than the 100 captured/,
    ],
    [[{ ...entry, held: 5 }], [payment], /is captured and 5 held/],
    [[{ ...entry, captured: 0, held: 100 }], [], /holds 100 and has no order/],
    [[entry], [], /has captured 100 and has no order/],
    [[entry, other], [payment, { ...payment, id: 'b', reference: 'pi_2' }], /cart was paid 2 times/],
  ] as const) {
    t.match(findMismatches(ledger, recorded), exactly([fault]));
  }
});

t.test('it runs as a process of its own, and ends with its parent', async (t) => {
  const main = fileURLToPath(new URL('../testing/main.ts', import.meta.url));
  const child = spawn(process.execPath, ['--conditions=workspace-source', main, '{"seed":3}'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  await call(url, '/v1/payment_intents', intent);
  const control = (path: string, body = '{}') =>
    fetch(url + path, { method: 'POST', body }).then((response) => response.json());
  t.match(await control('/simulator/rates', '{"fail":1}'), { payments: exactly([{ amount: 2500 }]), calls: 1 });
  t.match(await call(url, '/v1/payment_intents', intent), { status: /500|429/ });
  t.match(await control('/simulator/flush'), { webhooks: { events: 1, delivered: 0, abandoned: 0 } });
  t.match(await control('/simulator/nothing'), { error: { code: 'resource_missing' } });
  child.stdin.end();
  t.strictSame(await once(child, 'exit'), [0, null]);
});
