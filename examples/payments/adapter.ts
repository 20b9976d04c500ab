/**
 * The adapter of Acme Pay. Each request names the box's id of the payment or of the step, so that Acme does it once; each
 * answer is the payment's state with its totals.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { type PaymentAdapter, paymentRefused, webhookSignatureInvalid, webhookUnreadable } from '@carton/payment';
import { faults, isServiceRefusal, oneOf, requestJson, type Static, type TenantDatabase, Type } from '@carton/runtime';
import { acmeSettings } from './settings.ts';

const Payment = Type.Object({
  id: Type.String(),
  reference: Type.String(),
  /** Where the shopper pays. */
  page: Type.String(),
  currency: Type.String(),
  status: oneOf(['pending', 'authorized', 'captured', 'voided', 'failed']),
  captured: Type.Integer({ minimum: 0 }),
  refunded: Type.Integer({ minimum: 0 }),
});
type Payment = Static<typeof Payment>;

const Event = Type.Object({ id: Type.String({ minLength: 1 }), payment: Payment });

/** Milliseconds; an adapter has 20 seconds. */
const timeout = 15_000;

/**
 * Sends a request.
 * @throws payment_refused (409) for what Acme refuses; any other error leaves the outcome open, and the box asks again
 */
async function call(db: TenantDatabase, path: string, body?: object): Promise<Payment> {
  const { url, key } = acmeSettings.of(db);
  if (!url) throw paymentRefused('The store has no account with this provider.');
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const method = body ? ('POST' as const) : ('GET' as const);
  const request = { method, url: new URL(path, url), headers, body: body && JSON.stringify(body), answer: Payment };
  try {
    return await requestJson({ ...request, isRefusal: (status) => status === 409 }, AbortSignal.timeout(timeout));
  } catch (error) {
    throw isServiceRefusal(error) ? paymentRefused('Acme Pay refuses this.') : error;
  }
}

const stateOf = ({ status, captured, refunded }: Payment) => ({ status, captured, refunded });

export const acmeAdapter: PaymentAdapter = {
  name: 'acme-pay',
  onlyIfNamed: true,
  methods: (db) => (acmeSettings.of(db).url ? ['acme'] : []),
  async initiate(db, { id, amount }) {
    const { reference, page } = await call(db, '/payments', { id, ...amount });
    return { reference, nextAction: { type: 'redirect', value: page } };
  },
  confirm: async (db, { reference }) => stateOf(await call(db, `/payments/${reference}`)),
  async capture(db, { id, payment: { reference }, amount: { amount } }) {
    await call(db, `/payments/${reference}/capture`, { id, amount });
  },
  async void(db, { id, payment: { reference } }) {
    await call(db, `/payments/${reference}/void`, { id });
  },
  async refund(db, { id, payment: { reference }, amount: { amount } }) {
    await call(db, `/payments/${reference}/refund`, { id, amount });
  },
  readWebhook(db, { headers, body }) {
    const { secret } = acmeSettings.of(db);
    if (!secret) throw webhookSignatureInvalid('No webhook secret is configured.');
    const expected = createHmac('sha256', secret).update(body).digest();
    const sent = Buffer.from(String(headers['acme-signature'] ?? ''), 'hex');
    if (sent.length !== expected.length || !timingSafeEqual(sent, expected)) throw webhookSignatureInvalid();
    const event = parse(Buffer.from(body).toString());
    if (faults(Event, event)) throw webhookUnreadable();
    const { id, payment } = event as Static<typeof Event>;
    const { id: paymentId, reference, currency } = payment;
    return { id, payment: { id: paymentId, reference, currency, state: stateOf(payment) } };
  },
};

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw webhookUnreadable();
  }
}
