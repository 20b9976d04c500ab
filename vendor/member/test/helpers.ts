/**
 * Helpers of the tests of members.
 */
import { type Caller, createTestBox, type TestBox, type TestTenant } from '@carton/runtime/testing';

export { forgetAttempts } from '@carton/auth/testing';

type Test = Parameters<typeof createTestBox>[0];

let addresses = 0;

/** An address that no other test uses. */
export function newEmail(name = 'ada'): string {
  addresses += 1;
  return `${name}-${addresses}@mail.example`;
}

/** A box with the packages that members need, and others. */
export function openBox(t: Test, others: readonly string[] = []): Promise<TestBox> {
  const names = ['core', 'auth', 'tenant', 'member', ...others];
  return createTestBox(t, { packages: names.map((name) => `@carton/${name}`), tier: 'basic' });
}

let articles = 0;

/** Creates a product for sale; returns its variant's id. */
export async function createArticle({ staff }: TestTenant, stock = 1000): Promise<string> {
  const product = await staff.post('/admin/products', { title: `Article ${++articles}`, status: 'published' });
  const [{ id }] = product.body.variants;
  await staff.put(`/admin/variants/${id}/prices`, { prices: [{ currency: 'EUR', amount: 1000 }] });
  const { items } = (await staff.get(`/admin/stock-items?variantId=${id}`)).body;
  await staff.post(`/admin/stock-items/${items[0].id}/adjustments`, { quantity: stock, reason: 'received' });
  return id;
}

/** A shopper with these quantities in the cart. */
export async function shopperWith(
  tenant: TestTenant,
  ...items: [variantId: string, quantity: number][]
): Promise<Caller> {
  const shopper = tenant.shopper();
  for (const [variantId, quantity] of items) await shopper.post('/cart/items', { variantId, quantity });
  return shopper;
}

/** The quantities in the cart of a caller, by variant. */
export async function quantitiesOf(caller: Pick<Caller, 'get'>): Promise<Map<string, number>> {
  const { items } = (await caller.get('/cart')).body;
  return new Map(items.map((item: { variantId: string; quantity: number }) => [item.variantId, item.quantity]));
}

export const cartPackages = ['region', 'product', 'pricing', 'inventory', 'cart'];
