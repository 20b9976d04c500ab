/**
 * An account at the provider: its payment intents, charges and refunds, and their transitions. Free of network and
 * randomness.
 */
import { randomBytes } from 'node:crypto';
import { declined, invalid, notFound, unexpectedState } from './errors.ts';
import { entriesOf, type Form, textOf } from './form.ts';

export interface Intent {
  id: string;
  object: 'payment_intent';
  amount: number;
  amount_capturable: number;
  amount_received: number;
  capture_method: string;
  client_secret: string;
  created: number;
  currency: string;
  last_payment_error: { type: string; code: string; message: string } | null;
  latest_charge: string | null;
  metadata: Record<string, string>;
  status: 'requires_payment_method' | 'requires_action' | 'requires_capture' | 'succeeded' | 'canceled';
}

export interface Charge {
  id: string;
  object: 'charge';
  amount: number;
  amount_captured: number;
  /** Includes what was authorized and never captured, as with Stripe. */
  amount_refunded: number;
  captured: boolean;
  currency: string;
  /** Stays true once a dispute is decided. */
  disputed: boolean;
  metadata: Record<string, string>;
  payment_intent: string;
  refunded: boolean;
}

export interface Refund {
  id: string;
  object: 'refund';
  amount: number;
  charge: string;
  currency: string;
  metadata: Record<string, string>;
  payment_intent: string;
  status: 'succeeded';
}

/** With the members that the adapter reads. */
export interface Dispute {
  id: string;
  object: 'dispute';
  amount: number;
  /** In the currency of the account. */
  balance_transactions: { amount: number; currency: string }[];
  charge: string;
  currency: string;
  evidence_details: { due_by: number | null };
  is_charge_refundable: boolean;
  metadata: Record<string, string>;
  payment_intent: string;
  reason: string;
  status:
    | 'warning_needs_response'
    | 'warning_under_review'
    | 'warning_closed'
    | 'needs_response'
    | 'under_review'
    | 'won'
    | 'lost';
}

/** Called after each change with the changed object. */
export type ChangeListener = (type: string, object: Intent | Charge | Dispute) => void;

const newId = (prefix: string) => `${prefix}_${randomBytes(12).toString('hex')}`;

export class Account {
  readonly intents = new Map<string, Intent>();
  readonly charges = new Map<string, Charge>();
  readonly refunds: Refund[] = [];
  readonly disputes: Dispute[] = [];
  readonly #onChange: ChangeListener;

  constructor(onChange: ChangeListener) {
    this.#onChange = onChange;
  }

  create(form: Form): Intent {
    const amount = amountOf(form, 'amount');
    const currency = textOf(form.currency);
    if (!/^[a-z]{3}$/.test(currency ?? '')) throw invalid(`Invalid currency: ${currency}`, undefined, 'currency');
    const id = newId('pi');
    const intent: Intent = {
      id,
      object: 'payment_intent',
      amount,
      amount_capturable: 0,
      amount_received: 0,
      capture_method: textOf(form.capture_method) ?? 'automatic',
      client_secret: newId(`${id}_secret`),
      created: Math.floor(Date.now() / 1000),
      currency: currency as string,
      last_payment_error: null,
      latest_charge: null,
      metadata: entriesOf(form.metadata),
      status: 'requires_payment_method',
    };
    this.intents.set(id, intent);
    this.#onChange('payment_intent.created', intent);
    return intent;
  }

  find(id: string): Intent {
    const intent = this.intents.get(id);
    if (!intent) throw notFound('payment_intent', id);
    return intent;
  }

  /** The shopper pays with a card that works, is declined, or needs one more confirmation. */
  confirm(id: string, form: Form): Intent {
    const intent = this.find(id);
    if (!/^requires_(payment_method|action)$/.test(intent.status)) throw unexpectedState(intent.status, 'confirmed');
    const card = textOf(form.payment_method);
    if (intent.status === 'requires_payment_method' && card === 'pm_card_chargeDeclined') {
      intent.last_payment_error = { type: 'card_error', code: 'card_declined', message: 'Your card was declined.' };
      this.#onChange('payment_intent.payment_failed', intent);
      throw declined();
    }
    if (intent.status === 'requires_payment_method' && card === 'pm_card_authenticationRequired') {
      intent.status = 'requires_action';
      this.#onChange('payment_intent.requires_action', intent);
      return intent;
    }
    const { amount, currency, metadata } = intent;
    const charge: Charge = {
      id: newId('ch'),
      object: 'charge',
      amount,
      amount_captured: 0,
      amount_refunded: 0,
      captured: false,
      currency,
      disputed: false,
      metadata,
      payment_intent: id,
      refunded: false,
    };
    this.charges.set(charge.id, charge);
    Object.assign(intent, { latest_charge: charge.id, last_payment_error: null, status: 'requires_capture' });
    intent.amount_capturable = amount;
    this.#onChange('charge.succeeded', charge);
    if (intent.capture_method === 'manual') this.#onChange('payment_intent.amount_capturable_updated', intent);
    else this.#capture(intent, amount);
    return intent;
  }

  capture(id: string, form: Form): Intent {
    const intent = this.find(id);
    if (intent.status !== 'requires_capture') throw unexpectedState(intent.status, 'captured');
    const amount =
      form.amount_to_capture === undefined ? intent.amount_capturable : amountOf(form, 'amount_to_capture');
    if (amount > intent.amount_capturable) {
      throw invalid('The amount is larger than what can be captured.', 'amount_too_large', 'amount_to_capture');
    }
    this.#capture(intent, amount);
    return intent;
  }

  cancel(id: string): Intent {
    const intent = this.find(id);
    if (intent.status === 'succeeded' || intent.status === 'canceled') throw unexpectedState(intent.status, 'canceled');
    Object.assign(intent, { status: 'canceled', amount_capturable: 0 });
    const charge = this.chargeOf(intent);
    if (charge) {
      Object.assign(charge, { amount_refunded: charge.amount, refunded: true });
      this.#onChange('charge.refunded', charge);
    }
    this.#onChange('payment_intent.canceled', intent);
    return intent;
  }

  refund(form: Form): Refund {
    const intent = this.find(textOf(form.payment_intent) ?? '');
    const charge = this.chargeOf(intent);
    if (!charge?.captured) throw unexpectedState(intent.status, 'refunded');
    const disputes = this.disputes.filter((each) => each.charge === charge.id && !each.is_charge_refundable);
    const lost = disputes.filter(({ status }) => status === 'lost').reduce((sum, { amount }) => sum + amount, 0);
    const left = charge.amount - charge.amount_refunded - lost;
    if (left === 0 || disputes.some(({ status }) => status !== 'lost')) {
      if (disputes.length > 0) throw invalid('The charge has been charged back.', 'charge_disputed');
    }
    if (left === 0) throw invalid('The charge has already been refunded.', 'charge_already_refunded');
    const amount = form.amount === undefined ? left : amountOf(form, 'amount');
    if (amount > left) throw invalid('The refund is larger than what is left of the charge.', undefined, 'amount');
    const { currency, id } = charge;
    const metadata = entriesOf(form.metadata);
    const refund: Refund = {
      id: newId('re'),
      object: 'refund',
      amount,
      charge: id,
      currency,
      metadata,
      payment_intent: intent.id,
      status: 'succeeded',
    };
    this.refunds.push(refund);
    charge.amount_refunded += amount;
    charge.refunded = charge.amount_refunded === charge.amount;
    this.#onChange('charge.refunded', charge);
    return refund;
  }

  /** The shopper's bank disputes a charge, or asks about it. An inquiry withdraws nothing. */
  dispute(intentId: string, { amount, isInquiry = false }: { amount?: number; isInquiry?: boolean } = {}): Dispute {
    const charge = this.chargeOf(this.find(intentId)) as Charge;
    const dispute: Dispute = {
      id: newId('dp'),
      object: 'dispute',
      amount: amount ?? charge.amount_captured - charge.amount_refunded,
      balance_transactions: [],
      charge: charge.id,
      currency: charge.currency,
      evidence_details: { due_by: Math.floor(Date.now() / 1000) + 7 * 86_400 },
      is_charge_refundable: isInquiry,
      metadata: {},
      payment_intent: intentId,
      reason: 'product_not_received',
      status: isInquiry ? 'warning_needs_response' : 'needs_response',
    };
    this.disputes.push(dispute);
    charge.disputed = true;
    this.#onChange('charge.dispute.created', dispute);
    if (!isInquiry) this.#withdraw(dispute);
    return dispute;
  }

  /** Changes the status of a dispute. One that is won, or a lost one that is reversed, gives the money back. */
  changeDispute(dispute: Dispute, status: Dispute['status']): void {
    const isDispute = !status.startsWith('warning');
    Object.assign(dispute, { status, is_charge_refundable: !isDispute || status === 'won' });
    const isClosed = ['won', 'lost', 'warning_closed'].includes(status);
    this.#onChange(isClosed ? 'charge.dispute.closed' : 'charge.dispute.updated', dispute);
    if (isDispute && dispute.balance_transactions.length === 0) this.#withdraw(dispute);
    if (status !== 'won') return;
    dispute.balance_transactions.push({ amount: dispute.amount, currency: dispute.currency });
    this.#onChange('charge.dispute.funds_reinstated', dispute);
  }

  #withdraw(dispute: Dispute): void {
    dispute.balance_transactions.push({ amount: -dispute.amount, currency: dispute.currency });
    this.#onChange('charge.dispute.funds_withdrawn', dispute);
  }

  chargeOf({ latest_charge: id }: Intent): Charge | null {
    return id === null ? null : (this.charges.get(id) as Charge);
  }

  #capture(intent: Intent, amount: number): void {
    const charge = this.chargeOf(intent) as Charge;
    Object.assign(intent, { status: 'succeeded', amount_capturable: 0, amount_received: amount });
    Object.assign(charge, { captured: true, amount_captured: amount, amount_refunded: charge.amount - amount });
    this.#onChange('charge.captured', charge);
    this.#onChange('payment_intent.succeeded', intent);
  }
}

function amountOf(form: Form, name: string): number {
  const text = textOf(form[name]) ?? '';
  if (!/^[1-9]\d{0,11}$/.test(text)) throw invalid(`Invalid integer: ${text}`, 'parameter_invalid_integer', name);
  return Number(text);
}
