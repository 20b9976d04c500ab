/**
 * The payment adapters bound in a box.
 */
import { extensionPoint, type HasExtensions } from '@carton/runtime';
import type { PaymentAdapter } from './adapter.ts';
import { manualAdapter } from './manual.ts';
import { paymentsNotConfigured } from './problems.ts';
import { type AdapterName, paymentSettings } from './settings.ts';
import { stripeAdapter } from './stripe/adapter.ts';

/** Adapters that other packages contribute, in dependency order. */
export const paymentAdapters = extensionPoint<PaymentAdapter>('payment.adapter');

/** The adapters of this package, by the names that `PAYMENT_ADAPTERS` uses. */
const shipped: Record<AdapterName, PaymentAdapter> = { manual: manualAdapter, stripe: stripeAdapter };

/** The default: it offers no method, and every step with it is 503 (contract, "What the service does", 3). */
export const noOperationAdapter: PaymentAdapter = {
  name: 'none',
  methods: () => [],
  initiate: refuse,
  confirm: refuse,
  capture: refuse,
  void: refuse,
  refund: refuse,
  readWebhook: refuse,
};

function refuse(): never {
  throw paymentsNotConfigured();
}

/** The adapters of a box: those its settings name, then contributed ones; otherwise the default one. */
export function boundAdapters(box: HasExtensions): readonly PaymentAdapter[] {
  const named = paymentSettings.of(box).adapters.map((name) => shipped[name]);
  const bound = [...named, ...paymentAdapters.of(box)];
  return bound.length > 0 ? bound : [noOperationAdapter];
}

/** Whether shoppers can pay online: an adapter is bound whose methods are not by hand. */
export function takesPaymentsOnline(box: HasExtensions): boolean {
  return boundAdapters(box).some((adapter) => adapter !== noOperationAdapter && !adapter.byHand);
}

/** @throws payments_not_configured (503) with the default adapter */
export function requireAdapter(box: HasExtensions): void {
  if (boundAdapters(box)[0] === noOperationAdapter) throw paymentsNotConfigured();
}

/** The adapter of a provider, null when there is none; the default one is never returned. */
export function adapterOf(box: HasExtensions, provider: string): PaymentAdapter | null {
  return boundAdapters(box).find((adapter) => adapter.name === provider && adapter !== noOperationAdapter) ?? null;
}
