/**
 * How tenders pay a sale: what each of them takes, and the payments that stand for it.
 */
import { balanceOf, lockOrder, type OrderState } from '@carton/order';
import { money, type TenantDatabase } from '@carton/runtime';
import { paymentCaptured } from '../events.ts';
import { format } from '../format.ts';
import { publishPaymentEvent, refreshPaymentState } from '../payments/bookkeeping.ts';
import { insertPayment } from '../payments/store.ts';
import { paymentExceedsBalance } from '../problems.ts';
import { type TenderPart, type TenderSale, tendersIn } from './tender.ts';

/** How a sale is paid: what tenders pay, in the order in which they are drained, and what is left. */
export interface TenderPlan {
  parts: readonly TenderPart[];
  left: number;
}

/**
 * How a sale would be paid. Nothing is reserved: the order's transaction plans it again.
 * @throws Error naming a tender whose offer is invalid
 */
export async function planTenders(db: TenantDatabase, sale: TenderSale): Promise<TenderPlan> {
  const known = sale.due > 0 ? tendersIn(db) : [];
  const ask = (one: TenantDatabase) => Promise.all(known.map((tender) => tender.plan(one, sale)));
  const offers = known.length > 0 ? await db.pipelined(ask) : [];
  let left = sale.due;
  const parts: TenderPart[] = [];
  for (const [index, { name: tender }] of known.entries()) {
    for (const { reference, label, amount: available } of offers[index] ?? []) {
      const isDuplicate = parts.some((part) => part.tender === tender && part.reference === reference);
      if (isDuplicate || !Number.isSafeInteger(available) || available < 0) {
        throw new Error(`the tender ${tender} offers ${available} of ${reference}${isDuplicate ? ' twice' : ''}`);
      }
      const amount = Math.min(available, left);
      if (amount > 0) parts.push({ tender, reference, label, amount });
      left -= amount;
    }
  }
  return { parts, left };
}

/**
 * Takes what tenders pay and books it on the order, in the transaction that places it, after its row. Parts are taken
 * in the order of tenders and references, so that two orders paid with the same cards cannot deadlock.
 * @throws payment_exceeds_balance (409) for more than is owed, and what the tenders throw
 */
export async function commitTenders(tx: TenantDatabase, orderId: string, { parts }: TenderPlan): Promise<void> {
  if (parts.length === 0) return;
  const order = (await lockOrder(tx, orderId)) as OrderState;
  const { currency } = order;
  const total = parts.reduce((sum, { amount }) => sum + amount, 0);
  const owed = Math.max(0, balanceOf(order));
  if (total > owed) throw paymentExceedsBalance(`${format(money(owed, currency))} is owed.`);
  for (const tender of tendersIn(tx)) {
    const own = parts.filter((part) => part.tender === tender.name);
    for (const { label: _, ...part } of own.toSorted(byReference)) await tender.commit(tx, orderId, part);
  }
  for (const part of parts) await bookPart(tx, order, part);
  await refreshPaymentState(tx, order, `Received ${parts.map((part) => describe(part, currency)).join(', ')}`);
}

function byReference({ reference: one }: TenderPart, { reference: other }: TenderPart): number {
  return one < other ? -1 : 1;
}

function describe({ amount, label }: TenderPart, currency: string): string {
  return `${format(money(amount, currency))} by ${label}`;
}

/** Inserts the payment of a part. */
async function bookPart(
  tx: TenantDatabase,
  { id: orderId, currency }: OrderState,
  { tender, reference, label, amount }: TenderPart,
): Promise<void> {
  const paid = { orderId, provider: tender, method: tender, currency, amount, capturedAmount: amount, reference };
  const payment = await insertPayment(
    tx,
    { ...paid, captureMode: 'automatic', status: 'captured' },
    { type: 'capture', note: label },
  );
  await publishPaymentEvent(tx, paymentCaptured, payment, amount);
}
