/**
 * What is for sale, and shoppers who put it into carts, for the tests of all packages that build on carts.
 */
import { bodyOf, type Caller, type TestTenant } from '@carton/runtime/testing';

export { mergeCarts } from '../guests/merging.ts';

export interface Article {
  productId: string;
  variantId: string;
  stockItemId: string;
}

export interface ArticleOptions {
  stock?: number;
  /** In which the amount is the price. */
  currencies?: readonly string[];
  /** More fields of the product, and of its variant. */
  product?: Record<string, unknown>;
  variant?: Record<string, unknown>;
}

let created = 0;

/** Creates a published product of one variant with a price and stock. @param amount in minor units */
export async function createForSale(
  { staff }: Pick<TestTenant, 'staff'>,
  amount: number,
  { stock = 1000, currencies = ['EUR'], product = {}, variant = {} }: ArticleOptions = {},
): Promise<Article> {
  const fields = { title: `Article ${++created}`, status: 'published', variants: [variant], ...product };
  const { id: productId, variants: stored } = await bodyOf(staff.post('/admin/products', fields));
  const variantId: string = stored[0].id;
  const prices = currencies.map((currency) => ({ currency, amount }));
  await bodyOf(staff.put(`/admin/variants/${variantId}/prices`, { prices }));
  const { items } = await bodyOf(staff.get(`/admin/stock-items?variantId=${variantId}`));
  const stockItemId: string = items[0].id;
  const received = { quantity: stock, reason: 'received' };
  if (stock > 0) await bodyOf(staff.post(`/admin/stock-items/${stockItemId}/adjustments`, received));
  return { productId, variantId, stockItemId };
}

/** A shopper with these quantities in the cart. @param items articles, or ids of variants */
export async function shopperWith(
  tenant: Pick<TestTenant, 'shopper'>,
  ...items: [article: string | Pick<Article, 'variantId'>, quantity: number][]
): Promise<Caller> {
  const shopper = tenant.shopper();
  for (const [article, quantity] of items) {
    const variantId = typeof article === 'string' ? article : article.variantId;
    await bodyOf(shopper.post('/cart/items', { variantId, quantity }));
  }
  return shopper;
}
