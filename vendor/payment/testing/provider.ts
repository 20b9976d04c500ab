/**
 * A payment provider for tests: an adapter with the provider behind it in memory, which keeps what it is told by the
 * ids it is told it under, and signs its call-backs.
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

type Call = 'initiate' | 'confirm' | 'capture' | 'void' | 'refund';

/** What the provider remembers of a payment. */
interface Remembered extends ProviderState {
  intent: PaymentIntent;
  reference: string;
}

/** Refuses amounts of 13, and steps of 13. */
export class TestProvider implements PaymentAdapter {
  readonly name: string;
  readonly payments = new Map<string, Remembered>();
  /** Every call in its order: `capture 500`. */
  readonly calls: string[] = [];
  /** What a payment is when its order is about to be placed. */
  confirmed: ProviderState['status'] = 'authorized';
  /** Called before a call does its work, and after: to wait, or to fail there. */
  before: (call: Call) => void | Promise<void> = () => {};
  after: (call: Call) => void | Promise<void> = () => {};
  readonly #secret = 'the secret that the provider and the shop share';
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
    await this.#begin('initiate', intent.amount.amount);
    const reference = `re_${intent.id}`;
    const fresh: Remembered = { intent, reference, status: 'pending', captured: 0, refunded: 0 };
    this.payments.set(intent.id, this.payments.get(intent.id) ?? fresh);
    await this.after('initiate');
    return { reference, nextAction: { type: 'redirect' as const, value: `https://pay.example/${reference}` } };
  }

  async confirm(_: TenantDatabase, { id, amount }: ProviderStep['payment']) {
    await this.#begin('confirm', amount.amount);
    const payment = this.payments.get(id) as Remembered;
    if (payment.status === 'pending') payment.status = this.confirmed;
    await this.after('confirm');
    return this.stateOf(id);
  }

  async capture(_: TenantDatabase, step: ProviderStep) {
    await this.#do('capture', step, (payment) => {
      payment.captured += step.amount.amount;
      if (payment.captured === payment.intent.amount.amount) payment.status = 'captured';
    });
  }

  async void(_: TenantDatabase, step: ProviderStep) {
    await this.#do('void', step, (payment) => {
      payment.status = payment.captured > 0 ? 'captured' : 'voided';
    });
  }

  async refund(_: TenantDatabase, step: ProviderStep) {
    await this.#do('refund', step, (payment) => {
      payment.refunded += step.amount.amount;
    });
  }

  readWebhook(_: TenantDatabase, { headers, body }: WebhookDelivery) {
    const given = Buffer.from(String(headers['x-test-signature'] ?? ''), 'hex');
    const expected = createHmac('sha256', this.#secret).update(body).digest();
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw webhookSignatureInvalid();
    return JSON.parse(Buffer.from(body).toString());
  }

  stateOf(id: string): ProviderState {
    const { status, captured, refunded } = this.payments.get(id) as Remembered;
    return { status, captured, refunded };
  }

  /** Sends an event to a shop, signed unless told otherwise. */
  send(tenant: TestTenant, event: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const body = JSON.stringify(event);
    const signature = createHmac('sha256', this.#secret).update(body).digest('hex');
    return tenant.visitor().post(`/payments/webhooks/${this.name}`, body, {
      headers: { 'content-type': 'application/json', 'x-test-signature': signature, ...headers },
    });
  }

  async #do(call: Call, { id, payment, amount }: ProviderStep, work: (payment: Remembered) => void) {
    await this.#begin(call, amount.amount);
    if (!this.#steps.has(id)) work(this.payments.get(payment.id) as Remembered);
    this.#steps.add(id);
    await this.after(call);
  }

  async #begin(call: Call, amount: number) {
    this.calls.push(`${call} ${amount}`);
    await this.before(call);
    if (amount === 13) throw paymentRefused('The provider refuses this amount.');
  }
}
