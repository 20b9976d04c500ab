/**
 * Queries of disputes.
 */
import { type IntegrationPage, money, rows, type TenantDatabase } from '@carton/runtime';
import type { PaymentRow } from '../payments/store.ts';
import type { disputeStates } from '../schemas.ts';
import type { Dispute, DisputeQuery } from './schemas.ts';

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

/** Stores that a dispute was reported again, which is no change of it (`isDisputeChanged`). */
export async function setReportedAt(tx: TenantDatabase, id: string, reportedAt: string): Promise<void> {
  await tx.query('update payment_disputes set reported_at = $3 where tenant_id = $1 and id = $2', [id, reportedAt]);
}

/** The payment of an order by what its provider calls it; null if there is none. */
export async function findPaymentByReference(
  db: TenantDatabase,
  provider: string,
  reference: string,
): Promise<Pick<PaymentRow, 'id' | 'orderId'> | null> {
  const [payment] = await db.query<Pick<PaymentRow, 'id' | 'orderId'>>(
    `select payments.id, payments.order_id
       from payment_sessions sessions join payments on payments.tenant_id = $1 and payments.id = sessions.id
      where sessions.tenant_id = $1 and sessions.provider = $2 and sessions.reference = $3 limit 1`,
    [provider, reference],
  );
  return payment ?? null;
}
