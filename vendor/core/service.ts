/**
 * Rules of the store: changing it, and its currencies.
 */
import {
  extensionPoint,
  invalidField,
  publish,
  type StaffCaller,
  type TenantDatabase,
  writtenTaxNumber,
} from '@carton/runtime';
import { storeUpdated } from './events.ts';
import { currencyInUse } from './problems.ts';
import type { ChangeStore, Store } from './schemas.ts';
import { mergedSettings, refuseReserved } from './settings/service.ts';
import { lockStore, updateStore } from './store.ts';

/** What needs currencies of the store, which then cannot be removed from its list. */
export interface CurrencyUse {
  /** In the plural: `regions`. */
  readonly noun: string;
  /** The currencies in use. Called in the transaction of a change, with the store's row locked. */
  list(tx: TenantDatabase): Promise<readonly string[]>;
}
export const currencyUses = extensionPoint<CurrencyUse>('core.currency-uses');

/**
 * Rejects a change of the store whose values refer to rows of another package. Called in its transaction, before the store's
 * row is locked. @throws invalid_request (400)
 */
export type StoreCheck = (tx: TenantDatabase, patch: ChangeStore) => Promise<void>;
export const storeChecks = extensionPoint<StoreCheck>('core.store-checks');

/**
 * Changes the store. `settings` are merged into the stored ones. They are not validated here: the route has validated
 * its body, and other callers must pass valid values. The default currency and language are always in their lists: a
 * new default is added.
 * @param staff for whom settings may be reserved; without one, the change is the box's own
 * @throws invalid_request (400) for an invalid origin, VAT number or region, currency_in_use (409), forbidden (403)
 */
export async function changeStore(db: TenantDatabase, patch: ChangeStore, staff?: StaffCaller): Promise<Store> {
  const allowedOrigins = patch.allowedOrigins && [...new Set(patch.allowedOrigins.map(normalizeOrigin))];
  return db.transaction(async (transaction) => {
    for (const check of storeChecks.of(transaction)) await check(transaction, patch);
    const before = await lockStore(transaction);
    if (staff) refuseReserved(transaction, staff, before, patch);
    const settings = patch.settings && mergedSettings(before.settings, patch.settings);
    const lists = listsOf({ ...before, ...patch });
    if (patch.currencies) await refuseMissing(transaction, lists.currencies);
    // Earlier releases stored any text, which may be sent back.
    const vatNumber =
      patch.vatNumber === before.vatNumber ? undefined : writtenTaxNumber(patch.vatNumber, '/vatNumber');
    const store = await updateStore(transaction, before, { ...patch, ...lists, allowedOrigins, vatNumber, settings });
    const { defaultCurrency, defaultLocale } = store;
    await publish(transaction, storeUpdated, { type: 'store', id: db.tenantId }, { defaultCurrency, defaultLocale });
    return store;
  });
}

type Lists = Pick<Store, 'defaultCurrency' | 'currencies' | 'defaultLocale' | 'locales'>;

function listsOf({ defaultCurrency, currencies, defaultLocale, locales }: Lists) {
  return {
    currencies: [...new Set([defaultCurrency, ...currencies])],
    locales: [...new Set([defaultLocale, ...locales])],
  };
}

/** @throws currency_in_use (409) if a currency in use is not in the list */
async function refuseMissing(tx: TenantDatabase, currencies: readonly string[]): Promise<void> {
  for (const { noun, list } of currencyUses.of(tx)) {
    const missing = [...new Set(await list(tx))].filter((currency) => !currencies.includes(currency));
    if (missing.length > 0) throw currencyInUse(`There are ${noun} in ${missing.join(', ')}.`);
  }
}

/** Adds a currency to those of the store. It cannot be removed until the transaction ends. */
export async function addCurrency(tx: TenantDatabase, currency: string): Promise<void> {
  const { currencies } = await lockStore(tx);
  if (!currencies.includes(currency)) await changeStore(tx, { currencies: [...currencies, currency] });
}

function normalizeOrigin(origin: string, position: number): string {
  if (!URL.canParse(origin)) throw invalidField(`/allowedOrigins/${position}`, 'must be an origin');
  return new URL(origin).origin;
}
