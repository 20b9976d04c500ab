/**
 * A German store that sells to businesses of other EU countries without tax, with VIES as a process of its own.
 */
import { createForSale, shopperWith } from '@carton/cart/testing';
import { bodyOf, type Caller, createTestBox, type RunningSimulator, type TestBox } from '@carton/runtime/testing';
import { startVies, viesEnvironment } from '@carton/vies/testing';
import type { Test } from 'tap';

export const french = 'FR40303265045';
export const email = 'achats@example.fr';

export interface Store {
  box: TestBox;
  vies: RunningSimulator;
  /** 119.00 EUR, and one that needs no parcel. */
  lamp: string;
  manual: string;
}

export const rateOf = (country: string, rate: number) => ({ code: 'vat', name: 'VAT', country, rate });

/**
 * @param options.taxInclusive whether prices contain tax
 * @param options.environment further settings of the box
 */
export async function openStore(
  t: Test,
  { taxInclusive = false, environment = {} }: { taxInclusive?: boolean; environment?: Record<string, string> } = {},
): Promise<Store> {
  const vies = await startVies();
  t.teardown(() => vies.stop());
  t.beforeEach(() => vies.setMode('ok'));
  const providers = { ...viesEnvironment(vies), TAX_PROVIDER_TIMEOUT: '1000', TAX_PROVIDER_PAUSE: '1' };
  const box = await createTestBox(t, { tier: 'basic', environment: { ...providers, ...environment } });
  const { staff } = box;
  const seller = { legalName: 'Lampen GmbH', address: 'Berlin', vatNumber: 'DE136695976', country: 'DE' };
  await bodyOf(staff.patch('/admin/store', { ...seller, settings: { tax: { reverseCharge: true } } }));
  const countries = ['DE', 'FR', 'AT', 'ES', 'GB', 'CH'];
  await bodyOf(staff.post('/admin/regions', { name: 'Europe', currency: 'EUR', countries, taxInclusive }));
  for (const country of countries)
    await bodyOf(staff.post('/admin/tax-rates', rateOf(country, country === 'DE' ? 19 : 20)));
  const { variantId: lamp } = await createForSale(box, 11_900);
  const { variantId: manual } = await createForSale(box, 11_900, { variant: { requiresShipping: false } });
  return { box, vies, lamp, manual };
}

export const addressIn = (country: string, postalCode = '75002') => ({
  ...{ name: 'Café Crème', line1: '1 Rue de la Paix', city: 'Ville', postalCode, country },
});

interface Priced {
  taxNumber: { status: string } | null;
  adjustments: unknown[];
  issues: string[];
  totals: { tax: { amount: number }; total: { amount: number } };
}

/** A shopper with one article in a cart that goes to an address, and the cart. */
export async function cartFor(
  { box, lamp }: Store,
  taxNumber: string | null,
  { address = addressIn('FR'), items = [lamp] }: { address?: object; items?: string[] } = {},
): Promise<{ shopper: Caller; cart: Priced }> {
  const shopper = await shopperWith(box, ...items.map((item): [string, number] => [item, 1]));
  await bodyOf(shopper.put('/cart/shipping-address', address));
  const cart = await bodyOf(shopper.patch('/cart', { taxNumber }));
  return { shopper, cart };
}

/** Status of the number, tax and total. */
export const outcomeOf = ({ taxNumber, totals }: Priced) => [
  taxNumber?.status ?? null,
  totals.tax.amount,
  totals.total.amount,
];
