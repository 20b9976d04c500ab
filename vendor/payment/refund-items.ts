/**
 * The amount of a step: as requested, all that is left, or what the units to refund cost.
 */
import { planRefund, type RefundPlan } from '@carton/order';
import { invalidField, money, type TenantDatabase } from '@carton/runtime';
import { format } from './format.ts';
import { paymentStepNotPossible } from './problems.ts';
import type { PaymentRow, StepRequest, StepType } from './store.ts';

/**
 * The amount of a step, and the plan of a refund by units. The order must be locked.
 * @param most the largest possible amount, in minor units
 * @throws payment_step_not_possible (409) for more than that or nothing, already_refunded (409), invalid_request (400)
 */
export async function amountOfStep(
  tx: TenantDatabase,
  { orderId, currency }: PaymentRow,
  type: StepType,
  { amount: part, items, shipping }: Pick<StepRequest, 'amount' | 'items' | 'shipping'>,
  most: number,
): Promise<{ amount: number; plan: RefundPlan | null }> {
  if (part && part.currency !== currency) throw invalidField('/amount/currency', `must be ${currency}`);
  const isByUnits = items !== undefined || shipping !== undefined;
  if (isByUnits && part) throw invalidField('/amount', 'cannot be combined with items or shipping');
  const plan = isByUnits ? await planRefund(tx, orderId, { items, shipping }) : null;
  const amount = plan?.amount ?? part?.amount ?? most;
  if (amount <= 0) throw paymentStepNotPossible('There is nothing to refund for this.');
  if (amount > most) {
    const left = `At most ${format(money(most, currency))} is left to ${type}`;
    throw paymentStepNotPossible(
      plan ? `${left} of this payment, and this comes to ${format(money(amount, currency))}.` : `${left}.`,
    );
  }
  return { amount, plan };
}
