/**
 * Helpers of the checkout tests: articles for sale, shoppers with carts, table snapshots, a payment provider.
 */
import { type Article, createForSale } from '@carton/cart/testing';
import { paymentAdapters } from '@carton/payment';
import { TestProvider } from '@carton/payment/testing';
import { eventTypesOf, extendBox, type TestBox, type TestTenant } from '@carton/runtime/testing';

export const buyer = { customer: { email: 'ada@example.com', name: 'Ada Lovelace' } };

/** Creates a published product with one variant, a price in EUR and stock. */
export const createArticle = (tenant: TestTenant, handle: string, amount: number, stock: number): Promise<Article> =>
  createForSale(tenant, amount, { stock, product: { title: handle, handle }, variant: { sku: handle.toUpperCase() } });

/** The contents of the tables that a checkout writes, to compare before and after. */
export async function snapshot(tenant: TestTenant) {
  const { db } = tenant;
  const count = async (table: string) =>
    (await db.query<{ count: number }>(`select count(*) from ${table} where tenant_id = $1`))[0]?.count;
  return {
    orders: await count('orders'),
    // checkout.failed is published although everything else is rolled back; mails are sent at any time.
    events: await eventTypesOf(tenant, { type: /^(?!checkout\.failed$|store\.updated$|notification\.)/ }),
    movements: await count('stock_movements'),
    numbers: await db.query('select * from number_sequences where tenant_id = $1'),
    levels: await db.query('select stock_item_id, on_hand, reserved from stock_levels where tenant_id = $1 order by 1'),
    carts: await db.query('select id, status, order_id from carts where tenant_id = $1 order by 1'),
    lines: await db.query('select id, quantity from cart_line_items where tenant_id = $1 order by 1'),
  };
}

/** Binds a payment provider until the test ends. */
export function bindProvider(box: TestBox, t: { teardown(task: () => void): void }): TestProvider {
  const provider = new TestProvider();
  extendBox(t, box, [paymentAdapters.with(provider)]);
  return provider;
}

/** The text of a page. */
export const textOf = (page: string) =>
  page
    .replace(/<style>[\s\S]*?<\/style>/, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/[\s\u00a0\u202f]+/g, ' ');
