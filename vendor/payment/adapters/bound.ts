/**
 * The payment adapters bound in a box.
 */
import type { HasExtensions } from '@carton/runtime';
import type { PaymentAdapter } from './adapter.ts';
import { paymentsNotConfigured } from './problems.ts';
import { ownAdapters, paymentAdapters, paymentSettings } from './settings.ts';

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

/** Whether the settings of a box name an adapter. */
export function isAdapterNamed(box: HasExtensions, name: string): boolean {
  return paymentSettings.of(box).adapters.includes(name);
}

/** The adapters of a box: those its settings name, then others that need not be named; otherwise the default one. */
export function boundAdapters(box: HasExtensions): readonly PaymentAdapter[] {
  const contributed = paymentAdapters.of(box);
  const named = paymentSettings
    .of(box)
    .adapters.flatMap((name) => [...ownAdapters, ...contributed].find((adapter) => adapter.name === name) ?? []);
  const bound = [...named, ...contributed.filter((adapter) => !adapter.onlyIfNamed && !named.includes(adapter))];
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
