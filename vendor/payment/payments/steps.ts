/**
 * Steps of payments as they are stored: begun before a provider is called, and ended after it; and the refunds that belong
 * to them.
 */
import { recordRefund, reverseRefund } from '@carton/order';
import { newId, type TenantDatabase } from '@carton/runtime';
import { insertRefundRow, type NewRefund, type PlannedRefund, touchRefund } from './refund-store.ts';
import { endStep, insertStep, type PaymentRow, type StepRequest, type StepRow, type StepType } from './store.ts';

/** What a step may carry besides its amount. */
interface PendingStep extends Pick<StepRequest, 'reason' | 'restock' | 'externalId' | 'metadata'> {
  id?: string;
  /** Of a refund. */
  plan?: PlannedRefund | null;
  /** Set when the step is claimed already. */
  triedAt?: Date;
}

/** Inserts a step for a provider to perform. */
export async function insertPendingStep(
  tx: TenantDatabase,
  { id: paymentId, orderId, currency }: PaymentRow,
  type: StepType,
  amount: number,
  { id = newId(), plan = null, triedAt, ...details }: PendingStep = {},
): Promise<StepRow> {
  const pending = { id, paymentId, type, amount, status: 'pending', note: details.reason ?? null } as const;
  const step = await insertStep(tx, { ...pending, actorType: 'system', triedAt });
  if (plan) await insertRefund(tx, { id, paymentId, orderId, currency, amount, ...details }, plan);
  return step;
}

/**
 * Finishes a pending step; what a failed refund was for can be refunded again, for which the order must be locked. False if
 * it has finished already.
 */
export function finishStep(
  db: TenantDatabase,
  step: StepRow,
  status: 'succeeded' | 'failed',
  note?: string,
): Promise<boolean> {
  const { id, type } = step;
  return db.transaction(async (tx) => {
    const isEnded = await endStep(tx, step, status, note);
    // A refund shows the status of its step.
    await touchRefund(tx, id);
    if (isEnded && type === 'refund' && status === 'failed') await reverseRefund(tx, id);
    return isEnded;
  });
}

/** Inserts a refund; its order is locked by `lockOrderForRefund`. */
export async function insertRefund(
  tx: TenantDatabase,
  refund: NewRefund,
  { excess, ...plan }: PlannedRefund,
): Promise<void> {
  const { id, orderId, restock = true } = refund;
  const hasUnits = plan.parts.some(({ lineItemId, quantity }) => lineItemId !== null && quantity > 0);
  await insertRefundRow(tx, { ...refund, restock: restock && hasUnits, excessAmount: excess, tax: plan.tax });
  await recordRefund(tx, orderId, id, plan, restock);
}
