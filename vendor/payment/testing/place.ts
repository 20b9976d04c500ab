/**
 * Orders to be paid.
 */
import { createOrder, type Order, type OrderDraft } from '@carton/order';
import { newId } from '@carton/runtime';
import type { TestTenant } from '@carton/runtime/testing';

let placed = 1000;

/** Places an order with one line, as a checkout would. */
export function place(tenant: TestTenant, total: number, over: Partial<OrderDraft> = {}): Promise<Order> {
  const draft: OrderDraft = {
    number: String(++placed),
    cartId: newId(),
    sessionHash: null,
    memberId: null,
    currency: 'EUR',
    lines: [
      {
        variantId: newId(),
        productId: newId(),
        sku: null,
        title: 'Linen shirt',
        variantTitle: 'M',
        quantity: 1,
        unitAmount: total,
        totalAmount: total,
      },
    ],
    totals: { subtotal: total, discount: 0, shipping: 0, tax: 0, credit: 0, total },
    customer: { email: 'ada@example.com' },
    ...over,
  };
  return tenant.db.transaction((tx) => createOrder(tx, draft));
}
