/**
 * Checks of a payment method that is chosen after the order: the taxes of its fee are such that the order costs what it would
 * have cost with the method from the start.
 */
import type { TotalsDraft } from '@carton/cart';
import { chargedOrderOf } from '../../vendor/order/charges/taxes.ts';
import { orderOf as presentOrder } from '../../vendor/order/present.ts';
import { ratesOf } from '../../vendor/tax/rates/applicable.ts';
import { type StoredOrder, storedRatesOfShipping, taxesAtStoredRates } from '../../vendor/tax/sales/charges.ts';
import { hold } from './check.ts';
import type { Scenario } from './scenario.ts';
import { orderOf, totalsOf } from './totals.ts';

/** @param draft the sale with the method @returns whether it has a fee */
export function checkChosenFee(scenario: Scenario, draft: TotalsDraft): boolean {
  const [fee] = scenario.payment?.fees ?? [];
  if (!fee) return false;
  const included = scenario.shippingTaxInclusive ?? scenario.taxInclusive;
  const { roundPer, rounding, shippingCategory, rates } = scenario;
  const before = totalsOf({ ...scenario, payment: null });
  const unrounded = ({ totals: { total, rounding } }: TotalsDraft) => total - rounding;
  if (unrounded(before) === 0) {
    hold(draft.totals.total === 0, () => `a free order costs ${draft.totals.total} with a method`);
    return false;
  }
  const order: StoredOrder = {
    ...chargedOrderOf(presentOrder(orderOf(before))),
    compound: new Set(rates.flatMap(({ id, compound }) => (compound ? id : []))),
  };
  const stored = storedRatesOfShipping(order);
  const ofCategory =
    shippingCategory === null ? null : stored === undefined ? ratesOf(rates, shippingCategory) : stored;
  const taxes = taxesAtStoredRates(order, fee.amount, { included, roundPer, rounding, ofCategory });
  const tax = taxes.reduce((sum, { amount }) => sum + amount, 0);
  const total = unrounded(before) + fee.amount + (included ? 0 : tax);
  hold(
    taxes.every(({ amount }) => amount >= 0) && (!included || tax <= fee.amount),
    () => `a fee of ${fee.amount} that is chosen later has the taxes ${JSON.stringify(taxes)}`,
  );
  hold(
    before.totals.tax + tax === draft.totals.tax && total === unrounded(draft),
    () =>
      `with a fee that is chosen later the order costs ${total} with a tax of ${before.totals.tax + tax}, at checkout ${draft.totals.total} with ${draft.totals.tax}`,
  );
  return true;
}
