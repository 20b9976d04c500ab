/**
 * Orders that nothing was paid of in time are canceled, as staff would.
 */
import { Problem, type TenantDatabase } from '@carton/runtime';
import { cancelOrder } from './service.ts';

/** Orders of one run; what is left comes with the next. */
const mostAtOnce = 200;

const overdueText = `
  select id from orders
   where tenant_id = $1 and status = 'placed' and payment_status = 'unpaid' and pay_by <= now()
   order by pay_by limit ${mostAtOnce}`;

/**
 * Cancels what is unpaid and past its time. A payment that arrives at the same moment comes before the cancellation,
 * which then is none, or after it, and finds a canceled order. One that cannot be canceled stays for staff.
 */
export async function cancelOverdue(db: TenantDatabase): Promise<void> {
  for (const { id } of await db.query<{ id: string }>(overdueText)) {
    await cancelOrder(db, id, 'Not paid in time', { paymentStatus: 'unpaid' }).catch((error) => {
      if (!(error instanceof Problem)) throw error;
    });
  }
}
