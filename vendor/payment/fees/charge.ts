/**
 * The step of the totals pipeline that charges the fee of the chosen payment method: a charge of its own beside those of
 * shipping, taxed as they are. It follows the discounts on shipping, so that free shipping leaves it as it is. Once all
 * steps have run, the total is rounded to what the method can be paid with.
 */
import { totalsOrder, totalsStep } from '@carton/cart';
import { feeSource, type NewCharge } from '@carton/order';
import { object, type TenantDatabase } from '@carton/runtime';
import { nameOfMethod } from '../methods/service.ts';
import { findFees, type MethodFees } from '../methods/store.ts';
import { Method } from '../schemas.ts';
import { roundingOf, roundingStep } from './rounding.ts';

interface Choice {
  method: string;
}

const codePrefix = 'payment:';

/** The charge of a method's fee. */
export function chargeOf(method: Pick<MethodFees, 'id' | 'code' | 'name'>, amount: number) {
  const source = { type: feeSource, id: method.id };
  return { code: `${codePrefix}${method.code}`, label: nameOfMethod(method), amount, source };
}

/** The method whose fee a charge is; null for another charge. */
export function methodOfCharge({ code, source }: Pick<NewCharge, 'code' | 'source'>): string | null {
  return source?.type === feeSource && code.startsWith(codePrefix) ? code.slice(codePrefix.length) : null;
}

const name = 'paymentMethod';

/** What the step reads: the chosen method, and of what the total is a multiple. */
interface MethodRead {
  method: MethodFees | null;
  step: number;
}

async function readMethod(db: TenantDatabase, currency: string, choice: Choice | undefined): Promise<MethodRead> {
  const found = choice ? findFees(db, choice.method) : Promise.resolve(null);
  const [method, step] = await Promise.all([
    found,
    found.then((row) => roundingStep(db, currency, choice ? { code: choice.method, provider: row?.provider } : null)),
  ]);
  return { method, step };
}

export const paymentFeeStep = totalsStep({
  name,
  order: totalsOrder.shippingDiscount + 50,
  choice: object({ method: Method }),
  reads: (db, { currency }, choice: Choice | undefined) => readMethod(db, currency, choice),
  adjust({ sale, totals }, { method }) {
    const fee = method?.fees.find(({ currency }) => currency === sale.currency);
    // What is free is not paid, by whatever method.
    if (!method || !fee || totals.total <= 0) return [];
    return [{ kind: 'shipping', ...chargeOf(method, fee.amount) }];
  },
  rounding: ({ totals }, { step }) => roundingOf(totals, step),
});

/** The choice of a payment method in a sale's `choices`. */
export function choiceOfMethod(method: string | undefined): { [name]: Choice } | Record<string, never> {
  return method === undefined ? {} : { [name]: { method } };
}
