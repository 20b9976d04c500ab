/**
 * The taxes of a charge that is added to an order, such as the fee of a payment method that is chosen afterwards: those
 * that the order would have if it had been placed with the charge.
 *
 * Whether shipping is taxed in proportion to the goods or by a category, and how taxes are rounded, is as the store is set
 * now. The rates are those that the order stored: of its goods, or with a category of its shipping charges. With a
 * category, and no shipping charge to derive them from, they are those of its address now. Taxes that a provider has
 * computed are extended in proportion to those of the order's shipping charges or, without any, of its goods.
 */
import { type Sale, saleAddressOf } from '@carton/cart';
import { findStore, type Store } from '@carton/core';
import { type ChargedOrder, type ChargeTaxer, exemptionSource } from '@carton/order';
import { findRegion } from '@carton/region';
import { allocate, divideRounded, type TenantDatabase } from '@carton/runtime';
import { exemptionCode, exemptionLabel } from '../numbers/labels.ts';
import { type ApplicableRate, ratesOf } from '../rates/applicable.ts';
import { findCompound } from '../rates/store.ts';
import { taxSettings } from '../settings.ts';
import { partsOfCharge, type Taxable, type TaxableGoods, type TaxRules, taxesOf } from './compute.ts';
import { taxesWithin } from './exempt-charges.ts';
import { readRatesOfSale } from './step.ts';

type Taxes = Awaited<ReturnType<ChargeTaxer>>['taxes'];
type Settings = ReturnType<typeof taxSettings.of>;
type TaxLine = ChargedOrder['taxLines'][number];

export const taxesOfCharge: ChargeTaxer = async (tx, order, amount) => {
  const store = await findStore(tx);
  const settings = taxSettings.of(store);
  if (order.taxExemption !== null) return { taxes: [], discounts: await discountsOf(tx, order, amount, store) };
  if (order.taxLines.some(({ rate, source }) => rate === null || source?.type !== 'tax_rate')) {
    return { taxes: extendTaxes(order, amount) };
  }
  const ids = order.taxLines.flatMap(({ source }) => source?.id ?? []);
  const known: StoredOrder = { ...order, compound: await findCompound(tx, [...new Set(ids)]) };
  const included = await isTaxInclusive(tx, order);
  const category = settings.provider === null ? settings.shippingCategory : null;
  const ofCategory = category === null ? null : await ratesOfCategory(tx, known, category);
  const { roundPer, rounding } = settings;
  return { taxes: taxesAtStoredRates(known, amount, { included, roundPer, rounding, ofCategory }) };
};

/** What the exemption of an order takes off a charge whose price contains taxes. */
async function discountsOf(tx: TenantDatabase, order: ChargedOrder, amount: number, store: Store) {
  const { taxExemption, locale, shipping } = order;
  if (taxExemption === 'exempt_member') return [];
  const isTaken = shipping.some(({ takenOff }) => takenOff > 0) || (await isTaxInclusive(tx, order));
  if (!isTaken) return [];
  const { rates } = await readRatesOfSale(tx, saleOf(order));
  const { provider, shippingCategory, rounding } = taxSettings.of(store);
  const { defaultLocale } = store;
  const category = provider === null ? (shippingCategory ?? undefined) : undefined;
  const taken = taxesWithin(order, amount, { rates: provider === null ? rates : [], rounding, category });
  if (taken === 0) return [];
  const source = { type: exemptionSource, id: taxExemption as string };
  return [{ code: exemptionCode, label: exemptionLabel([locale, defaultLocale]), amount: -taken, source }];
}

/** An order with the ids of its rates that are compound. */
export interface StoredOrder extends ChargedOrder {
  compound: ReadonlySet<string>;
}

/** Whether the charge contains its taxes: as the order's shipping charges do, else as the region says, else as its goods. */
async function isTaxInclusive(db: TenantDatabase, { regionId, taxLines }: ChargedOrder): Promise<boolean> {
  const ofCharge = taxLines.find(({ itemId, shippingCode }) => itemId === null && shippingCode !== null);
  if (ofCharge) return ofCharge.included;
  const region = regionId === null ? null : await findRegion(db, regionId);
  return region?.shippingTaxInclusive ?? taxLines[0]?.included ?? region?.taxInclusive ?? false;
}

/** The rates that an order has stored for a line or a charge. */
function storedRates({ taxLines, compound }: StoredOrder, isOf: (line: TaxLine) => boolean): ApplicableRate[] {
  return taxLines.filter(isOf).map(({ code, label: name, rate, source }) => {
    const id = source?.id as string;
    const place = { province: null, category: null, override: false };
    return { id, code, name, rate: rate as number, compound: compound.has(id), ...place };
  });
}

const isOnCharge =
  (code: string) =>
  ({ itemId, shippingCode }: TaxLine) =>
    itemId === null && shippingCode === code;

/** The rates of the category of shipping; null if shipping was taxed in proportion to the goods. */
async function ratesOfCategory(
  db: TenantDatabase,
  order: StoredOrder,
  category: string,
): Promise<readonly ApplicableRate[] | null> {
  const stored = storedRatesOfShipping(order);
  if (stored !== undefined) return stored;
  const { rates, isExempt } = await readRatesOfSale(db, saleOf(order));
  return isExempt ? [] : ratesOf(rates, category);
}

/**
 * The rates of an order's shipping charges in a store that taxes shipping by a category; null if they were taxed in
 * proportion to the goods, because the setting was another; undefined if there are none to tell.
 */
export function storedRatesOfShipping(order: StoredOrder): readonly ApplicableRate[] | null | undefined {
  const charge = order.shipping.find(({ amount }) => amount > 0);
  if (!charge) return undefined;
  const stored = order.taxLines.filter(isOnCharge(charge.code));
  const rates = storedRates(order, isOnCharge(charge.code));
  const [whole = []] = taxesOf([{ amount: charge.amount, rates }], {
    included: stored[0]?.included ?? false,
    ...{ roundPer: 'line', rounding: 'half_up' },
  });
  const isWhole = stored.every(({ amount }, at) => Math.abs(amount.amount - (whole[at] ?? 0)) <= 1);
  return isWhole ? rates : null;
}

function saleOf({ currency, regionId, memberId, locale, email, address }: ChargedOrder): Sale {
  const isWritten = address !== null && typeof address === 'object';
  return {
    ...{ cartId: null, choices: {}, currency, regionId, memberId, channelId: null, locale, email },
    shippingAddress: isWritten ? saleAddressOf(address as Record<string, string | null>) : null,
    ...{ billingAddress: null, time: new Date(), lines: [] },
  };
}

interface ChargeRules extends Pick<Settings, 'roundPer' | 'rounding'> {
  included: boolean;
  /** Null to divide shipping charges among the rates of the goods. */
  ofCategory: readonly ApplicableRate[] | null;
}

/** The taxes of a further charge at the rates that an order has stored. */
export function taxesAtStoredRates(
  order: StoredOrder,
  amount: number,
  { included, roundPer, rounding, ofCategory }: ChargeRules,
): Taxes {
  const goods = order.lines.map(({ id, quantity, price, amount: discounted }): TaxableGoods & Taxable => {
    const isOwn = ({ itemId }: TaxLine) => itemId === id;
    const isWithin = order.taxLines.find(isOwn)?.included ?? false;
    return { amount: discounted, price, quantity, rates: storedRates(order, isOwn), included: isWithin };
  });
  const divide = (charge: number) =>
    ofCategory === null ? partsOfCharge(charge, goods) : [{ amount: charge, rates: ofCategory }];
  const parts = divide(amount);
  const others = [...goods, ...order.shipping.flatMap((charge) => divide(charge.amount))];
  const own = sumsByRate(parts, taxesOf(parts, { included, rounding, roundPer: 'line' }));
  const taxes = roundPer === 'total' ? roundedInTotal(order, own, { parts, others, included, rounding }) : own;
  return [...own.keys()].map(({ id, code, name: label, rate }, at) => {
    const source = { type: 'tax_rate', id };
    return { code, label, rate, amount: [...taxes.values()][at] as number, included, source };
  });
}

/** The taxes of amounts by rate, in the order of the rates. */
function sumsByRate(taxables: readonly Taxable[], taxes: readonly number[][]): Map<ApplicableRate, number> {
  const sums = new Map<string, { rate: ApplicableRate; amount: number }>();
  for (const [at, { rates }] of taxables.entries()) {
    for (const [position, rate] of rates.entries()) {
      const amount = (taxes[at]?.[position] ?? 0) + (sums.get(rate.id)?.amount ?? 0);
      sums.set(rate.id, { rate, amount });
    }
  }
  return new Map([...sums.values()].map(({ rate, amount }) => [rate, amount]));
}

/**
 * With taxes that are rounded once for the sale, the charge has what the sum of each tax grows by. If the order's taxes were
 * not rounded so, because the setting was another, the charge's are rounded by themselves.
 */
function roundedInTotal(
  order: StoredOrder,
  own: ReadonlyMap<ApplicableRate, number>,
  { parts, others, ...rules }: { parts: readonly Taxable[]; others: readonly Taxable[] } & Omit<TaxRules, 'roundPer'>,
): ReadonlyMap<ApplicableRate, number> {
  const sumsOf = (taxables: readonly Taxable[]) => {
    const sums = sumsByRate(taxables, taxesOf(taxables, { ...rules, roundPer: 'total' }));
    return new Map([...sums].map(([{ id }, amount]) => [id, amount]));
  };
  const [before, after] = [sumsOf(others), sumsOf([...others, ...parts])];
  const storedOf = (id: string) =>
    order.taxLines.reduce((sum, { source, amount }) => sum + (source?.id === id ? amount.amount : 0), 0);
  const isSo = [...before].every(([id, amount]) => Math.abs(amount - storedOf(id)) <= 1);
  if (!isSo) return own;
  const growth = [...own.keys()].map(({ id }) => (after.get(id) ?? 0) - storedOf(id));
  const most = rules.included ? parts.reduce((sum, part) => sum + part.amount, 0) : Number.MAX_SAFE_INTEGER;
  const total = Math.max(
    0,
    Math.min(
      most,
      growth.reduce((sum, each) => sum + each, 0),
    ),
  );
  const shares = allocate(
    total,
    growth.map((each) => Math.max(0, each)),
  );
  return new Map([...own.keys()].map((rate, at) => [rate, shares[at] as number]));
}

/** Extends the taxes of a provider, whose rates may not be known. */
function extendTaxes({ lines, shipping, taxLines }: ChargedOrder, amount: number): Taxes {
  const charged = shipping.filter((charge) => charge.amount > 0);
  const isOfCharge = charged.length > 0;
  const base = (isOfCharge ? charged : lines).reduce((sum, each) => sum + each.amount, 0);
  const own = taxLines.filter(({ itemId, shippingCode }) =>
    isOfCharge ? charged.some(({ code }) => itemId === null && code === shippingCode) : itemId !== null,
  );
  if (base === 0) return [];
  return [...Map.groupBy(own, ({ code, label, rate }) => JSON.stringify([code, label, rate])).values()].map((group) => {
    const { code, label, rate, included, source } = group[0] as TaxLine;
    const tax = group.reduce((sum, line) => sum + line.amount.amount, 0);
    return { code, label, rate, included, source, amount: divideRounded(BigInt(amount) * BigInt(tax), BigInt(base)) };
  });
}
