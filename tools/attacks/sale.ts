/**
 * What attackers want in a store: an order of a guest, with a payment.
 */
import { type Article, createForSale, shopperWith } from '@carton/cart/testing';
import { bodyOf, type Caller, callerOf, type OpenedTenant } from '@carton/runtime/testing';

export interface Sale {
  store: OpenedTenant;
  article: Article;
  /** The guest who placed the order. */
  shopper: Caller;
  email: string;
  // biome-ignore lint/suspicious/noExplicitAny: the body of the answer.
  order: any;
}

/** Opens nothing: sells one unit of a new article in a store. @param details of the checkout, besides the customer */
export async function sellIn(store: OpenedTenant, amount = 2500, details: object = {}): Promise<Sale> {
  const article = await createForSale(store, amount);
  const shopper = await shopperWith(store, [article, 1]);
  const email = `guest@${store.slug}.example`;
  const order = await bodyOf(shopper.post('/checkout', { customer: { email, name: 'Ada Lovelace' }, ...details }));
  return { store, article, shopper, email, order };
}

/** Starts a payment of an order that staff capture later. @returns the id of the payment */
export async function startPayment(caller: Caller, orderId: string, paymentMethod = 'bank_transfer'): Promise<string> {
  return (await bodyOf(caller.post(`/checkout/${orderId}/payment-sessions`, { paymentMethod }))).id;
}

/** An API key of the store with these scopes. @param creator default: the owner */
export async function keyOf(
  store: OpenedTenant,
  url: string,
  scopes: readonly string[],
  { creator = store.staff, ...more }: { creator?: Caller } & Record<string, unknown> = {},
): Promise<Caller & { id: string; key: string }> {
  const { id, key } = await bodyOf(creator.post('/admin/api-keys', { name: 'Key', kind: 'secret', scopes, ...more }));
  return { ...callerOf(url, { ...store.visitor().headers, authorization: `Bearer ${key}` }), id, key };
}
