/**
 * Divides the amounts of an order by tax: each line and shipping charge into parts with the same taxes. All of it is
 * computed from what the order stored when it was placed, so that the parts add up to exactly that.
 *
 * A shipping charge that is taxed in proportion to the goods bears taxes of several groups. The order stores only the sum
 * of each tax, so the charge is divided by the function with which the taxes were computed (`partsOfCharge`). Where other
 * rules may have led to the same taxes, the division that explains the stored amounts best is used; the sums are right in
 * both cases. Shipping charges may contain their taxes where the prices of goods do not, and the other way round: a rate is
 * the same one in both.
 */
import { type ChargedRows, type ChargeInParts, chargesOf } from '@carton/order';
import { allocate, hundredPercent, scalePercent } from '@carton/runtime';
import { partsOfCharge, type TaxableGoods } from '@carton/tax';
import type { LinePart, TaxGroup, TaxOfRate } from '../content.ts';

export interface TaxedCharge {
  charge: ChargeInParts;
  parts: LinePart[];
}

/** Divides the charges of an order: its lines, then its shipping charges. */
export function taxedChargesOf(order: ChargedRows): { taxGroups: TaxGroup[]; charges: TaxedCharge[] } {
  const taxGroups: TaxGroup[] = [];
  const positions = new Map<string, number>();
  const positionOf = (taxes: readonly KnownTax[]) => {
    const key = taxes.map((tax) => tax.key).join();
    const known = positions.get(key);
    if (known !== undefined) return known;
    positions.set(key, taxGroups.length);
    return taxGroups.push(taxes.map(({ code, label, rate, included }) => ({ code, label, rate, included }))) - 1;
  };
  const charges = chargesOf(order).map((charge) => ({ charge, taxes: taxesOn(charge, order.taxLines) }));
  const goods = charges.filter(({ charge }) => charge.lineItemId !== null).map(goodsOf);
  return {
    charges: charges.map(({ charge, taxes }) => {
      const shares = charge.lineItemId === null ? divideShipping(charge, taxes, goods) : [undivided(charge, taxes)];
      const parts = partsOf(shares, taxes).map(({ taxes: own, net, amounts }) => ({
        group: positionOf(own),
        net,
        taxes: amounts,
      }));
      return { charge, parts };
    }),
    taxGroups,
  };
}

/** A tax on a charge, with its amount. */
interface KnownTax extends TaxOfRate {
  key: string;
  /** The same whether or not the price contains the tax. */
  rateKey: string;
  /** Of the rate, as far as the order knows it. */
  id: string;
  amount: number;
}

/** The taxes on a charge, in an order that is the same for all charges. */
function taxesOn(charge: ChargeInParts, taxLines: ChargedRows['taxLines']): KnownTax[] {
  const taxes = new Map<string, KnownTax>();
  for (const [at, { code, label, rate, included, source }] of taxLines.entries()) {
    const amount = charge.taxes[at] ?? null;
    if (amount === null) continue;
    const key = JSON.stringify([code, label, rate, included]);
    taxes.set(key, {
      key,
      rateKey: JSON.stringify([code, label, rate]),
      id: source?.type === 'tax_rate' ? source.id : key,
      code,
      label,
      rate,
      included,
      amount: amount + (taxes.get(key)?.amount ?? 0),
    });
  }
  return [...taxes.values()].sort((one, other) => (one.key < other.key ? -1 : 1));
}

/** An amount with the taxes that apply to all of it. */
interface Share {
  amount: number;
  taxes: readonly KnownTax[];
}

const undivided = ({ total, discount }: ChargeInParts, taxes: readonly KnownTax[]): Share => ({
  amount: total + discount,
  taxes,
});

/** A line as the taxes of shipping are divided by it. */
type Goods = TaxableGoods<{ id: string; rate: number; rateKey: string }>;

function goodsOf({ charge, taxes }: { charge: ChargeInParts; taxes: readonly KnownTax[] }): Goods {
  const { total, discount, quantity } = charge;
  const rates = taxes.map(({ id, rate, rateKey }) => ({ id, rate: rate ?? 0, rateKey }));
  return { amount: Math.max(0, total + discount), price: total, quantity, rates };
}

/** As the taxes of shipping were computed, if they were computed by the rates of the goods. */
function divideShipping(charge: ChargeInParts, taxes: readonly KnownTax[], goods: readonly Goods[]): Share[] {
  const whole = [undivided(charge, taxes)];
  const ofGoods = new Set(goods.flatMap(({ rates }) => rates.map(({ rateKey }) => rateKey)));
  const ofCharge = new Set(taxes.map(({ rateKey }) => rateKey));
  const isOnce = ofCharge.size === taxes.length;
  const hasSameTaxes = ofGoods.size === ofCharge.size && taxes.every(({ rateKey }) => ofGoods.has(rateKey));
  if (!isOnce || !hasSameTaxes) return whole;
  // Rates that invoices show alike are one.
  const divided = new Map<string, Share>();
  for (const { amount, rates } of partsOfCharge(charge.total + charge.discount, goods)) {
    const own = taxes.filter(({ rateKey }) => rates.some((rate) => rate.rateKey === rateKey));
    const key = own.map((tax) => tax.key).join();
    divided.set(key, { amount: amount + (divided.get(key)?.amount ?? 0), taxes: own });
  }
  if (divided.size < 2) return whole;
  const shares = [...divided.values()];
  return errorOf(partsOf(shares, taxes)) <= errorOf(partsOf(whole, taxes)) ? shares : whole;
}

interface SharedPart {
  taxes: readonly KnownTax[];
  net: number;
  /** Of each tax. */
  amounts: number[];
}

/** The parts of shares: each tax is divided among the shares that bear it. */
function partsOf(shares: readonly Share[], taxes: readonly KnownTax[]): SharedPart[] {
  const amounts = shares.map((share) => share.taxes.map(() => 0));
  for (const { key, amount } of taxes) {
    const bearers = shares.flatMap((share, at) => {
      const position = share.taxes.findIndex((tax) => tax.key === key);
      return position < 0 ? [] : [{ share, at, position }];
    });
    const divided = allocate(
      amount,
      bearers.map(({ share }) => netWeightOf(share)),
    );
    for (const [index, { at, position }] of bearers.entries()) {
      (amounts[at] as number[])[position] = divided[index] as number;
    }
  }
  return shares.map(({ amount, taxes: own }, at) => {
    const of = amounts[at] as number[];
    const within = own.reduce((sum, { included }, position) => sum + (included ? (of[position] as number) : 0), 0);
    return { taxes: own, net: amount - within, amounts: of };
  });
}

/** The net amount of a share in a common unit, as far as its rates are known. */
function netWeightOf({ amount, taxes }: Share): bigint {
  const within = taxes.reduce((sum, { included, rate }) => sum + (included ? scalePercent(rate ?? 0) : 0n), 0n);
  return (BigInt(Math.max(0, amount)) * hundredPercent * 1_000_000n) / (hundredPercent + within);
}

/** How far the taxes of parts are from their rates, in minor units. */
function errorOf(parts: readonly SharedPart[]): number {
  const expected = new Map<string, number>();
  const actual = new Map<string, number>();
  for (const { taxes, net, amounts } of parts) {
    for (const [at, { key, rate }] of taxes.entries()) {
      if (rate === null) continue;
      expected.set(key, (expected.get(key) ?? 0) + (net * rate) / 100);
      actual.set(key, (actual.get(key) ?? 0) + (amounts[at] as number));
    }
  }
  return [...expected].reduce((sum, [key, amount]) => sum + Math.abs(amount - (actual.get(key) ?? 0)), 0);
}
