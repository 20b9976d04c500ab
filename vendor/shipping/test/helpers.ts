/**
 * Helpers of the shipping tests: articles, zones, options, and carts with their shipping.
 */
import { createForSale } from '@carton/cart/testing';
import { bodyOf, type Caller, type TestTenant } from '@carton/runtime/testing';

let created = 0;

/** Creates a product of one variant with a price in EUR and USD, and stock; returns the variant's id. */
export async function createArticle(
  tenant: TestTenant,
  amount: number,
  { weight = null, shippingProfile = null }: { weight?: number | null; shippingProfile?: string | null } = {},
): Promise<string> {
  const options = { currencies: ['EUR', 'USD'], product: { shippingProfile }, variant: { title: 'One', weight } };
  return (await createForSale(tenant, amount, options)).variantId;
}

export async function createZone({ staff }: TestTenant, name: string, ...places: object[]): Promise<string> {
  return (await bodyOf(staff.post('/admin/shipping-zones', { name, places }))).id;
}

export async function createProfile({ staff }: TestTenant, code: string): Promise<string> {
  return (await bodyOf(staff.post('/admin/shipping-profiles', { code, name: code }))).id;
}

/** @param option by default a flat one of 4.90 EUR */
export async function createOption({ staff }: TestTenant, option: Record<string, unknown> = {}): Promise<string> {
  const code = `option-${++created}`;
  const flat = { code, name: code, type: 'flat', rates: [{ currency: 'EUR', amount: 490 }] };
  return (await bodyOf(staff.post('/admin/shipping-options', { ...flat, ...option }))).id;
}

export const addressIn = (country: string, more: Record<string, unknown> = {}) => ({
  ...{ name: 'Ada', line1: '1 Way', city: 'Town', country },
  ...more,
});

export function shipTo(shopper: Caller, country: string, more: Record<string, unknown> = {}) {
  return bodyOf(shopper.put('/cart/shipping-address', addressIn(country, more)));
}

export function choose(shopper: Caller, optionId: string, pickupLocationId?: string) {
  return bodyOf(shopper.put('/cart/shipping-method', { optionId, pickupLocationId }));
}

interface Offer {
  groups: { profile: string | null; options: { id: string; price: { amount: number } }[] }[];
}

/** The offered options of a cart by profile: their ids and prices. */
export async function offeredTo(shopper: Caller): Promise<Record<string, [id: string, amount: number][]>> {
  const { groups }: Offer = await bodyOf(shopper.get('/cart/shipping-options'));
  return Object.fromEntries(
    groups.map(({ profile, options }) => [
      profile ?? 'default',
      options.map(({ id, price }): [string, number] => [id, price.amount]),
    ]),
  );
}

/** The shipping charge, the tax and the total of a cart or an order. */
export const amountsOf = ({ totals }: { totals: Record<string, { amount: number }> }) =>
  ['shipping', 'tax', 'total'].map((name) => totals[name]?.amount);

/** What is chosen in a cart for the goods of each profile. */
export const shippingOf = ({ shipping }: { shipping: Record<string, unknown>[] }) =>
  shipping.map(({ profile, state, reason }) => [profile, state, reason]);

export const readCart = (shopper: Caller) => bodyOf(shopper.get('/cart'));

/** What a shopper sends to order the cart. */
export const buyer = { customer: { email: 'ada@example.com' } };
