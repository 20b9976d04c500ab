/**
 * Helpers of the promotion tests: articles, promotions, codes, and carts with their discounts.
 */
import { type Article, createForSale } from '@carton/cart/testing';
import { bodyOf, type Caller, type TestTenant } from '@carton/runtime/testing';

/** Creates a product of one variant with a price in EUR and stock. */
export const createArticle = (tenant: TestTenant, amount: number): Promise<Article> =>
  createForSale(tenant, amount, { stock: 1_000_000 });

export const percent = (value: number) => ({ kind: 'percent', percent: value });
export const fixed = (amount: number, currency = 'EUR') => ({ kind: 'fixed', amounts: [{ amount, currency }] });
export const freeShipping = { kind: 'free_shipping' };
export const buyGet = (buyQuantity: number, getQuantity: number, more = {}) => ({
  ...{ kind: 'buy_x_get_y', buyQuantity, getQuantity, percent: 100, getConditions: null, maxSets: null },
  ...more,
});
export const ofProducts = (...articles: Article[]) => ({
  fact: 'product',
  argument: { productIds: articles.map(({ productId }) => productId) },
});

/** The rules of a promotion, without those that are not passed. */
export const rules = (some: Record<string, unknown>) => ({
  ...{ conditions: [], appliesTo: 'qualifying', minimumAmounts: [], minimumQuantity: 0 },
  ...{ regionIds: [], membersOnly: false, firstOrder: false },
  ...some,
});

/** Creates a promotion; returns its id. Automatic by default. */
export async function promote({ staff }: TestTenant, promotion: Record<string, unknown>): Promise<string> {
  return (await bodyOf(staff.post('/admin/promotions', { label: 'Offer', automatic: true, ...promotion }))).id;
}

/** Creates a promotion with this code; returns its id. */
export async function promoteByCode(tenant: TestTenant, code: string, promotion: Record<string, unknown>) {
  const { maxUsesOfCode, ...rest } = promotion;
  const id = await promote(tenant, { automatic: false, label: code, ...rest });
  await bodyOf(tenant.staff.post(`/admin/promotions/${id}/codes`, { codes: [code], maxUses: maxUsesOfCode ?? null }));
  return id;
}

/** Ends all promotions of the store. */
export async function endAll({ staff }: TestTenant): Promise<void> {
  for (;;) {
    const { items } = await bodyOf(staff.get('/admin/promotions?limit=100'));
    if (items.length === 0) return;
    for (const { id } of items) await bodyOf(staff.delete(`/admin/promotions/${id}`));
  }
}

interface Shown {
  promotions: { code: string | null; label: string; applied: boolean; amount: { amount: number }; reason: string }[];
  totals: Record<'discount' | 'total', { amount: number }>;
}

/** What a cart shows of promotions: the code or label, and the amount or the reason; and its total. */
export async function shownOf(shopper: Caller): Promise<[shown: [string, number | string][], total: number]> {
  const { promotions, totals }: Shown = await bodyOf(shopper.get('/cart'));
  const shown = promotions.map(({ code, label, applied, amount, reason }): [string, number | string] => [
    code ?? label,
    applied ? amount.amount : reason,
  ]);
  return [shown, totals.total.amount];
}

export const buyer = (email = 'ada@example.com') => ({ customer: { email } });

/** The uses that are counted, and those of orders, by customer: they agree at any time. */
export async function usesOf(
  { db }: Pick<TestTenant, 'db'>,
  promotionId: string,
): Promise<[counted: Record<string, number>, ordered: Record<string, number>]> {
  const read = async (text: string) => {
    const rows = await db.query<{ key: string; uses: number }>(text, [promotionId]);
    return Object.fromEntries(rows.map(({ key, uses }) => [key, uses]));
  };
  return [
    await read('select customer_key as key, uses from promotion_customers where tenant_id = $1 and promotion_id = $2'),
    await read(`select customer_key as key, (count(*) filter (where returned_at is null))::integer as uses
                  from promotion_usages where tenant_id = $1 and promotion_id = $2 group by customer_key`),
  ];
}
