/**
 * Helpers of the tax tests: articles, regions, rates, and carts with their taxes.
 */
import { bodyOf, type Caller, type TestTenant } from '@carton/runtime/testing';

let created = 0;

/** Creates a product of one variant with a price in EUR and stock; returns the variant's id. */
export async function createArticle(
  { staff }: TestTenant,
  amount: number,
  { taxCategory = null, currency = 'EUR' }: { taxCategory?: string | null; currency?: string } = {},
): Promise<string> {
  const product = { title: `Article ${++created}`, status: 'published', taxCategory };
  const [{ id }] = (await bodyOf(staff.post('/admin/products', product))).variants;
  await bodyOf(staff.put(`/admin/variants/${id}/prices`, { prices: [{ currency, amount }] }));
  const { items } = await bodyOf(staff.get(`/admin/stock-items?variantId=${id}`));
  const received = { quantity: 1000, reason: 'received' };
  await bodyOf(staff.post(`/admin/stock-items/${items[0].id}/adjustments`, received));
  return id;
}

export async function createRegion({ staff }: TestTenant, countries: string[], taxInclusive = false): Promise<string> {
  return (await bodyOf(staff.post('/admin/regions', { name: 'Region', currency: 'EUR', countries, taxInclusive }))).id;
}

export async function createRate({ staff }: TestTenant, rate: Record<string, unknown>): Promise<string> {
  return (await bodyOf(staff.post('/admin/tax-rates', { code: 'vat', name: 'VAT', ...rate }))).id;
}

export async function createCategory({ staff }: TestTenant, code: string): Promise<string> {
  return (await bodyOf(staff.post('/admin/tax-categories', { code, name: code }))).id;
}

/** A shopper with these quantities in the cart. */
export async function shopperWith(tenant: TestTenant, ...items: [variantId: string, quantity: number][]) {
  const shopper = tenant.shopper();
  for (const [variantId, quantity] of items) await bodyOf(shopper.post('/cart/items', { variantId, quantity }));
  return shopper;
}

export const addressIn = (country: string, province: string | null = null) => ({
  name: 'Ada',
  line1: '1 Way',
  city: 'Town',
  country,
  province,
});

export function shipTo(shopper: Caller, country: string, province: string | null = null) {
  return bodyOf(shopper.put('/cart/shipping-address', addressIn(country, province)));
}

interface Taxed {
  adjustments: { kind: string; code: string; rate: number; amount: { amount: number } }[];
  totals: Record<'subtotal' | 'tax' | 'total', { amount: number }>;
}

/** The taxes of a cart as `code rate amount`, and its total. */
export function taxesOfCart({ adjustments, totals }: Taxed): [taxes: string[], total: number] {
  const taxes = adjustments.flatMap(({ kind, code, rate, amount }) =>
    kind === 'tax' ? [`${code} ${rate} % ${amount.amount}`] : [],
  );
  return [taxes, totals.total.amount];
}
