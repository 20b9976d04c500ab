/**
 * Webhooks of Stripe: signed, recent, of this tenant, and about the payment that the box has started.
 */
import type { TestTenant } from '@carton/runtime/testing';
import { cardSales, openStripeTenant, sign, webhookSecret } from '@carton/stripe/testing';
import t from 'tap';
import { packages, statusOf } from './helpers.ts';

const tenant = await openStripeTenant(t, { packages });
const { box, simulator } = tenant;
const { begin, order, setMode } = cardSales(tenant);
const read = async (id: string) => (await box.staff.get(`/admin/payments/${id}`)).body;

t.test('webhooks are applied when signed, recent and for this tenant', async (t) => {
  await setMode('manual');
  const { orderId, id } = await order(await begin(2500, 'pm_card_visa'));
  const { reference } = await read(id);
  simulator.account().capture(reference, {});
  const body = simulator.webhooks.events.findLast(({ type }) => type === 'payment_intent.succeeded')?.body as string;
  const send = (signature: string, text = body, at: TestTenant = box) =>
    at.visitor().post('/payments/webhooks/stripe', text, { headers: { 'stripe-signature': signature } });
  const wrong = { status: 400, body: { code: 'webhook_signature_invalid' } };
  const now = Math.floor(Date.now() / 1000);
  t.match(await send(sign(body, 'whsec_other')), wrong, 'another secret');
  t.match(await send(sign(body, webhookSecret, now - 600)), wrong, 'ten minutes old');
  t.match(await send(sign(body, webhookSecret), `${body} `), wrong, 'another body');
  t.match(await send('', body), wrong, 'none');
  // Signed with the secret, as a leaked one of another program could be used.
  const timed = (time: string) => sign(body, webhookSecret, time as never);
  const times = [
    'NaN',
    '',
    '1e400',
    'Infinity',
    '-1',
    `-${now}`,
    `${now}x`,
    `${now}.5`,
    `0${now}`,
    `1e9`,
    '0x6a000000',
  ];
  for (const time of times) t.match(await send(timed(time)), wrong, `t=${time}`);
  t.match(await send(sign(body, webhookSecret).replace(/^t=\d+,/, '')), wrong, 'without a time');
  t.match(await send(`t=${now - 600},${sign(body, webhookSecret)}`), wrong, 'two times');
  t.match(await send(sign('{', webhookSecret), '{'), wrong, 'no JSON');
  const other = await box.openTenant();
  t.match(await send(sign(body, webhookSecret), body, other), { status: 204 }, 'the account is shared');
  t.equal(await statusOf(box, orderId), 'authorized', 'nothing has changed so far');
  t.match(await send(sign(body, webhookSecret, now + 600)), wrong, 'from the future');
  for (const [text, expected] of [
    [{ id: 'evt_2', object: 'event' }, { status: 204 }],
    [{ id: 'evt_3', data: {} }, { status: 204 }],
    [{ id: 'evt_4', data: { object: { object: 'payment_intent' } } }, { status: 204 }],
    [
      { object: 'event', data: {} },
      { status: 400, body: { code: 'webhook_unreadable' } },
    ],
    [null, { status: 400, body: { code: 'webhook_unreadable' } }],
    [
      {
        id: 'evt_5',
        data: { object: { object: 'charge', captured: true, metadata: { payment_id: id, tenant_id: box.id } } },
      },
      { status: 400, body: { code: 'webhook_unreadable' } },
    ],
  ] as const) {
    const signed = JSON.stringify(text);
    t.match(await send(sign(signed, webhookSecret), signed), expected, signed);
  }
  const unrelated = JSON.stringify({ id: 'evt_1', object: 'event', data: { object: { object: 'customer' } } });
  t.match(await send(sign(unrelated, webhookSecret), unrelated), { status: 204 });
  t.match(await send(sign(body, webhookSecret)), { status: 204 });
  t.equal(await statusOf(box, orderId), 'paid');
  const sent = simulator.webhooks.events.findLast(({ type }) => type === 'charge.captured')?.body as string;
  t.match(await send(sign(sent, webhookSecret), sent), { status: 204 }, 'a charge reports the same');
  t.match(await read(id), { captured: { amount: 2500 }, refunded: { amount: 0 } });
});

t.test('a report about another payment at the provider, or in another currency, changes nothing', async (t) => {
  await setMode('manual');
  const { orderId, id } = await order(await begin(2500, 'pm_card_visa'));
  const { reference } = await read(id);
  simulator.account().capture(reference, {});
  const reported = ['payment_intent.succeeded', 'charge.captured'].map((wanted) => {
    const body = simulator.webhooks.events.findLast(({ type }) => type === wanted)?.body as string;
    return JSON.parse(body);
  });
  let events = 0;
  const send = async (event: { data: { object: object } }, changed: object) => {
    const text = JSON.stringify({
      ...event,
      id: `evt_c${++events}`,
      data: { object: { ...event.data.object, ...changed } },
    });
    const headers = { 'stripe-signature': sign(text, webhookSecret) };
    t.equal((await box.visitor().post('/payments/webhooks/stripe', text, { headers })).status, 204);
    return statusOf(box, orderId);
  };
  const [intent, charge] = reported;
  for (const event of reported) t.equal(await send(event, { currency: 'idr' }), 'authorized', event.type);
  t.equal(await send(intent, { id: 'pi_other' }), 'authorized');
  t.equal(await send(charge, { payment_intent: 'pi_other' }), 'authorized');
  t.equal(await send(intent, {}), 'paid');
});
