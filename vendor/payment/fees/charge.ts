/**
 * The step of the totals pipeline that charges the fee of the chosen payment method: a charge of its own beside those of
 * shipping, taxed as they are. It follows the discounts on shipping, so that free shipping leaves it as it is.
 */
import { totalsOrder, totalsStep } from '@carton/cart';
import { feeSource, type NewCharge } from '@carton/order';
import { object } from '@carton/runtime';
import { nameOfMethod } from '../methods/service.ts';
import { findFees, type MethodFees } from '../methods/store.ts';
import { Method } from '../schemas.ts';

interface Choice {
  method: string;
}

const codePrefix = 'payment:';

/** The charge of a method's fee. */
export function chargeOf(method: Omit<MethodFees, 'fees'>, amount: number) {
  const source = { type: feeSource, id: method.id };
  return { code: `${codePrefix}${method.code}`, label: nameOfMethod(method), amount, source };
}

/** The method whose fee a charge is; null for another charge. */
export function methodOfCharge({ code, source }: Pick<NewCharge, 'code' | 'source'>): string | null {
  return source?.type === feeSource && code.startsWith(codePrefix) ? code.slice(codePrefix.length) : null;
}

const name = 'paymentMethod';

export const paymentFeeStep = totalsStep({
  name,
  order: totalsOrder.shippingDiscount + 50,
  choice: object({ method: Method }),
  reads: (db, _, choice: Choice | undefined) => (choice ? findFees(db, choice.method) : Promise.resolve(null)),
  adjust({ sale, totals }, method) {
    const fee = method?.fees.find(({ currency }) => currency === sale.currency);
    // What is free is not paid, by whatever method.
    if (!method || !fee || totals.total <= 0) return [];
    return [{ kind: 'shipping', ...chargeOf(method, fee.amount) }];
  },
});

/** The choice of a payment method in a sale's `choices`. */
export function choiceOfMethod(method: string | undefined): { [name]: Choice } | Record<string, never> {
  return method === undefined ? {} : { [name]: { method } };
}
