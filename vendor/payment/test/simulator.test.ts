/**
 * The simulator of a provider keeps to what the real one promises: otherwise nothing that is tried with it says much.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { findMismatches, noRates, randomFaults, Shopper, startSimulator } from '@carton/payment/testing';
import type { Answer } from '@carton/runtime/testing';
import { exactly } from '@carton/runtime/testing';
import Stripe from 'stripe';
import t from 'tap';
import { parseForm } from '../testing/form.ts';
import { randomOf } from '../testing/random.ts';

const bearer = 'Bearer sk_test_simulator';

/** Calls a simulator by hand. */
async function call(url: string, path: string, form?: Record<string, string>, headers: Record<string, string> = {}) {
  const response = await fetch(url + path, {
    method: form ? 'POST' : 'GET',
    headers: { authorization: bearer, ...headers },
    body: form && new URLSearchParams(form),
  });
  const { status, headers: answered } = response;
  return { status, body: (await response.json()) as Answer['body'], headers: answered };
}

const intent = { amount: '2500', currency: 'eur', capture_method: 'manual', 'metadata[payment_id]': 'a' };

t.test('a key stands for its first answer', async (t) => {
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

t.test('what cannot be done is refused in the shape of the API', async (t) => {
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
  const stranger = await call(url, `${path}/confirm`, { client_secret: 'guessed' }, { authorization: 'Bearer pk_1' });
  t.equal(stranger.status, 401);
});

t.test('answers are lost before the work and after it', async (t) => {
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
  t.equal((await call(simulator.url, '/v1/payment_intents', intent, key)).status, 500, 'the key stands for that too');
});

t.test('events are signed, tried until they are taken, and come late and twice', async (t) => {
  const taken: { body: string; signature: string }[] = [];
  let refusals = 2;
  const tenant = createServer(async (request, response) => {
    const body = await text(request);
    if (refusals-- > 0) response.writeHead(503).end();
    else {
      taken.push({ body, signature: String(request.headers['stripe-signature']) });
      response.writeHead(204).end();
    }
  }).listen(0, '127.0.0.1');
  await once(tenant, 'listening');
  t.teardown(() => tenant.close());
  const url = `http://127.0.0.1:${(tenant.address() as AddressInfo).port}`;
  const rates = { lateEvent: 0.5, latestEvent: 50, duplicateEvent: 0.5 };
  const simulator = await startSimulator({ rates, accounts: { sk_test_simulator: [{ url, secret: 'whsec_1' }] } });
  t.teardown(() => simulator.stop());
  for (let round = 0; round < 10; round++) await call(simulator.url, '/v1/payment_intents', intent);
  await simulator.webhooks.flush();
  const { events } = simulator.webhooks;
  t.strictSame(new Set(taken.map(({ body }) => body)), new Set(events.map(({ body }) => body)), 'all of them');
  t.ok(taken.length > events.length, 'some twice');
  t.notSame(
    [...new Set(taken.map(({ body }) => body))],
    events.map(({ body }) => body),
    'in another order',
  );
  for (const { body, signature } of taken) {
    t.equal(Stripe.webhooks.constructEvent(body, signature, 'whsec_1', 300).type, 'payment_intent.created');
  }
  simulator.listen([{ url: 'http://127.0.0.1:1', secret: 'whsec_1' }]);
  await call(simulator.url, '/v1/payment_intents', intent);
});

t.test('chance can be repeated', async (t) => {
  const rates = { ...noRates, loseCall: 0.1, loseAnswer: 0.1, fail: 0.1, delay: 0.3, longestDelay: 9 };
  const draw = (seed: number) => {
    const faults = randomFaults(randomOf(seed), rates);
    return Array.from({ length: 400 }, (_, index) => faults('capture', index % 2 ? 'after' : 'before'));
  };
  t.strictSame(draw(7), draw(7));
  t.notSame(draw(7), draw(8));
  const kinds = draw(7).map((fault) => (fault ? Object.entries(fault)[0]?.filter((_, at) => !at || fault)[0] : null));
  t.strictSame(new Set(kinds), new Set([null, 'lose', 'status', 'delay']));
  t.equal(randomFaults(randomOf(7), { ...rates, loseCall: 1 })('confirm', 'before'), null, 'the shopper is spared');
});

t.test('bodies are read as forms with brackets', async (t) => {
  const form = parseForm('amount=5&metadata%5Ba%5D=1&metadata%5Bb%5D=2&expand[0]=x&deep[a][b]=c');
  t.match(form, { amount: '5', metadata: { a: '1', b: '2' }, expand: { 0: 'x' }, deep: { a: { b: 'c' } } });
  t.equal(Object.getPrototypeOf(parseForm('__proto__[polluted]=1')), null);
  t.notOk('polluted' in {});
});

t.test('the books tell what does not agree', async (t) => {
  const entry = {
    reference: 'pi_1',
    status: 'succeeded' as const,
    metadata: { payment_id: 'a', cart_id: 'cart' },
    currency: 'eur',
    amount: 100,
    held: 0,
    captured: 100,
    refunded: 0,
    duplicates: 0,
  };
  const payment = { id: 'a', reference: 'pi_1', status: 'captured', capturedAmount: 100, refundedAmount: 0 };
  const other = { ...entry, reference: 'pi_2', metadata: { payment_id: 'b', cart_id: 'cart' } };
  t.strictSame(findMismatches([entry], [payment]), []);
  for (const [ledger, recorded, fault] of [
    [[], [payment], /payment a is unknown/],
    [[entry], [{ ...payment, capturedAmount: 99 }], /100 taken and 0 given back at the provider, 99 and 0 in the box/],
    [[{ ...entry, held: 5 }], [payment], /is captured and 5 held/],
    [[{ ...entry, captured: 0, held: 100 }], [], /holds 100 and has no order/],
    [[entry], [], /has taken 100 and has no order/],
    [[entry, other], [payment, { ...payment, id: 'b', reference: 'pi_2' }], /cart was paid 2 times/],
  ] as const) {
    t.match(findMismatches(ledger, recorded), exactly([fault]));
  }
});

t.test('it runs as a process of its own, and ends with whoever started it', async (t) => {
  const main = fileURLToPath(new URL('../testing/main.ts', import.meta.url));
  const child = spawn(process.execPath, ['--conditions=workspace-source', main, '{"seed":3}'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  await call(url, '/v1/payment_intents', intent);
  const control = (path: string, body = '{}') =>
    fetch(url + path, { method: 'POST', body }).then((answer) => answer.json());
  t.match(await control('/simulator/rates', '{"fail":1}'), { payments: exactly([{ amount: 2500 }]), calls: 1 });
  t.match(await call(url, '/v1/payment_intents', intent), { status: /500|429/ });
  t.match(await control('/simulator/flush'), { webhooks: { events: 1, delivered: 0, abandoned: 0 } });
  t.match(await control('/simulator/nothing'), { error: { code: 'resource_missing' } });
  child.stdin.end();
  t.strictSame(await once(child, 'exit'), [0, null]);
});
