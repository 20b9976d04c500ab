/**
 * Reads and changes the settings of checkout, together with those of the store that checkout obeys.
 */
import { changeStore, findStore, type Store } from '@carton/core';
import type { TenantDatabase } from '@carton/runtime';
import { checkoutSettings } from '../settings.ts';
import type { ChangeCheckoutSettings, CheckoutSettings } from './schemas.ts';

function presentSettings(db: TenantDatabase, store: Store): CheckoutSettings {
  const { guestCheckout, checkoutRequires, updatedAt } = store;
  return { guestCheckout, checkoutRequires, ...checkoutSettings.of(store, db), updatedAt };
}

export async function readSettings(db: TenantDatabase): Promise<CheckoutSettings> {
  return presentSettings(db, await findStore(db));
}

export async function changeSettings(
  db: TenantDatabase,
  { guestCheckout, checkoutRequires, ...checkout }: ChangeCheckoutSettings,
): Promise<CheckoutSettings> {
  const settings = Object.keys(checkout).length > 0 ? { checkout } : undefined;
  return presentSettings(db, await changeStore(db, { guestCheckout, checkoutRequires, settings }));
}
