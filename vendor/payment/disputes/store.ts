/**
 * Queries of disputes.
 */
import { type IntegrationPage, money, rows, type TenantDatabase } from '@carton/runtime';
import type { PaymentRow } from '../payments/store.ts';
import { paymentDisputed } from '../problems.ts';
import type { Dispute, DisputeQuery, disputeStates } from './schemas.ts';

export type DisputeStatus = (typeof disputeStates)[number];

/** Amounts are minor units. */
export interface DisputeRow {
  id: string;
  paymentId: string;
  orderId: string;
  reference: string;
  status: DisputeStatus;
  reason: string | null;
  currency: string;
  amount: number;
  /** What is taken back, or held while the dispute is open. */
  withdrawnAmount: number;
  /** Whether the provider refunds the payment meanwhile. */
  refundable: boolean;
  respondBy: string | null;
  reportedAt: string;
  payment: Pick<PaymentRow, 'provider' | 'method'>;
  createdAt: string;
  updatedAt: string;
}

export const disputes = rows<DisputeRow>({
  table: 'payment_disputes',
  noun: 'dispute',
  computed: {
    payment: `
      select json_build_object('provider', provider, 'method', method) from payments
       where payments.tenant_id = payment_disputes.tenant_id and payments.id = payment_disputes.payment_id`,
  },
});

const disputeOf = ({
  currency,
  amount,
  withdrawnAmount,
  refundable: _,
  reportedAt: __,
  payment,
  ...row
}: DisputeRow): Dispute => ({
  ...row,
  ...payment,
  amount: money(amount, currency),
  withdrawn: money(withdrawnAmount, currency),
});

/** @throws not_found (404) */
export async function readDispute(db: TenantDatabase, id: string): Promise<Dispute> {
  return disputeOf(await disputes.require(db, id));
}

export async function listDisputes(db: TenantDatabase, query: DisputeQuery): Promise<IntegrationPage<Dispute>> {
  const page = await disputes.page(db, query);
  return { ...page, items: page.items.map(disputeOf) };
}

/** Whether a locked payment has an open dispute because of which its provider refuses refunds. */
export async function isInDispute(tx: TenantDatabase, { id }: Pick<PaymentRow, 'id'>): Promise<boolean> {
  const found = await tx.query(
    `select from payment_disputes
      where tenant_id = $1 and payment_id = $2 and status in ('inquiry', 'open') and not refundable limit 1`,
    [id],
  );
  return found.length > 0;
}

type Reported = Omit<DisputeRow, 'id' | 'paymentId' | 'orderId' | 'payment' | 'createdAt' | 'updatedAt'>;

const timeOf = (time: string | null) => (time === null ? null : Date.parse(time));

/**
 * Changes a dispute whose payment is locked. A report of the same state is no change: what the provider has refused since it
 * had this state stays refused (`isRefundFailed`).
 */
export async function changeDispute(tx: TenantDatabase, known: DisputeRow, values: Reported): Promise<DisputeRow> {
  const { reportedAt, respondBy, ...others } = values;
  const isSame =
    timeOf(respondBy) === timeOf(known.respondBy) &&
    Object.entries(others).every(([name, value]) => known[name as keyof DisputeRow] === value);
  if (!isSame) return disputes.change(tx, known.id, values);
  await tx.query('update payment_disputes set reported_at = $3 where tenant_id = $1 and id = $2', [
    known.id,
    reportedAt,
  ]);
  return { ...known, reportedAt };
}

/** Whether the box knows a dispute of a payment, open or decided. */
export async function hasDisputes(tx: TenantDatabase, { id: paymentId }: Pick<PaymentRow, 'id'>): Promise<boolean> {
  return (await disputes.findBy(tx, { paymentId })) !== null;
}

/** Whether a dispute of the payment has changed since a step of it was inserted. */
export async function isDisputeChanged(
  tx: TenantDatabase,
  { paymentId, id }: { paymentId: string; id: string },
): Promise<boolean> {
  const found = await tx.query(
    `select from payment_transactions step
       join payment_disputes
         on payment_disputes.tenant_id = $1 and payment_disputes.payment_id = $2
            and payment_disputes.updated_at > step.created_at
      where step.tenant_id = $1 and step.payment_id = $2 and step.id = $3 limit 1`,
    [paymentId, id],
  );
  return found.length > 0;
}

/** Ids of a locked order's payments that have an open dispute because of which their provider refuses refunds. */
export async function paymentsInDispute(tx: TenantDatabase, orderId: string): Promise<ReadonlySet<string>> {
  const found = await tx.query<{ paymentId: string }>(
    `select distinct payment_id from payment_disputes
      where tenant_id = $1 and order_id = $2 and status in ('inquiry', 'open') and not refundable`,
    [orderId],
  );
  return new Set(found.map(({ paymentId }) => paymentId));
}

/** What decided disputes of an order's payments have taken, in minor units. */
export async function lostAmountOf(tx: TenantDatabase, orderId: string): Promise<number> {
  const [row] = await tx.query<{ lost: number }>(
    `select coalesce(sum(withdrawn_amount), 0)::bigint as lost from payment_disputes
      where tenant_id = $1 and order_id = $2 and status not in ('inquiry', 'open')`,
    [orderId],
  );
  return row?.lost ?? 0;
}

/** @throws payment_disputed (409) */
export async function requireNoDispute(tx: TenantDatabase, payment: Pick<PaymentRow, 'id'>): Promise<void> {
  if (await isInDispute(tx, payment)) throw paymentDisputed('Refund it once the dispute is decided.');
}
