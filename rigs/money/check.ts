/**
 * Checks of a sale and its order: sums agree at every level, and refunds in any order end at what was paid.
 */
import type { Adjustment, TotalsDraft } from '@carton/cart';
import { Random } from '../../tools/seed/random.ts';
import { type Charge, chargesOf } from '../../vendor/order/charges/amounts.ts';
import { leftOf, refundedOf, refundOf, refundOfAmount } from '../../vendor/order/refunds/shares.ts';
import type { OrderRow } from '../../vendor/order/store.ts';

const sumOf = (parts: readonly { amount: number }[]) => parts.reduce((sum, { amount }) => sum + amount, 0);

/** Throws when a promise does not hold. @param what it is, for the report */
export function hold(isKept: boolean, what: () => string): void {
  if (!isKept) throw new Error(what());
}

function equal(what: string, actual: number, expected: number): void {
  hold(Number.isSafeInteger(actual) && actual === expected, () => `${what} is ${actual}, not ${expected}`);
}

/** Totals are the sums of their parts, and nothing falls below zero. */
export function checkTotals({ lines, shipping, adjustments, totals, region }: TotalsDraft): void {
  const ofKind = (kind: Adjustment['kind']) => adjustments.filter((each) => each.kind === kind);
  const taxes = ofKind('tax');
  equal('the subtotal', totals.subtotal, sumOf(lines.map(({ total: amount }) => ({ amount }))));
  equal('the discount', totals.discount, sumOf(ofKind('discount')));
  equal('the shipping', totals.shipping, sumOf(ofKind('shipping')));
  equal('the tax', totals.tax, sumOf(taxes));
  const added = sumOf(taxes.filter(({ included }) => !included));
  equal('the total', totals.total, totals.subtotal + totals.discount + totals.shipping + added + totals.rounding);
  hold(totals.total >= 0, () => `the total is ${totals.total}`);
  hold(
    taxes.every(({ included = false, lineId }) => {
      const ofGoods = region?.taxInclusive;
      return included === (lineId === undefined ? (region?.shippingTaxInclusive ?? ofGoods) : ofGoods);
    }),
    () => 'taxes are included where the region has them on top, or the reverse',
  );
  const targets = [
    ...lines.map(({ id, total, discountedTotal }) => ({
      lineId: id as string | undefined,
      total,
      left: discountedTotal,
    })),
    ...shipping.map(({ code, amount, discountedAmount }) => ({
      shippingCode: code,
      total: amount,
      left: discountedAmount,
    })),
  ];
  for (const { total, left, ...target } of targets) {
    const own = adjustments.filter((each) =>
      'lineId' in target ? each.lineId === target.lineId : each.shippingCode === target.shippingCode,
    );
    const name = JSON.stringify(target);
    equal(`what is left of ${name}`, left, total + sumOf(own.filter(({ kind }) => kind === 'discount')));
    hold(left >= 0, () => `what is left of ${name} is ${left}`);
    const ownTaxes = own.filter(({ kind }) => kind === 'tax');
    hold(
      ownTaxes.every(({ amount }) => amount >= 0),
      () => `a tax of ${name} is below zero`,
    );
    const within = sumOf(ownTaxes.filter(({ included }) => included));
    hold(within <= left, () => `${name} costs ${left} and includes the tax ${within}`);
  }
}

/** The lines and charges of the order's rows cost together what the sale does, with the same tax. */
export function checkCharges(row: OrderRow, { lines, shipping, adjustments, totals }: TotalsDraft): Charge[] {
  const charges = chargesOf(row);
  equal("the sum of the order's charges", sumOf(charges), totals.total);
  equal("the tax of the order's charges", sumOf(charges.map(({ tax: amount }) => ({ amount }))), totals.tax);
  equal('the number of charges', charges.length, lines.length + shipping.length);
  for (const { lineItemId, shippingCode, amount, rounding } of charges) {
    const line = lines.find(({ id }) => id === lineItemId);
    const left = line?.discountedTotal ?? shipping.find(({ code }) => code === shippingCode)?.discountedAmount ?? 0;
    const taxes = adjustments.filter(
      (each) =>
        each.kind === 'tax' && !each.included && (line ? each.lineId === line.id : each.shippingCode === shippingCode),
    );
    equal(`the charge ${lineItemId ?? shippingCode}`, amount - rounding, left + sumOf(taxes));
    hold(amount >= 0, () => `the charge ${lineItemId ?? shippingCode} is ${amount}`);
  }
  return charges;
}

/** What refunds of a scenario were. */
export interface Refunds {
  refunds: number;
  units: number;
  /** Refunds of parts of prices. */
  amounts: number;
  failed: number;
}

/** The most units that are refunded one by one or in small groups. Of larger lines, larger groups are refunded. */
const maxSteps = 60;

/**
 * Refunds all units and charges in random order and groups, and parts of their prices between them. Some refunds fail and are
 * refunded later.
 */
export function checkRefunds(charges: readonly Charge[], seed: number): Refunds {
  const random = new Random(seed ^ 0x5eed);
  const ledger: OrderRow['refundItems'] = [];
  const seen: Refunds = { refunds: 0, units: 0, amounts: 0, failed: 0 };
  const unitsLeft = (charge: Charge) => charge.quantity - refundedOf(ledger, charge).quantity;
  for (;;) {
    // After a refund by amount has failed, there may be an amount left without units.
    const amountLeft = (charge: Charge) => leftOf(charge, refundedOf(ledger, charge)).amount;
    const open = charges.filter((charge) => unitsLeft(charge) > 0 || amountLeft(charge) > 0);
    if (open.length === 0) break;
    const charge = random.pick(open);
    const units = unitsLeft(charge);
    const left = leftOf(charge, refundedOf(ledger, charge));
    const isByAmount = units === 0 || (seen.refunds < maxSteps && left.amount > 1 && random.isTrue(0.2));
    const quantity = isByAmount ? 0 : seen.refunds > maxSteps ? units : random.between(1, Math.min(units, 3));
    const { amount, tax } = isByAmount
      ? refundOfAmount(left, units === 0 ? left.amount : random.between(1, left.amount - 1))
      : refundOf(charge, refundedOf(ledger, charge), quantity);
    hold(amount >= 0 && tax >= 0, () => `a refund of ${amount} has the tax ${tax}`);
    hold(tax <= amount, () => `a refund of ${amount} has the tax ${tax}`);
    const { lineItemId, shippingCode } = charge;
    const entry = { lineItemId, shippingCode, quantity, amount, tax };
    ledger.push(entry);
    hold(sumOf(ledger) <= sumOf(charges), () => `${sumOf(ledger)} of ${sumOf(charges)} was refunded`);
    seen.refunds++;
    seen.units += quantity;
    seen.amounts += Number(isByAmount);
    const failing = ledger.filter((each) => !failures.has(each));
    if (random.isTrue(0.05) && seen.refunds < maxSteps) {
      const failed = random.pick(failing);
      const reversal = { ...failed, quantity: -failed.quantity, amount: -failed.amount, tax: -failed.tax };
      failures.add(failed).add(reversal);
      ledger.push(reversal);
      seen.failed++;
    }
  }
  for (const charge of charges) {
    const refunded = refundedOf(ledger, charge);
    const name = charge.lineItemId ?? charge.shippingCode;
    equal(`the refund of ${name}`, refunded.amount, charge.amount);
    equal(`the refunded tax of ${name}`, refunded.tax, charge.tax);
  }
  return seen;
}

/** Refunds that were reversed, and what reverses them. */
const failures = new WeakSet<OrderRow['refundItems'][number]>();
