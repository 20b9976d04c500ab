/**
 * Payment providers: what an adapter of one is, and how one is called.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { defineProblem, type MoneyValue, Problem, type TenantDatabase } from '@carton/runtime';
import type { nextActions, paymentStates } from './schemas.ts';

/** A payment to be started. */
export interface PaymentIntent {
  /**
   * The payment's id here. The provider keeps it with its own record and names it in its events; a second call with
   * the same id answers what the first has made.
   */
  id: string;
  /** Of the cart that is paid; null when it is an order that is paid later. */
  cartId: string | null;
  /** Of the order that is paid later; null when it is a cart. */
  orderId: string | null;
  /** One of the adapter's methods. */
  method: string;
  amount: MoneyValue;
  /** Of the shopper, when it is known. */
  email: string | null;
}

/** A payment the provider knows of; the shopper or the provider goes on from here. */
export interface InitiatedPayment {
  /** The provider's name for it. */
  reference: string;
  /**
   * What the shopper does next: go to an address, or hand a secret to the script of the provider, which is loaded with
   * the public key. Null: nothing.
   */
  nextAction: { type: (typeof nextActions)[number]; value: string; publicKey?: string } | null;
}

/** A payment as its provider is asked about it. */
export interface ProviderPayment {
  id: string;
  reference: string;
  method: string;
  amount: MoneyValue;
}

/** What a provider says of a payment. The amounts are all there was so far, so that hearing it twice changes nothing. */
export interface ProviderState {
  /** failed: the shopper's last try did; with some providers another may follow under the same payment. */
  status: (typeof paymentStates)[number];
  /** Minor units taken so far. */
  captured: number;
  /** Minor units given back so far. */
  refunded: number;
}

/** A step to be done about a payment. */
export interface ProviderStep {
  /** The step's id here, the same at each try: a second call with it does nothing more. Unique for its type of step. */
  id: string;
  payment: ProviderPayment;
  /** Of a void: what is left to capture. */
  amount: MoneyValue;
}

/**
 * What a step came to. Nothing: it was done as it was asked for. A state: what is true of the payment now, which may
 * be that it was done earlier, or cannot be done any more.
 */
// biome-ignore lint/suspicious/noConfusingVoidType: an adapter that has nothing to add returns nothing.
export type StepOutcome = ProviderState | void;

/** A call-back of a provider, as it came. */
export interface WebhookDelivery {
  headers: IncomingHttpHeaders;
  body: Uint8Array;
}

/** What a provider tells by a call-back. */
export interface ProviderEvent {
  /** The provider's name for it, the same when it is sent again. */
  id: string;
  /** The id that the payment was initiated with, and what became of it; left out when it is of no payment of the box. */
  payment?: { id: string; state: ProviderState };
}

/**
 * A payment provider. It is called with no transaction open, so that no row waits for its network; `db` is for reading
 * its settings. It answers within 20 seconds. Any call may come again with the same id after a crash, and then must not
 * work twice: hand the id to the provider as its idempotency key.
 *
 * A definite no is told by throwing `paymentRefused`. Whatever else is thrown leaves open what the provider did: the
 * step stays pending and is tried again.
 */
export interface PaymentAdapter {
  /** Kept with each payment, and named in the path of its call-backs; unique among adapters, lower case. */
  readonly name: string;
  /** Money moves outside of the box and staff say when it has: what is pending may be captured, and only by them. */
  readonly byHand?: boolean;
  /** Codes of the methods that the shop's shoppers may choose from, in the order to offer them. */
  methods(db: TenantDatabase): readonly string[] | Promise<readonly string[]>;
  /** Starts a payment. It takes no money: the box captures when the order stands. */
  initiate(db: TenantDatabase, intent: PaymentIntent): Promise<InitiatedPayment>;
  /**
   * What has become of a payment, asked as its order is about to be placed and whenever the box has lost track; it may
   * complete what the shopper agreed to. A method that knows no authorization may have captured.
   */
  confirm(db: TenantDatabase, payment: ProviderPayment): Promise<ProviderState>;
  /** Takes money that was authorized, all or part. */
  capture(db: TenantDatabase, step: ProviderStep): Promise<StepOutcome>;
  /** Gives up what was authorized and not captured. */
  void(db: TenantDatabase, step: ProviderStep): Promise<StepOutcome>;
  /** Gives captured money back, all or part. */
  refund(db: TenantDatabase, step: ProviderStep): Promise<StepOutcome>;
  /**
   * Checks the signature of a call-back, over its bytes, and reads it.
   * @throws webhook_signature_invalid, webhook_unreadable (400)
   */
  readWebhook(db: TenantDatabase, delivery: WebhookDelivery): Promise<ProviderEvent> | ProviderEvent;
}

/** Contract, Errors: title and detail are this very message. */
export const paymentsNotConfigured = defineProblem({
  code: 'payments_not_configured',
  status: 503,
  title: 'Payments are not configured in this environment',
});
export const paymentMethodUnknown = defineProblem({
  code: 'payment_method_unknown',
  status: 400,
  title: 'This payment method is not offered',
});
export const paymentRefused = defineProblem({
  code: 'payment_refused',
  status: 409,
  title: 'The payment provider refuses',
});
export const paymentProviderFailed = defineProblem({
  code: 'payment_provider_failed',
  status: 502,
  title: 'The payment provider did not answer as it should',
});
export const webhookSignatureInvalid = defineProblem({
  code: 'webhook_signature_invalid',
  status: 400,
  title: 'The signature is missing or wrong',
});
export const webhookUnreadable = defineProblem({
  code: 'webhook_unreadable',
  status: 400,
  title: 'This is no call-back of the provider, although it is signed',
});

const longestSeconds = 20;

/**
 * Calls a provider. What it throws that is no problem of payments, and silence, is payment_provider_failed (502): the
 * details are the provider's affair and not the caller's.
 */
export async function ask<T>(call: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(paymentProviderFailed('It did not answer in time.')), longestSeconds * 1000);
  });
  try {
    return await Promise.race([call(), silence]);
  } catch (error) {
    if (error instanceof Problem && [paymentRefused.code, paymentProviderFailed.code].includes(error.type.code)) {
      throw error;
    }
    throw paymentProviderFailed();
  } finally {
    clearTimeout(timer);
  }
}

/** True for a definite no of a provider. */
export function isRefusal(error: unknown): error is Problem {
  return error instanceof Problem && error.type.code === paymentRefused.code;
}
