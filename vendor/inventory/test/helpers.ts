/**
 * Helpers of the inventory tests: a box, variants with stock, levels and events.
 */
import { createTestBox, type TestBox, type TestTenant } from '@carton/runtime/testing';

const packages = ['core', 'auth', 'tenant', 'product', 'inventory'].map((name) => `@carton/${name}`);

export function openBox(t: { teardown(task: () => Promise<void>): void }): Promise<TestBox> {
  return createTestBox(t, { packages, tier: 'basic' });
}

export interface StockedVariant {
  productId: string;
  variantId: string;
  itemId: string;
  sku: string;
}

let created = 0;

/** Creates a published product with one variant, a quantity on hand and settings of its stock item. */
export async function createStockedVariant(
  tenant: TestTenant,
  onHand: number,
  item: Record<string, unknown> = {},
): Promise<StockedVariant> {
  const sku = `SKU-${++created}`;
  const product = await tenant.staff.post('/admin/products', {
    title: `Product ${created}`,
    status: 'published',
    variants: [{ sku }],
  });
  if (product.status !== 201) throw new Error(JSON.stringify(product.body));
  const variantId = product.body.variants[0].id;
  const itemId = (await tenant.staff.get(`/admin/stock-items?variantId=${variantId}`)).body.items[0].id;
  if (onHand > 0) await adjust(tenant, itemId, { quantity: onHand, reason: 'received' });
  if (Object.keys(item).length > 0) await tenant.staff.patch(`/admin/stock-items/${itemId}`, item);
  return { productId: product.body.id, variantId, itemId, sku };
}

export function adjust(tenant: TestTenant, itemId: string, body: unknown, headers?: Record<string, string>) {
  return tenant.staff.post(`/admin/stock-items/${itemId}/adjustments`, body, { headers });
}

/** On hand and reserved according to the level, and on hand according to the ledger. */
export async function levelOf(tenant: TestTenant, itemId: string) {
  const [level] = await tenant.db.query<{ onHand: number; reserved: number; ledger: number }>(
    `select on_hand, reserved,
            (select coalesce(sum(quantity), 0) from stock_movements
              where tenant_id = $1 and stock_item_id = $2) as ledger
       from stock_levels where tenant_id = $1 and stock_item_id = $2`,
    [itemId],
  );
  return level;
}

export function codeOf(error: unknown): string {
  return (error as { type?: { code?: string } }).type?.code ?? String(error);
}
