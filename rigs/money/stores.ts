/**
 * Stores of a real box with random taxes, promotions and shipping options, for the rig money.
 */
import { minorUnitDigits } from '@carton/runtime';
import { bodyOf, type TestBox, type TestTenant } from '@carton/runtime/testing';
import type { Random } from '../../tools/seed/random.ts';
import { currencies } from './scenario.ts';

export interface MoneyStore {
  tenant: TestTenant;
  currency: string;
  regionId: string;
  /** Ids of variants for sale. */
  variants: string[];
  /** Codes of promotions. */
  codes: string[];
}

// biome-ignore lint/suspicious/noExplicitAny: the body of any response.
type Body = any;

const categories = ['books', 'food'];
export const address = { name: 'Ada', line1: '1 Way', city: 'Town', country: 'CA', province: 'QC' };

/** Opens a store in the currency of this number. */
export async function openStore(box: TestBox, random: Random, number: number): Promise<MoneyStore> {
  const tenant = await box.openTenant();
  const { staff } = tenant;
  const currency = currencies[number % currencies.length] as string;
  const unit = 10 ** minorUnitDigits(currency);
  const create = (path: string, body: unknown): Promise<Body> => bodyOf(staff.post(path, body));
  const region = { name: 'Region', currency, countries: ['CA'], taxInclusive: random.isTrue(0.5) };
  const { id: regionId } = await create('/admin/regions', region);
  const ids: Record<string, string> = {};
  for (const code of categories) ids[code] = (await create('/admin/tax-categories', { code, name: code })).id;
  await create('/admin/shipping-profiles', { code: 'bulky', name: 'Bulky' });
  const rounding = random.pick(['half_up', 'half_down', 'down']);
  const tax = {
    rounding,
    roundPer: random.pick(['unit', 'line', 'total']),
    shippingCategory: random.pick([null, null, 'books']),
  };
  const seller = { legalName: 'Demo Store SAS', address: 'Lyon' };
  await bodyOf(staff.patch('/admin/store', { ...seller, defaultCurrency: currency, settings: { tax } }));
  for (let at = 0; at < random.between(1, 4); at++) {
    const province = random.pick([null, 'QC']);
    await create('/admin/tax-rates', {
      ...{ code: `tax-${at}`, name: `Tax ${at}`, country: 'CA', province },
      rate: random.pick([0, 5, 7, 9.975, 20]),
      categoryId: ids[random.pick([...categories, ''])] ?? null,
      compound: random.isTrue(0.3),
      override: province !== null && random.isTrue(0.3),
    });
  }
  const amount = (most: number) => random.between(0, most * unit);
  const { items: methods } = await bodyOf(staff.get('/admin/payment-methods'));
  for (const { id } of methods as { id: string }[]) {
    const fees = [{ amount: 1 + amount(9), currency }];
    if (random.isTrue(0.8)) await bodyOf(staff.patch(`/admin/payment-methods/${id}`, { fees }));
  }
  const variants: string[] = [];
  for (let at = 0; at < 6; at++) {
    variants.push(await createArticle(tenant, { currency, amount: amount(80), at, random }));
  }
  const codes: string[] = [];
  for (let at = 0; at < random.between(1, 4); at++) {
    const automatic = random.isTrue(0.6);
    const discount = random.pick([
      { kind: 'percent', percent: random.pick([10, 15, 33.33333, 100]) },
      { kind: 'fixed', amounts: [{ amount: 1 + amount(30), currency }] },
      { kind: 'percent', percent: 50, maxUnits: { count: 2, per: 'order', first: 'dearest' } },
      { kind: 'fixed_per_unit', amounts: [{ amount: 1 + amount(5), currency }] },
      { kind: 'free_shipping' },
      { kind: 'shipping_percent', percent: 50 },
      { kind: 'shipping_fixed', amounts: [{ amount: 1 + amount(5), currency }] },
      { kind: 'buy_x_get_y', buyQuantity: 2, getQuantity: 1, percent: 100, getConditions: null, maxSets: null },
    ]);
    const priority = random.between(0, 2);
    const exclusive = random.isTrue(0.1);
    const { id } = await create('/admin/promotions', {
      label: `Offer ${at}`,
      automatic,
      discount,
      priority,
      exclusive,
    });
    if (automatic) continue;
    await create(`/admin/promotions/${id}/codes`, { codes: [`CODE-${at}`], maxUses: null });
    codes.push(`CODE-${at}`);
  }
  for (const profile of [null, 'bulky']) {
    for (const type of ['flat', 'price', 'weight']) {
      const bound = type === 'price' ? 1 + amount(100) : 2000;
      const first = { currency, to: type === 'flat' ? null : bound, amount: amount(12) };
      await create('/admin/shipping-options', {
        ...{ code: `${type}-${profile ?? 'default'}`, name: type, type, profile },
        rates: type === 'flat' ? [first] : [first, { currency, from: bound, amount: amount(20) }],
        freeFrom: random.isTrue(0.3) ? [{ amount: 1 + amount(100), currency }] : [],
      });
    }
  }
  return { tenant, currency, regionId, variants, codes };
}

interface Article {
  currency: string;
  amount: number;
  at: number;
  random: Random;
}

/** Creates a product of one variant in stock; returns the variant's id. */
async function createArticle({ staff }: TestTenant, { currency, amount, at, random }: Article): Promise<string> {
  const product = {
    ...{ title: `Article ${at}`, status: 'published', variants: [{ title: 'One', weight: random.between(1, 3000) }] },
    taxCategory: random.pick([null, ...categories]),
    shippingProfile: random.pick([null, null, 'bulky']),
  };
  const [{ id }] = (await bodyOf(staff.post('/admin/products', product))).variants;
  await bodyOf(staff.put(`/admin/variants/${id}/prices`, { prices: [{ currency, amount }] }));
  const { items } = await bodyOf(staff.get(`/admin/stock-items?variantId=${id}`));
  const received = { quantity: 1_000_000, reason: 'received' };
  await bodyOf(staff.post(`/admin/stock-items/${items[0].id}/adjustments`, received));
  return id;
}
