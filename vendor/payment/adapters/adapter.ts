/**
 * The interface of a payment adapter, and how payment calls one.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { type MoneyValue, Problem, type TenantDatabase } from '@carton/runtime';
import type { disputeStates, nextActions, paymentStates } from '../schemas.ts';
import { paymentProviderFailed, paymentRefused } from './problems.ts';

/** A payment to initiate. */
export interface PaymentIntent {
  /**
   * The payment's id in the box. The provider stores it with its record and quotes it in its events. A second call with
   * the same id returns the payment that the first one created.
   */
  id: string;
  /** The cart to be paid; null when an existing order is paid. */
  cartId: string | null;
  /** The order to be paid; null when a cart is paid. */
  orderId: string | null;
  /** One of the adapter's methods. */
  method: string;
  amount: MoneyValue;
  /** The shopper's address, if known. */
  email: string | null;
}

/** A payment that the provider has created; the shopper or the provider continues from here. */
export interface InitiatedPayment {
  /** The provider's identifier of the payment. */
  reference: string;
  /**
   * What the shopper does next: follow a redirect, or let the provider's script, loaded with the public key, use a
   * secret. Null: nothing.
   */
  nextAction: { type: (typeof nextActions)[number]; value: string; publicKey?: string } | null;
}

/** An existing payment, as passed to its provider. */
export interface ProviderPayment {
  id: string;
  reference: string;
  method: string;
  amount: MoneyValue;
}

/** A payment's state at the provider. Amounts are totals, so that applying the same state twice changes nothing. */
export interface ProviderState {
  /** failed: the shopper's last attempt failed; some providers allow another under the same payment. */
  status: (typeof paymentStates)[number];
  /** Minor units captured so far. */
  captured: number;
  /** Minor units refunded so far. */
  refunded: number;
}

/** A step of a payment: a capture, a void or a refund. */
export interface ProviderStep {
  /** The step's id in the box, unique for its type and the same for each retry. A second call with it has no effect. */
  id: string;
  payment: ProviderPayment;
  /** For a void: what has not been captured. */
  amount: MoneyValue;
}

/**
 * The outcome of a step. Nothing: it was done as requested. A state: the payment's state now, because the step had been
 * done before or is no longer possible.
 */
// biome-ignore lint/suspicious/noConfusingVoidType: an adapter that has nothing to add returns nothing.
export type StepOutcome = RefusedState | void;

/** The state of a payment whose provider did not do a step. */
export interface RefusedState extends ProviderState {
  /** The payment was disputed; the box may not have been told yet. */
  isDisputed?: boolean;
}

/** A webhook request of a provider, as received. */
export interface WebhookDelivery {
  headers: IncomingHttpHeaders;
  body: Uint8Array;
}

/** What a webhook request reports. */
export interface ProviderEvent {
  /** The provider's identifier of the event, the same when it is sent again. */
  id: string;
  /** Absent when the event concerns no payment of the box. */
  payment?: ReportedPayment;
  /** For an event about a dispute. It may belong to no payment of the box. */
  dispute?: ReportedDispute;
}

/** The state of a dispute as an event reports it. */
export interface ReportedDispute {
  /** What the provider calls the dispute. */
  reference: string;
  /** What the provider calls the payment: the `reference` of `initiate`. */
  paymentReference: string;
  currency: string;
  /** Minor units in dispute. */
  amount: number;
  /**
   * inquiry: the shopper's bank asks, and takes nothing yet; open: until it is decided; closed: ended without a decision.
   */
  status: (typeof disputeStates)[number];
  /** Minor units that are taken back, or held while the dispute is open. */
  withdrawn: number;
  /** Whether the payment can be refunded meanwhile. */
  isRefundable: boolean;
  /** The provider's code: `fraudulent`. */
  reason: string | null;
  /** Until when staff can respond; null if nothing is expected of them. */
  respondBy: string | null;
  /** When this was the state. */
  reportedAt: string;
}

/** The state of a payment as an event reports it. */
export interface ReportedPayment {
  /** The id the payment was initiated with. */
  id: string;
  /** What the provider calls the payment, and its currency, if the event says so: they must be those of the payment. */
  reference?: string;
  currency?: string;
  state: ProviderState;
}

/**
 * A payment provider. It is called outside a transaction, so that no row lock waits for its network; `db` is for
 * reading its settings. Each call times out after 20 seconds. After a crash any call may be repeated with the same id
 * and must then have no further effect: pass the id to the provider as its idempotency key.
 *
 * An adapter throws `paymentRefused` for a definite refusal. Any other error leaves the outcome open: the step stays
 * pending and is retried.
 */
export interface PaymentAdapter {
  /** Stored with each payment and part of the path of its webhooks; lower case, unique among adapters. */
  readonly name: string;
  /**
   * Money moves outside the box and staff record when it has: only they capture, and a pending payment can be captured.
   */
  readonly byHand?: boolean;
  /** Bound only in boxes whose `PAYMENT_ADAPTERS` names it; others are bound wherever their package is installed. */
  readonly onlyIfNamed?: boolean;
  /** Codes of the methods that shoppers may choose from, in display order. */
  methods(db: TenantDatabase): readonly string[] | Promise<readonly string[]>;
  /**
   * Why the provider cannot move an amount, in a sentence for the shopper; null if it can, as far as is known before.
   * Without this function it moves any amount.
   * @param use `charge`: all of a new payment; `part`: a capture or a refund of part of it
   */
  refusalOf?(amount: MoneyValue, use: 'charge' | 'part'): string | null;
  /**
   * Of what the amounts are multiples that the provider charges in a currency, in minor units: 10 for a provider that takes
   * Kuwaiti dinars in steps of ten fils. A store may round its totals to it. Without this function it is 1.
   */
  stepOf?(currency: string): number;
  /** Creates a payment. It moves no money: the box captures once the order exists. */
  initiate(db: TenantDatabase, intent: PaymentIntent): Promise<InitiatedPayment>;
  /**
   * Looks up a payment's state, before its order is placed and whenever the box has lost track of it; may complete what
   * the shopper has agreed to. A method without authorization may have captured already.
   */
  confirm(db: TenantDatabase, payment: ProviderPayment): Promise<ProviderState>;
  /** Captures all or part of an authorized amount. */
  capture(db: TenantDatabase, step: ProviderStep): Promise<StepOutcome>;
  /** Cancels an authorization, or what has not been captured of it. */
  void(db: TenantDatabase, step: ProviderStep): Promise<StepOutcome>;
  /** Refunds all or part of a captured amount. */
  refund(db: TenantDatabase, step: ProviderStep): Promise<StepOutcome>;
  /**
   * Verifies the signature over the request's bytes, and parses the event.
   * @throws webhook_signature_invalid, webhook_unreadable (400)
   */
  readWebhook(db: TenantDatabase, delivery: WebhookDelivery): Promise<ProviderEvent> | ProviderEvent;
}

const timeoutSeconds = 20;

/**
 * Calls a provider. A timeout, or an error that is not a payment problem, becomes payment_provider_failed (502),
 * without details that could be the provider's secrets.
 */
export async function callProvider<T>(call: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(paymentProviderFailed('The provider did not respond in time.')),
      timeoutSeconds * 1000,
    );
  });
  try {
    return await Promise.race([call(), timeout]);
  } catch (error) {
    if (error instanceof Problem && [paymentRefused.code, paymentProviderFailed.code].includes(error.type.code)) {
      throw error;
    }
    throw paymentProviderFailed();
  } finally {
    clearTimeout(timer);
  }
}

/** True for a definite refusal by a provider. */
export function isRefusal(error: unknown): error is Problem {
  return error instanceof Problem && error.type.code === paymentRefused.code;
}
