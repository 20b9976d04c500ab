/**
 * A payment provider for tests: an adapter with an in-memory provider, which is idempotent by id and signs its
 * webhooks.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import {
  type PaymentAdapter,
  type PaymentIntent,
  type ProviderState,
  type ProviderStep,
  paymentRefused,
  type WebhookDelivery,
  webhookSignatureInvalid,
} from '@carton/payment';
import type { TenantDatabase } from '@carton/runtime';
import type { Answer, TestTenant } from '@carton/runtime/testing';

export type Call = 'initiate' | 'confirm' | 'capture' | 'void' | 'refund';

/** A payment at the provider. */
interface StoredPayment extends ProviderState {
  intent: PaymentIntent;
  reference: string;
}

/** Refuses payments and steps with an amount of 13. */
export class TestProvider implements PaymentAdapter {
  readonly name: string;
  readonly payments = new Map<string, StoredPayment>();
  /** Every call in order, such as `capture 500`. */
  readonly calls: string[] = [];
  /** The status that `confirm` gives a pending payment. */
  confirmed: ProviderState['status'] = 'authorized';
  /** Called before and after each call takes effect, to delay it or make it fail. */
  before: (call: Call) => void | Promise<void> = () => {};
  after: (call: Call) => void | Promise<void> = () => {};
  readonly #secret = 'secret shared by provider and tenant';
  readonly #methods: readonly string[];
  readonly #steps = new Set<string>();

  constructor(name = 'test', methods: readonly string[] = ['card', 'wallet']) {
    this.name = name;
    this.#methods = methods;
  }

  methods() {
    return this.#methods;
  }

  async initiate(_: TenantDatabase, intent: PaymentIntent) {
    await this.#record('initiate', intent.amount.amount);
    const reference = `re_${intent.id}`;
    const created: StoredPayment = { intent, reference, status: 'pending', captured: 0, refunded: 0 };
    this.payments.set(intent.id, this.payments.get(intent.id) ?? created);
    await this.after('initiate');
    return { reference, nextAction: { type: 'redirect' as const, value: `https://pay.example/${reference}` } };
  }

  async confirm(_: TenantDatabase, { id, amount }: ProviderStep['payment']) {
    await this.#record('confirm', amount.amount);
    const payment = this.payments.get(id) as StoredPayment;
    if (payment.status === 'pending') payment.status = this.confirmed;
    await this.after('confirm');
    return this.stateOf(id);
  }

  async capture(_: TenantDatabase, step: ProviderStep) {
    await this.#perform('capture', step, (payment) => {
      payment.captured += step.amount.amount;
      if (payment.captured === payment.intent.amount.amount) payment.status = 'captured';
    });
  }

  async void(_: TenantDatabase, step: ProviderStep) {
    await this.#perform('void', step, (payment) => {
      payment.status = payment.captured > 0 ? 'captured' : 'voided';
    });
  }

  async refund(_: TenantDatabase, step: ProviderStep) {
    await this.#perform('refund', step, (payment) => {
      payment.refunded += step.amount.amount;
    });
  }

  readWebhook(_: TenantDatabase, { headers, body }: WebhookDelivery) {
    const signature = Buffer.from(String(headers['x-test-signature'] ?? ''), 'hex');
    const expected = createHmac('sha256', this.#secret).update(body).digest();
    if (signature.length !== expected.length || !timingSafeEqual(signature, expected)) throw webhookSignatureInvalid();
    return JSON.parse(Buffer.from(body).toString());
  }

  stateOf(id: string): ProviderState {
    const { status, captured, refunded } = this.payments.get(id) as StoredPayment;
    return { status, captured, refunded };
  }

  /** Sends an event to a tenant, signed unless `headers` say otherwise. */
  send(tenant: TestTenant, event: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const body = JSON.stringify(event);
    const signature = createHmac('sha256', this.#secret).update(body).digest('hex');
    return tenant.visitor().post(`/payments/webhooks/${this.name}`, body, {
      headers: { 'content-type': 'application/json', 'x-test-signature': signature, ...headers },
    });
  }

  async #perform(call: Call, { id, payment, amount }: ProviderStep, work: (payment: StoredPayment) => void) {
    await this.#record(call, amount.amount);
    if (!this.#steps.has(id)) work(this.payments.get(payment.id) as StoredPayment);
    this.#steps.add(id);
    await this.after(call);
  }

  async #record(call: Call, amount: number) {
    this.calls.push(`${call} ${amount}`);
    await this.before(call);
    if (amount === 13) throw paymentRefused('The provider refuses this amount.');
  }
}
