/**
 * Orders whose time passes: shoppers of unpaid ones are reminded, and the orders canceled as staff would; pending ones are listed for the package of their
 * payments, which asks the provider first.
 */
import { Problem, publish, type TenantDatabase } from '@carton/runtime';
import { orderPaymentDue, payloadOf } from '../events.ts';
import { cancelOrder } from '../service.ts';
import type { OrderState } from '../store.ts';

/** Maximum number of orders per run; the next run continues. */
const batchSize = 200;

const overdueText = `
  select id from orders
   where tenant_id = $1 and status = 'placed' and payment_status = 'unpaid' and pay_by <= now()
     and pending_until is null
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

/** Not of orders that had no more than a day. */
const remindText = `
  update orders set pay_reminded_at = now()
   where tenant_id = $1 and id in (
           select id from orders
            where tenant_id = $1 and status = 'placed' and payment_status = 'unpaid' and pending_until is null
              and pay_by > now() and pay_by <= now() + interval '1 day' and pay_by > created_at + interval '1 day'
              and pay_reminded_at is null
            order by pay_by limit ${batchSize} for update skip locked)
  returning *`;

/** Reminds the shoppers of unpaid orders a day before their `payBy`, once. */
export async function remindUnpaid(db: TenantDatabase): Promise<void> {
  await db.transaction(async (tx) => {
    for (const order of await tx.query<OrderState>(remindText)) {
      await publish(tx, orderPaymentDue, { type: 'order', id: order.id }, payloadOf(order));
    }
  });
}

/** Two lists, each by an index of its own: of the orders that may still wait, all would be read otherwise. */
const duePendingText = `
  (select id, true as is_over from orders
    where tenant_id = $1 and status = 'placed' and pending_until is not null and pending_until <= now()
    order by pending_until limit ${batchSize})
  union all
  (select id, false from orders
    where tenant_id = $1 and status = 'placed' and pending_until is not null and pending_until > now()
      and payment_status in ('authorized', 'paid')
    limit ${batchSize})`;

/** A pending order to decide about. */
export interface DuePending {
  id: string;
  /** Its time has passed. Otherwise it has its payment: a release that knows no pending orders has recorded it. */
  isOver: boolean;
}

/** Pending orders to place or to cancel, those that wait longest first. */
export function findDuePending(db: TenantDatabase): Promise<DuePending[]> {
  return db.query<DuePending>(duePendingText);
}
