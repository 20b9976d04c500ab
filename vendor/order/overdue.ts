/**
 * Cancels orders that were not paid in time, as staff would.
 */
import { Problem, type TenantDatabase } from '@carton/runtime';
import { cancelOrder } from './service.ts';

/** Maximum number of orders per run; the next run continues. */
const batchSize = 200;

const overdueText = `
  select id from orders
   where tenant_id = $1 and status = 'placed' and payment_status = 'unpaid' and pay_by <= now()
   order by pay_by limit ${batchSize}`;

/**
 * Cancels unpaid orders past their `payBy`. A concurrent payment is recorded either before the cancellation, which then
 * fails, or after it, and finds a canceled order. An order that cannot be canceled is left to staff.
 */
export async function cancelOverdue(db: TenantDatabase): Promise<void> {
  for (const { id } of await db.query<{ id: string }>(overdueText)) {
    await cancelOrder(db, id, 'Not paid in time', { paymentStatus: 'unpaid' }).catch((error) => {
      if (!(error instanceof Problem)) throw error;
    });
  }
}
