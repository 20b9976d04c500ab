/**
 * Queries of refunds. Each is a step of its payment with the same id, which has its status.
 */
import { partsOfRefunds, type RefundPlan } from '@carton/order';
import { type IntegrationPage, money, rows, type TenantDatabase } from '@carton/runtime';
import { type PaymentRow, type StepRow, steps } from '../payments/store.ts';
import type { Refund, RefundQuery } from './schemas.ts';

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

/** The refunds of an order, each with whether it returns the stock of its units: if it is to, and has succeeded. */
export function restocksOfRefunds(db: TenantDatabase, orderId: string): Promise<{ id: string; restocks: boolean }[]> {
  return db.query(
    `select refunds.id, refunds.restock and step.status = 'succeeded' as restocks from refunds
       join payment_transactions step
         on step.tenant_id = $1 and step.payment_id = refunds.payment_id and step.id = refunds.id
      where refunds.tenant_id = $1 and refunds.order_id = $2`,
    [orderId],
  );
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
