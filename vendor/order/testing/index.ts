/**
 * Helpers of order tests: a box, orders as a checkout would place them, and table contents.
 */
import { takeStock } from '@carton/inventory';
import { createOrder, type Order, type OrderDraft } from '@carton/order';
import { newId } from '@carton/runtime';
import { createTestBox, type TestBox, type TestTenant } from '@carton/runtime/testing';

export { paymentDueMail } from '../notices/mails.ts';
export { refundOfAmount } from '../refunds/shares.ts';
export { cancelOverdue, remindUnpaid } from '../states/overdue.ts';

const packages = ['core', 'auth', 'tenant', 'product', 'inventory', 'order'].map((name) => `@carton/${name}`);

export function openBox(
  t: { teardown(task: () => Promise<void>): void },
  morePackages: string[] = [],
): Promise<TestBox> {
  return createTestBox(t, { packages: [...packages, ...morePackages] });
}

let lastNumber = 1000;

/** A draft of one order with two lines: 2 × 10.00 and 1 × 5.50. */
export function draftOf(overrides: Partial<OrderDraft> = {}): OrderDraft {
  return {
    number: String(++lastNumber),
    cartId: newId(),
    sessionHash: null,
    memberId: null,
    currency: 'EUR',
    lines: [
      {
        variantId: newId(),
        productId: newId(),
        sku: 'LINEN-M',
        title: 'Linen shirt',
        variantTitle: 'M',
        quantity: 2,
        unitAmount: 1000,
        totalAmount: 2000,
      },
      {
        variantId: newId(),
        productId: newId(),
        sku: null,
        title: 'Socks',
        variantTitle: 'One size',
        quantity: 1,
        unitAmount: 550,
        totalAmount: 550,
      },
    ],
    totals: { subtotal: 2550, discount: 0, shipping: 0, tax: 0, credit: 0, total: 2550 },
    customer: { email: 'ada@example.com' },
    ...overrides,
  };
}

export function place(tenant: TestTenant, overrides: Partial<OrderDraft> = {}): Promise<Order> {
  return tenant.db.transaction((tx) => createOrder(tx, draftOf(overrides)));
}

/** Places an order for a quantity of a new product, of which `onHand` are left once the order has taken its stock. */
export async function placeStocked(
  tenant: TestTenant,
  onHand: number,
  quantity: number,
  overrides: Partial<OrderDraft> = {},
) {
  const product = await tenant.staff.post('/admin/products', {
    title: `Product ${++lastNumber}`,
    status: 'published',
    variants: [{ sku: `SKU-${lastNumber}` }],
  });
  if (product.status !== 201) throw new Error(JSON.stringify(product.body));
  const variantId: string = product.body.variants[0].id;
  const item = (await tenant.staff.get(`/admin/stock-items?variantId=${variantId}`)).body.items[0];
  const path = `/admin/stock-items/${item.id}`;
  await tenant.staff.post(`${path}/adjustments`, { quantity: onHand + quantity, reason: 'received' });
  const line = { variantId, productId: product.body.id as string, sku: null, title: 'Stocked', variantTitle: 'M' };
  const lines = [{ ...line, quantity, unitAmount: 100, totalAmount: 100 * quantity }];
  const order = await place(tenant, { lines, ...overrides });
  await tenant.db.transaction((tx) => takeStock(tx, [{ variantId, quantity }], { type: 'order', id: order.id }));
  return { order, onHand: async (): Promise<number> => (await tenant.staff.get(path)).body.onHand };
}

/** Messages of an order's timeline, newest first. */
export async function timelineOf(tenant: TestTenant, id: string): Promise<string[]> {
  const { body } = await tenant.staff.get(`/admin/orders/${id}/timeline`);
  return body.items.map(({ message }: { message: string }) => message);
}
