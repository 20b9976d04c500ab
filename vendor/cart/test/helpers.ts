/**
 * Helpers of the cart tests: a box, variants for sale, shoppers with carts, and table contents.
 */
import { type Article, createForSale } from '@carton/cart/testing';
import type { ShopperSession, TenantDatabase } from '@carton/runtime';
import {
  type Caller,
  createTestBox,
  sessionHashOf,
  type TestBox,
  type TestBoxOptions,
  type TestTenant,
} from '@carton/runtime/testing';

const packages = ['core', 'auth', 'tenant', 'region', 'product', 'pricing', 'inventory', 'cart'];

export function openBox(
  t: { teardown(task: () => Promise<void>): void },
  options: TestBoxOptions = {},
): Promise<TestBox> {
  return createTestBox(t, { ...options, packages: packages.map((name) => `@carton/${name}`), tier: 'basic' });
}

export interface ForSale extends Article {
  title: string;
  /** Replaces the variant's prices. */
  price(prices: { currency: string; amount: number; regionId?: string }[]): Promise<unknown>;
  /** Adds stock, or removes it if negative. */
  stock(quantity: number): Promise<unknown>;
  /** Changes the stock item. */
  updateStockItem(patch: Record<string, unknown>): Promise<unknown>;
}

let created = 0;

/** Creates a product with one variant, a price in EUR and stock. */
export async function forSale(
  tenant: TestTenant,
  { price = 1000, stock = 100, status = 'published' } = {},
): Promise<ForSale> {
  const title = `Product ${++created}`;
  const variant = { title: 'Only', sku: `SKU-${created}`, weight: 200 };
  const article = await createForSale(tenant, price, { stock, product: { title, status }, variant });
  const path = `/admin/stock-items/${article.stockItemId}`;
  return {
    ...article,
    title,
    price: (prices) => tenant.staff.put(`/admin/variants/${article.variantId}/prices`, { prices }),
    stock: (quantity) =>
      tenant.staff.post(`${path}/adjustments`, { quantity, reason: quantity < 0 ? 'lost' : 'received' }),
    updateStockItem: (patch) => tenant.staff.patch(path, patch),
  };
}

export async function createRegion(tenant: TestTenant, currency: string): Promise<string> {
  const answer = await tenant.staff.post('/admin/regions', { name: `Sells in ${currency}`, currency });
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.body.id;
}

/** The session of a shopper as the box stores it. */
export function sessionOf(shopper: Caller): Pick<ShopperSession, 'hash' | 'memberId'> {
  return { hash: sessionHashOf(shopper), memberId: null };
}

/** Variants and quantities of a cart in a response, in order. */
export function quantitiesOf(cart: { items: { variantId: string; quantity: number }[] }): [string, number][] {
  return cart.items.map(({ variantId, quantity }) => [variantId, quantity]);
}

export async function countRows(tenant: TestTenant, table: 'carts' | 'cart_line_items'): Promise<number> {
  const [row] = await tenant.db.query<{ count: number }>(`select count(*) from ${table} where tenant_id = $1`);
  return row?.count as number;
}

/** Runs work in a transaction that stays open until `finish` is called. */
export async function withOpenTransaction<T>(
  { db }: TestTenant,
  work: (tx: TenantDatabase) => Promise<T>,
): Promise<{ result: T; finish(): Promise<void> }> {
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  let done: Promise<void> = Promise.resolve();
  const result = await new Promise<T>((resolve, reject) => {
    done = db.transaction(async (tx) => {
      resolve(await work(tx));
      await finished;
    });
    done.catch(reject);
  });
  return {
    result,
    finish() {
      finish();
      return done;
    },
  };
}
