/**
 * Queries of refunds. Each is a step of its payment with the same id, which has its status.
 */
import { partsOfOrder, partsOfRefunds, type RefundPlan, recordRefund } from '@carton/order';
import { type IntegrationPage, json, money, rows, type TenantDatabase } from '@carton/runtime';
import { type PaymentRow, type StepRow, steps } from '../payments/store.ts';
import type { Refund, RefundQuery } from '../schemas.ts';

interface RefundRow {
  id: string;
  paymentId: string;
  orderId: string;
  status: StepRow['status'];
  currency: string;
  amount: number;
  /** The part of `amount` that was received beyond the order's total. */
  excessAmount: number;
  /** The part of `amount` that is tax; null for a refund by amount of an earlier release. */
  tax: number | null;
  payment: Pick<PaymentRow, 'provider' | 'method'>;
  reason: string | null;
  /** Whether the stock of its units is returned, as far as they were not shipped. */
  restock: boolean;
  externalId: string | null;
  metadata: Record<string, unknown>;
  createdAt: string;
  updatedAt: string;
}

type NewRefund = Pick<RefundRow, 'id' | 'paymentId' | 'orderId' | 'currency' | 'amount'> &
  Partial<Pick<RefundRow, 'reason' | 'restock' | 'externalId' | 'metadata'>>;

/** What a refund returns: an excess, and parts of what is charged. */
export interface PlannedRefund extends RefundPlan {
  /** Minor units. */
  excess: number;
}

/** Inserts a refund; its order is locked by `lockOrderForRefund`. */
export async function insertRefund(
  tx: TenantDatabase,
  refund: NewRefund,
  { excess, ...plan }: PlannedRefund,
): Promise<void> {
  const { id, orderId, restock = true, metadata } = refund;
  const values = {
    ...refund,
    restock: restock && plan.parts.some(({ lineItemId, quantity }) => lineItemId !== null && quantity > 0),
    excessAmount: excess,
    tax: plan.tax,
    metadata: metadata && json(metadata),
  };
  await tx.insert('refunds', values);
  await recordRefund(tx, orderId, id, plan, restock);
}

/** The excess of a refund, in minor units. */
export async function excessOfRefund(db: TenantDatabase, id: string): Promise<number> {
  const [refund] = await db.query<{ excessAmount: number }>(
    'select excess_amount from refunds where tenant_id = $1 and id = $2',
    [id],
  );
  return refund?.excessAmount ?? 0;
}

/**
 * True if a refund of this amount for this reason has failed. What was refused before a dispute of the payment changed may
 * have been refused because of it.
 */
export async function isRefundFailed(
  db: TenantDatabase,
  { paymentId, amount, reason }: Pick<RefundRow, 'paymentId' | 'amount' | 'reason'>,
): Promise<boolean> {
  const failed = await db.query(
    `select from refunds
       join payment_transactions step on step.tenant_id = $1 and step.payment_id = $2 and step.id = refunds.id
      where refunds.tenant_id = $1 and refunds.payment_id = $2 and refunds.amount = $3 and refunds.reason = $4
        and step.status = 'failed'
        and not exists (
          select from payment_disputes
           where payment_disputes.tenant_id = $1 and payment_disputes.payment_id = $2
             and payment_disputes.updated_at > step.created_at)
      limit 1`,
    [paymentId, amount, reason],
  );
  return failed.length > 0;
}

/** Refunds with their parts, in one more statement. */
async function withParts(db: TenantDatabase, found: readonly RefundRow[]): Promise<Refund[]> {
  const divided = found.filter(({ tax, amount, excessAmount }) => tax !== null && amount > excessAmount);
  const parts =
    divided.length === 0
      ? []
      : await partsOfRefunds(
          db,
          divided.map(({ id }) => id),
        );
  return found.map(({ currency, amount, excessAmount, tax, payment, ...refund }) => {
    const own = parts.filter(({ refundId }) => refundId === refund.id);
    return {
      ...refund,
      ...payment,
      amount: money(amount, currency),
      excess: money(excessAmount, currency),
      tax: tax === null ? null : money(tax, currency),
      ...dividedParts(own, currency),
    };
  });
}

/** What a refund takes of items and shipping charges, as its response has it. */
export function dividedParts(parts: RefundPlan['parts'], currency: string): Pick<Refund, 'items' | 'shipping'> {
  const all = parts.map(({ lineItemId, shippingCode: code, quantity, amount, tax }) => ({
    ...{ lineItemId, code },
    divided: { quantity, amount: money(amount, currency), tax: money(tax, currency) },
  }));
  return {
    items: all.flatMap(({ lineItemId, divided }) => (lineItemId === null ? [] : [{ lineItemId, ...divided }])),
    shipping: all.flatMap(({ code, divided }) => (code === null ? [] : [{ code, ...divided }])),
  };
}

const refundStatus = `
  select status from payment_transactions step
   where step.tenant_id = refunds.tenant_id and step.payment_id = refunds.payment_id and step.id = refunds.id`;

const refunds = rows<RefundRow>({
  table: 'refunds',
  noun: 'refund',
  computed: {
    status: refundStatus,
    payment: `
      select json_build_object('provider', provider, 'method', method) from payments
       where payments.tenant_id = refunds.tenant_id and payments.id = refunds.payment_id`,
  },
  filters: { status: (listed, status: string) => listed.whereRaw(`(${refundStatus}) = ?`, [status]) },
});

export async function readRefund(db: TenantDatabase, id: string): Promise<Refund> {
  const [refund] = await withParts(db, [await refunds.require(db, id)]);
  return refund as Refund;
}

/**
 * The units of each line whose stock the succeeded refunds of an order return, as far as they were not shipped; and those
 * that were canceled without a refund, whose rows in the order's ledger have no refund of a payment.
 */
export async function unitsToRestock(db: TenantDatabase, orderId: string): Promise<Map<string, number>> {
  const found = await db.query<{ id: string; restocks: boolean }>(
    `select refunds.id, refunds.restock and step.status = 'succeeded' as restocks from refunds
       join payment_transactions step
         on step.tenant_id = $1 and step.payment_id = refunds.payment_id and step.id = refunds.id
      where refunds.tenant_id = $1 and refunds.order_id = $2`,
    [orderId],
  );
  const others = new Set(found.flatMap(({ id, restocks }) => (restocks ? [] : id)));
  const units = new Map<string, number>();
  for (const { refundId, lineItemId, quantity, writtenOffQuantity } of await partsOfOrder(db, orderId)) {
    if (lineItemId === null || others.has(refundId)) continue;
    units.set(lineItemId, (units.get(lineItemId) ?? 0) + quantity - writtenOffQuantity);
  }
  return units;
}

/** At most this many refunds of an order are read. */
const maxRefunds = 10_000;

/** The refunds of an order that have succeeded, oldest first. */
export async function succeededRefunds(db: TenantDatabase, orderId: string): Promise<Refund[]> {
  const found = await withParts(db, await refunds.findAllBy(db, { orderId }, maxRefunds));
  return found.filter(({ status }) => status === 'succeeded').reverse();
}

export async function listRefunds(db: TenantDatabase, query: RefundQuery): Promise<IntegrationPage<Refund>> {
  const { status, limit, cursor, ...others } = query;
  const isByStatusOnly = status !== undefined && Object.values(others).every((value) => value === undefined);
  const page = await (isByStatusOnly ? pageByStatus(db, { status, limit, cursor }) : refunds.page(db, query));
  return { ...page, items: await withParts(db, page.items) };
}

/** Pages through the steps, which have the order of their refunds: both are inserted in one transaction. */
async function pageByStatus(
  db: TenantDatabase,
  place: Pick<RefundQuery, 'status' | 'limit' | 'cursor'>,
): Promise<IntegrationPage<RefundRow>> {
  const page = await steps.page(db, { ...place, ofRefunds: true });
  const ids = page.items.map(({ id }) => id);
  return { ...page, items: await refunds.findInOrder(db, ids) };
}
