/**
 * Payment providers: what an adapter of one is, which is bound in a box, and the first step of every online payment.
 */
import {
  defineProblem,
  extensionPoint,
  type HasExtensions,
  type MoneyValue,
  type TenantDatabase,
} from '@carton/runtime';

/** A payment to be started. */
export interface PaymentIntent {
  /** What it is for: an order that is about to be placed (its id is known by then), or a cart. */
  resource: { type: 'order' | 'cart'; id: string };
  /** One of the adapter's methods. */
  method: string;
  amount: MoneyValue;
  /** Of the shopper, when it is known. */
  email: string | null;
}

/** A payment the provider knows of. No money has moved: the shopper or the provider goes on from here. */
export interface InitiatedPayment {
  /** The provider's name for it. */
  reference: string;
  /** What the shopper does next: go to an address, or hand a secret to the script of the provider. Null: nothing. */
  nextAction: { type: 'redirect' | 'client_secret'; value: string } | null;
}

/**
 * A payment provider. It is called with no transaction open, so that no row waits for its network. A provider that
 * does not answer, or refuses, is told by throwing `paymentProviderFailed`.
 */
export interface PaymentAdapter {
  /** Kept with each payment; unique among adapters. */
  readonly name: string;
  /** Codes of the methods that shoppers may choose from, in the order to offer them. */
  methods(): readonly string[];
  /** Starts a payment without taking money. May be called again for the same resource, when the first order failed. */
  initiate(intent: PaymentIntent): Promise<InitiatedPayment>;
}

/** Adapters: the last contributed (in dependency order) is bound. */
export const paymentAdapters = extensionPoint<PaymentAdapter>('payment.adapter');

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
export const paymentProviderFailed = defineProblem({
  code: 'payment_provider_failed',
  status: 502,
  title: 'The payment provider did not start the payment',
});

/** What `beginPayment` throws, for the routes that call it to declare. */
export const beginPaymentProblems = [paymentsNotConfigured, paymentMethodUnknown, paymentProviderFailed];

/** The default: it offers nothing, and every step with it is 503 (contract, "What the service does", 3). */
export const noOperationAdapter: PaymentAdapter = {
  name: 'none',
  methods: () => [],
  initiate() {
    throw paymentsNotConfigured();
  },
};

export function boundAdapter(box: HasExtensions): PaymentAdapter {
  return paymentAdapters.of(box).at(-1) ?? noOperationAdapter;
}

/** The adapter for a step that needs a provider. @throws payments_not_configured (503) */
export function configuredAdapter(box: HasExtensions): PaymentAdapter {
  const adapter = boundAdapter(box);
  if (adapter === noOperationAdapter) throw paymentsNotConfigured();
  return adapter;
}

/** A payment that was started, with who and what it is. */
export interface BegunPayment extends InitiatedPayment {
  provider: string;
  method: string;
  amount: MoneyValue;
}

/**
 * Starts a payment with the bound adapter. Call it before the transaction of the order begins; in that one,
 * `keepPayment` stores what this answers.
 * @throws payments_not_configured (503) with the default adapter, payment_method_unknown (400),
 *   payment_provider_failed (502)
 */
export async function beginPayment(db: TenantDatabase, intent: PaymentIntent): Promise<BegunPayment> {
  const adapter = configuredAdapter(db);
  const { method, amount } = intent;
  if (!adapter.methods().includes(method)) {
    const detail = `must be one of ${adapter.methods().join(', ')}`;
    throw paymentMethodUnknown(`${method} is not offered.`, {
      errors: [{ in: 'body', pointer: '/paymentMethod', detail }],
    });
  }
  return { provider: adapter.name, method, amount, ...(await adapter.initiate(intent)) };
}
