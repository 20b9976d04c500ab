/**
 * Changes of the states of orders in the table `orders`, and the orders whose time passes.
 */
import type { TenantDatabase } from '@carton/runtime';
import { type OrderState, stateOfRow } from '../store.ts';

/** Orders that one run of a job reads at most, of each list; the next run continues. */
const batchSize = 200;

/** The payment state of an order: the sums of its payments, in minor units, and the resulting status. */
export type PaymentState = Pick<
  OrderState,
  'paymentStatus' | 'paidAmount' | 'refundedAmount' | 'disputedAmount' | 'excessRefundedAmount'
>;

/**
 * Cancels an order that is placed or pending and unfulfilled. Null, without effect, for another.
 * @param paymentStatus which it must have besides, if any
 */
export async function updateCanceled(
  tx: TenantDatabase,
  id: string,
  paymentStatus: OrderState['paymentStatus'] | undefined,
): Promise<OrderState | null> {
  const now = new Date();
  const [canceled] = await tx.update<OrderState>(
    'orders',
    { id, status: 'placed', fulfillmentStatus: 'unfulfilled', paymentStatus },
    { status: 'canceled', canceledAt: now, updatedAt: now },
  );
  return canceled ?? null;
}

/** Places a locked, pending order. */
export async function updatePlaced(tx: TenantDatabase, id: string): Promise<OrderState> {
  const [placed] = await tx.update<OrderState>('orders', { id }, { pendingUntil: null, updatedAt: new Date() });
  return placed as OrderState;
}

/** Sets the payment state of a locked order; null, without effect, if its status is not as it was locked. */
export async function updatePaymentState(
  tx: TenantDatabase,
  { id, paymentStatus }: Pick<OrderState, 'id' | 'paymentStatus'>,
  state: PaymentState,
): Promise<OrderState | null> {
  const { paidAmount, refundedAmount, disputedAmount, excessRefundedAmount } = state;
  const amounts = { paidAmount, refundedAmount, disputedAmount, excessRefundedAmount };
  const [changed] = await tx.update<OrderState>(
    'orders',
    { id, paymentStatus },
    { paymentStatus: state.paymentStatus, ...amounts, updatedAt: new Date() },
  );
  return changed ? stateOfRow(changed) : null;
}

/** Sets the fulfillment status of a locked order. */
export async function updateFulfillmentStatus(
  tx: TenantDatabase,
  id: string,
  fulfillmentStatus: OrderState['fulfillmentStatus'],
): Promise<OrderState> {
  const [changed] = await tx.update<OrderState>('orders', { id }, { fulfillmentStatus, updatedAt: new Date() });
  return stateOfRow(changed as OrderState);
}

/** Ids of unpaid orders past their `payBy`, those that are due longest first. */
export async function findOverdue(db: TenantDatabase): Promise<string[]> {
  const found = await db.query<{ id: string }>(
    `select id from orders
      where tenant_id = $1 and status = 'placed' and payment_status = 'unpaid' and pay_by <= now()
        and pending_until is null
      order by pay_by limit ${batchSize}`,
  );
  return found.map(({ id }) => id);
}

/**
 * Marks unpaid orders as reminded a day before their `payBy`, once, and returns them. Orders that had no more than a day
 * are none of them.
 */
export function markReminded(tx: TenantDatabase): Promise<OrderState[]> {
  return tx.query<OrderState>(
    `update orders set pay_reminded_at = now()
      where tenant_id = $1 and id in (
              select id from orders
               where tenant_id = $1 and status = 'placed' and payment_status = 'unpaid' and pending_until is null
                 and pay_by > now() and pay_by <= now() + interval '1 day' and pay_by > created_at + interval '1 day'
                 and pay_reminded_at is null
               order by pay_by limit ${batchSize} for update skip locked)
     returning *`,
  );
}

/** A pending order to decide about. */
export interface DuePending {
  id: string;
  /** Its time has passed. Otherwise it has its payment: a release that knows no pending orders has recorded it. */
  isOver: boolean;
}

/**
 * Pending orders to place or to cancel, those that wait longest first. Two lists, each by an index of its own: of the
 * orders that may still wait, all would be read otherwise.
 */
export function findDuePending(db: TenantDatabase): Promise<DuePending[]> {
  return db.query<DuePending>(
    `(select id, true as is_over from orders
       where tenant_id = $1 and status = 'placed' and pending_until is not null and pending_until <= now()
       order by pending_until limit ${batchSize})
     union all
     (select id, false from orders
       where tenant_id = $1 and status = 'placed' and pending_until is not null and pending_until > now()
         and payment_status in ('authorized', 'paid')
       limit ${batchSize})`,
  );
}
