/**
 * What was in a sale, so that the rig can report that each kind occurred.
 */
import type { TotalsDraft } from '@carton/cart';
import { minorUnitDigits } from '@carton/runtime';
import type { Scenario } from './scenario.ts';

/** The features of a sale that had an effect on its totals. */
export function featuresOf(
  scenario: Scenario,
  { adjustments, shipping, totals }: TotalsDraft,
): Record<string, boolean> {
  const taxes = adjustments.filter(({ kind, amount }) => kind === 'tax' && amount > 0);
  const discounts = adjustments.filter(({ kind, amount }) => kind === 'discount' && amount < 0);
  const isTaxed = taxes.length > 0;
  const digits = minorUnitDigits(scenario.currency);
  const rateOf = (id: string | undefined) => scenario.rates.find((rate) => rate.id === id);
  const promoted = new Set(discounts.map(({ source }) => source?.id));
  const hasKind = (kind: string) =>
    scenario.promotions.some(({ promotion }) => promotion?.discount.kind === kind && promoted.has(promotion.id));
  const has = (holds: (discount: { kind: string; maxUnits?: object; maxAmounts?: object; base?: string }) => boolean) =>
    scenario.promotions.some(({ promotion }) => promotion && promoted.has(promotion.id) && holds(promotion.discount));
  const charged = scenario.shipping.options.filter(({ code }) => shipping.some((charge) => charge.code === code));
  const isTaxOnShipping = taxes.some(({ shippingCode }) => shippingCode !== undefined);
  return {
    decimals0: digits === 0,
    decimals2: digits === 2,
    decimals3: digits === 3,
    taxesIncluded: isTaxed && scenario.taxInclusive,
    taxesOnTop: isTaxed && !scenario.taxInclusive,
    shippingTaxedOtherwise: new Set(taxes.map(({ included }) => included)).size > 1,
    taxesPerUnit: isTaxed && scenario.roundPer === 'unit',
    taxesPerLine: isTaxed && scenario.roundPer === 'line',
    taxesPerTotal: isTaxed && scenario.roundPer === 'total',
    taxesRoundedDown: isTaxed && scenario.rounding !== 'half_up',
    mixedRates: new Set(taxes.map(({ source }) => source?.id)).size > 1,
    compoundRates: taxes.some(({ source }) => rateOf(source?.id)?.compound),
    overridingRates: taxes.some(({ source }) => rateOf(source?.id)?.override),
    categoryRates: taxes.some(({ source }) => rateOf(source?.id)?.category !== null),
    shippingTaxedProRata: isTaxOnShipping && scenario.shippingCategory === null,
    shippingTaxedByCategory: isTaxOnShipping && scenario.shippingCategory !== null,
    percentOff: hasKind('percent'),
    fixedOff: hasKind('fixed'),
    buyXGetY: hasKind('buy_x_get_y'),
    freeShipping: hasKind('free_shipping'),
    percentOffShipping: hasKind('shipping_percent'),
    fixedOffShipping: hasKind('shipping_fixed'),
    fixedPerUnit: hasKind('fixed_per_unit'),
    fewUnits: has(({ maxUnits }) => maxUnits !== undefined),
    mostOff: has(({ maxAmounts }) => maxAmounts !== undefined),
    sideBySide: has(({ base }) => base === 'price'),
    stackedPromotions: promoted.size > 1,
    flatShipping: charged.some(({ type }) => type === 'flat'),
    tieredShipping: charged.some(({ type }) => type !== 'flat'),
    freeFrom: charged.some(
      ({ code, freeFrom }) => freeFrom.length > 0 && shipping.find((each) => each.code === code)?.amount === 0,
    ),
    twoProfiles: charged.length > 1,
    paymentFee: scenario.payment !== null,
    rounded: totals.rounding !== 0,
    free: totals.total === 0,
  };
}
