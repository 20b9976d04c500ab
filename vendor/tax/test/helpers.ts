/**
 * Helpers of the tax tests: articles, regions, rates, and carts with their taxes.
 */
import { createForSale, shopperWith } from '@carton/cart/testing';
import { bodyOf, type Caller, type TestBox, type TestTenant } from '@carton/runtime/testing';

/** Creates a product of one variant with a price and stock; returns the variant's id. */
export async function createArticle(
  tenant: TestTenant,
  amount: number,
  { taxCategory = null, currency = 'EUR' }: { taxCategory?: string | null; currency?: string } = {},
): Promise<string> {
  return (await createForSale(tenant, amount, { currencies: [currency], product: { taxCategory } })).variantId;
}

export async function createRegion({ staff }: TestTenant, countries: string[], taxInclusive = false): Promise<string> {
  return (await bodyOf(staff.post('/admin/regions', { name: 'Region', currency: 'EUR', countries, taxInclusive }))).id;
}

export type NewRate = Record<string, unknown>;

export async function createRate({ staff }: TestTenant, rate: NewRate): Promise<string> {
  return (await bodyOf(staff.post('/admin/tax-rates', { code: 'vat', name: 'VAT', ...rate }))).id;
}

export async function createCategory({ staff }: TestTenant, code: string): Promise<string> {
  return (await bodyOf(staff.post('/admin/tax-categories', { code, name: code }))).id;
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

/** The sums of the taxes of each line. */
export const taxesOfLines = ({ items }: { items: { tax: { amount: number } }[] }) => items.map(({ tax }) => tax.amount);

/** The taxes of a cart as `code rate amount`, each of all its lines, and its total. */
export function taxesOfCart({ adjustments, totals }: Taxed): [taxes: string[], total: number] {
  const taxes = adjustments.flatMap(({ kind, code, rate, amount }) =>
    kind === 'tax' ? [`${code} ${rate} % ${amount.amount}`] : [],
  );
  return [taxes, totals.total.amount];
}

/** A new store with rates, and shoppers who have an article of 10.00 in their carts. */
export async function openStoreWith(box: TestBox, rates: readonly NewRate[]) {
  const store = await box.openTenant();
  for (const rate of rates) await createRate(store, rate);
  const article = await createArticle(store, 1000);
  return { store, shopper: () => shopperWith(store, [article, 1]) };
}

export type StoreWithRates = Awaited<ReturnType<typeof openStoreWith>>;

/** The taxes of a cart with an address, as `taxesOfCart` has them. @throws Error if its order has another total */
export async function taxedAt(
  { shopper }: Pick<StoreWithRates, 'shopper'>,
  country: string,
  province: string | null,
  postalCode?: string,
): Promise<string[]> {
  const buyer = await shopper();
  const cart = await bodyOf(buyer.put('/cart/shipping-address', { ...addressIn(country, province), postalCode }));
  const { status, body } = await buyer.post('/checkout', { customer: { email: 'ada@example.com' } });
  const [ordered, shown] = [body.totals?.total.amount, cart.totals.total.amount];
  if (status === 201 && ordered !== shown) throw new Error(`the cart shows ${shown}, and the order has ${ordered}`);
  return taxesOfCart(cart)[0];
}
