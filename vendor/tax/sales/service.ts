/**
 * Whether sales are taxed at all.
 */
import { findStore } from '@carton/core';
import type { TenantDatabase } from '@carton/runtime';
import { hasRates } from '../rates/store.ts';
import { taxSettings } from '../settings.ts';

/** Whether the store taxes anything, by rates of its own or by a provider. */
export async function taxesSales(db: TenantDatabase): Promise<boolean> {
  return (await hasRates(db)) || taxSettings.of(await findStore(db)).provider !== null;
}
