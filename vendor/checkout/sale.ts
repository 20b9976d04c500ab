/**
 * A sale becomes an order, in one transaction: what every way of ordering shares, whether a cart, a draft or a renewal
 * is ordered.
 */
import { drawOrderNumber, skipOrderNumber } from '@carton/core';
import { createOrder, findOrder, type Order, type OrderDraft } from '@carton/order';
import { commitTenders, planTenders } from '@carton/payment';
import { isUniqueViolation, newId, runConcurrently, type TenantDatabase } from '@carton/runtime';
import { type DraftToWrite, type Placing, tenderSaleOf } from './placing.ts';
import { refuseUnmet, stepsIn } from './requirements.ts';

/** What is to be ordered, locked and priced in the transaction that places it. */
export interface SaleToPlace extends Omit<Placing, 'orderId' | 'isPreview' | 'customer'> {
  customer: OrderDraft['customer'];
  notes?: string | null;
  /** The order is canceled then if nothing is paid; left out, never. */
  payBy?: Date | null;
  metadata?: OrderDraft['metadata'];
  /** Locks what is locked before stock, and goes with what steps claim. */
  claim?(tx: TenantDatabase): Promise<unknown>;
  /**
   * Looks at it once every requirement is met, and throws to refuse it.
   * @param left what tenders leave to be paid, in minor units
   */
  check?(left: number): void;
  /**
   * Ends what became the order, in the same transaction: after the order's row, before what steps write. What it throws
   * undoes the order.
   */
  complete(tx: TenantDatabase, order: DraftToWrite): Promise<unknown>;
}

/** What there is to order; or the order that it has become while this transaction waited for it. */
export type Prepared = SaleToPlace | { placed: Order };

/**
 * Places an order through the steps of the box (`orderPlacing`). Requirements are asked for, stock and whatever else is
 * scarce is claimed and the number drawn, order and records are written: each of the three travels to PostgreSQL once,
 * as long as no step needs more.
 * @param prepare locks what becomes the order and prices it (`priceCart` with `stock: false`); called again, in another
 *   transaction, when the order's number turns out to be in use
 * @param id of the order to be
 * @throws insufficient_stock (409), what the steps of the box refuse with (`placingProblems` for the routes that call
 *   this), and what `prepare` throws
 */
export async function placeSale(
  db: TenantDatabase,
  prepare: (tx: TenantDatabase) => Promise<Prepared>,
  id = newId(),
): Promise<Order> {
  for (;;) {
    try {
      return await db.transaction(async (tx) => {
        const prepared = await prepare(tx);
        return 'placed' in prepared ? prepared.placed : place(tx, id, prepared);
      });
    } catch (error) {
      // An earlier format of the store's made this number: the sequence goes past it, and the order is placed anew.
      if (db.inTransaction || !isUniqueViolation(error, 'orders_number')) throw error;
      await skipOrderNumber(db);
    }
  }
}

async function place(tx: TenantDatabase, orderId: string, given: SaleToPlace): Promise<Order> {
  const placing: Placing = { ...given, orderId, isPreview: false };
  await refuseUnmet(tx, placing);
  const tenders = await planTenders(tx, tenderSaleOf(placing));
  given.check?.(tenders.left);
  const steps = stepsIn(tx);
  // The number comes last: whoever orders in the same shop waits for it from here on.
  const claimed = await runConcurrently([
    () => given.claim?.(tx),
    ...steps.map((step) => () => step.claim?.(tx, placing)),
    () => drawOrderNumber(tx, given.store),
  ]);
  const draft = draftOf(given, orderId, claimed.at(-1) as string);
  const [order] = await runConcurrently([
    () => createOrder(tx, draft),
    () => given.complete(tx, draft),
    ...steps.map((step) => () => step.write?.(tx, placing, draft)),
  ]);
  if (tenders.parts.length === 0) return order as Order;
  await commitTenders(tx, orderId, tenders);
  return (await findOrder(tx, orderId)) as Order;
}

function draftOf(
  { source, sale, store, shopper, customer, notes, payBy, metadata }: SaleToPlace,
  id: string,
  number: string,
) {
  const { lines, adjustments, totals } = sale;
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
    notes,
    payBy,
    metadata,
  } satisfies DraftToWrite;
}

/** A line as the order keeps it. */
function lineOf({
  id: lineId,
  variant,
  quantity,
  properties,
  unitPrice,
  total,
  ...line
}: Placing['sale']['lines'][number]) {
  const of = { variantId: variant?.id ?? null, productId: variant?.productId ?? null, sku: variant?.sku ?? null };
  const title = 'title' in line ? line.title : (variant?.productTitle as string);
  const amounts = { unitAmount: unitPrice as number, totalAmount: total as number };
  return { id: newId(), lineId, ...of, title, variantTitle: variant?.title ?? null, properties, quantity, ...amounts };
}
