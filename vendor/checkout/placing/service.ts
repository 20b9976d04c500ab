/**
 * Places an order for a sale in one transaction: shared by carts, drafts and renewals.
 */
import { type Asker, type DemandQuotes, retryWithQuotes } from '@carton/cart';
import { drawOrderNumber, skipOrderNumber } from '@carton/core';
import { createOrder, findOrder, type Order, type OrderDraft } from '@carton/order';
import { commitTenders, planTenders } from '@carton/payment';
import { isUniqueViolation, newId, runConcurrently, type TenantDatabase } from '@carton/runtime';
import { AllSent, type DraftToWrite, type Placing, tenderSaleOf, type Written } from '../steps.ts';
import { termsOf } from './built-in.ts';
import { rejectUnmet, stepsOfPhase } from './requirements.ts';

/** A sale to order, locked and priced in the transaction that places it. */
export interface SaleToPlace extends Omit<Placing, 'orderId' | 'isPreview' | 'customer'> {
  customer: OrderDraft['customer'];
  notes?: string | null;
  attribution?: OrderDraft['attribution'];
  /** When the order is canceled if still unpaid; if omitted, never. */
  payBy?: Date | null;
  /** Asked after the claims, in place of `payBy`: also until when the order waits for its payment; null to place it now. */
  times?(): Required<Pick<OrderDraft, 'payBy' | 'pendingUntil'>>;
  metadata?: OrderDraft['metadata'];
  /** Takes locks that come before those on stock; pipelined with the claims of the steps. */
  claim?(tx: TenantDatabase): Promise<unknown>;
  /**
   * Called once every requirement is met; throws to reject the order.
   * @param left the amount that tenders leave to pay, in minor units
   */
  check?(left: number): void;
  /**
   * Completes the source of the order in the same transaction: after the order's row, before the steps' writes. An error
   * rolls the order back.
   */
  complete(tx: TenantDatabase, order: DraftToWrite): Written;
}

/** The sale to order, or the order that it became while this transaction waited for its lock. */
export type Prepared = SaleToPlace | { placed: Order };

/**
 * Places an order through the steps of the box (`orderPlacing`) in three phases: check requirements; claim stock and
 * other limited resources and draw the number; write the order and its records. Each phase takes one round trip unless a
 * step needs more.
 * @param prepare locks and prices the source of the order (`priceCart` with `stock: false`); called again in a new
 *   transaction if the order's number is in use, and after a service was asked for a quote that the sale lacks (outside
 *   any transaction; `demandQuotes` is for other sales that it prices)
 * @param id of the new order
 * @param asker the shopper, whose questions to services are counted; null for staff and the box
 * @throws insufficient_stock (409), too_many_requests (429) for an asker, the problems of the box's steps (`placingProblemsIn`, for routes that call this), and
 *   errors of `prepare`
 */
export async function placeSale(
  db: TenantDatabase,
  prepare: (tx: TenantDatabase, demandQuotes: DemandQuotes) => Promise<Prepared>,
  { id = newId(), asker = null }: { id?: string | undefined; asker?: Asker | null } = {},
): Promise<Order> {
  const attempt = (demandQuotes: DemandQuotes) =>
    db.transactionWithLast(async (tx) => {
      const prepared = await prepare(tx, demandQuotes);
      if ('placed' in prepared) return { last: Promise.resolve(prepared.placed) };
      demandQuotes(prepared.sale);
      return place(tx, id, prepared);
    });
  for (;;) {
    try {
      return await retryWithQuotes(db, attempt, asker);
    } catch (error) {
      // A number of an earlier format is in use: skip it and try again.
      if (db.inTransaction || !isUniqueViolation(error, 'orders_number')) throw error;
      await skipOrderNumber(db);
    }
  }
}

/** Returns the order's last statements: sent, where all of them can be, so that they share the commit's round trip. */
async function place(tx: TenantDatabase, orderId: string, toPlace: SaleToPlace): Promise<{ last: Promise<Order> }> {
  const placing: Placing = { ...toPlace, orderId, isPreview: false };
  await rejectUnmet(tx, placing);
  const tenders = await planTenders(tx, tenderSaleOf(placing));
  toPlace.check?.(tenders.left);
  const { claim, write } = stepsOfPhase(tx);
  // The number comes last: from here on, other orders of the tenant wait for the sequence.
  const claimed = await runConcurrently([
    () => toPlace.claim?.(tx),
    ...claim.map((step) => () => step.claim?.(tx, placing)),
    () => drawOrderNumber(tx, toPlace.store),
  ]);
  const draft = draftOf(toPlace, orderId, claimed.at(-1) as string);
  // What staff do is reported after the answers.
  let isAllSent = tx.actor === null && tenders.parts.length === 0;
  const answersOf = (written: Written) => {
    if (written instanceof AllSent) return written.answers;
    if (written !== undefined) isAllSent = false;
    return written;
  };
  const last = runConcurrently([
    () => createOrder(tx, draft),
    () => answersOf(toPlace.complete(tx, draft)),
    ...write.map((step) => () => answersOf(step.write?.(tx, placing, draft))),
  ]).then(([order]) => order as Order);
  if (isAllSent) return { last };
  await last;
  if (tenders.parts.length === 0) return { last };
  await commitTenders(tx, orderId, tenders);
  return { last: findOrder(tx, orderId) as Promise<Order> };
}

function draftOf(
  { source, sale, store, shopper, customer, notes, attribution, termsVersion, payBy, times, metadata }: SaleToPlace,
  id: string,
  number: string,
) {
  const { lines, adjustments, totals, buyerTax } = sale;
  const { currency, regionId, locale, memberId } = sale.sale;
  return {
    id,
    number,
    cartId: source.type === 'cart' ? source.id : null,
    sessionHash: shopper?.hash ?? null,
    memberId: shopper?.memberId ?? memberId,
    currency,
    regionId,
    locale: locale ?? store.defaultLocale,
    lines: lines.map(lineOf),
    adjustments,
    totals,
    customer,
    taxNumberCheck: buyerTax?.check ?? null,
    taxExemption: buyerTax?.exemption ?? null,
    notes,
    attribution,
    termsVersion: termsOf(store) && termsVersion,
    payBy,
    ...times?.(),
    metadata,
  } satisfies DraftToWrite;
}

/** A line as the order stores it. */
function lineOf({
  id: lineId,
  variant,
  quantity,
  properties,
  unitPrice,
  total,
  ...line
}: Placing['sale']['lines'][number]) {
  const sold = { variantId: variant?.id ?? null, productId: variant?.productId ?? null, sku: variant?.sku ?? null };
  const title = 'title' in line ? line.title : (variant?.productTitle as string);
  const amounts = { unitAmount: unitPrice as number, totalAmount: total as number };
  return {
    id: newId(),
    lineId,
    ...sold,
    title,
    variantTitle: variant?.title ?? null,
    properties,
    quantity,
    requiresShipping: variant?.requiresShipping ?? true,
    ...amounts,
  };
}
