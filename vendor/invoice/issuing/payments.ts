/**
 * What was received for an invoice when it is issued: it says so, and asks for the rest only.
 */
import type { Store } from '@carton/core';
import { lockOrder, type OrderState } from '@carton/order';
import { lastReceivedAt } from '@carton/payment';
import type { TenantDatabase } from '@carton/runtime';
import type { InvoiceContent } from '../content.ts';
import { dayIn } from './numbering.ts';

/** The day on which money was last received for an order, in the time zone of the store; null without any. */
export async function lastPaymentDay(tx: TenantDatabase, store: Store, orderId: string): Promise<string | null> {
  const time = await lastReceivedAt(tx, orderId);
  return time === null ? null : dayIn(store, time);
}

/**
 * What was received for an invoice of a locked order, at most its total; null for nothing. Refunds of what was charged do
 * not reduce it: they are credited.
 * @param before minor units of the order that what was received covers first
 */
export async function paidFor(
  tx: TenantDatabase,
  store: Store,
  { orderId, total, before }: { orderId: string; total: number; before: number },
): Promise<NonNullable<InvoiceContent['paid']> | null> {
  const { paidAmount, excessRefundedAmount, disputedAmount } = (await lockOrder(tx, orderId)) as OrderState;
  const amount = Math.min(total, paidAmount - disputedAmount - excessRefundedAmount - before);
  const on = amount > 0 ? await lastPaymentDay(tx, store, orderId) : null;
  return on === null ? null : { amount, on };
}
