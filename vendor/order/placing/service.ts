/**
 * Placing orders.
 */
import { newId, outboxRow, type TenantDatabase } from '@carton/runtime';
import { orderHeld, orderPlaced, payloadOf } from '../events.ts';
import { type Order, orderOf } from '../present.ts';
import { type OrderRow, stateOfRow } from '../store.ts';
import { placedMessage } from '../timeline/types.ts';
import type { OrderDraft } from './drafts.ts';
import { insertOrder } from './store.ts';

/**
 * Creates an order: order, lines, addresses, adjustments, tax lines, the first timeline entry and the event
 * `order.placed` or `order.held`, in one prepared statement. Call it in the transaction that takes the stock, after
 * `drawOrderNumber`. The result is built from the draft, without another read.
 * @throws the unique violation `orders_cart` if the cart has become an order already; impossible if the caller has locked
 *   the cart
 */
export async function createOrder(tx: TenantDatabase, draft: OrderDraft): Promise<Order> {
  const row = rowOf(draft);
  const [event, entry] =
    row.pendingUntil === null
      ? [orderPlaced, { type: 'placed', message: placedMessage }]
      : [orderHeld, { type: 'pending', message: 'Order waits for its payment' }];
  const published = outboxRow(tx, event, { type: 'order', id: row.id }, payloadOf(stateOfRow(row)));
  const createdAt = await insertOrder(tx, row, entry, published);
  const termsAcceptedAt = row.termsVersion === null ? null : createdAt;
  return orderOf({ ...row, createdAt, updatedAt: createdAt, termsAcceptedAt });
}

/** The row of a draft, without its times. */
export function rowOf(draft: OrderDraft): OrderRow {
  const { totals, customer } = draft;
  return {
    id: draft.id ?? newId(),
    number: draft.number,
    cartId: draft.cartId,
    sessionHash: draft.sessionHash,
    memberId: draft.memberId,
    status: 'placed',
    pendingUntil: draft.pendingUntil?.toISOString() ?? null,
    paymentStatus: draft.paymentStatus ?? (totals.total === 0 ? 'paid' : 'unpaid'),
    fulfillmentStatus: 'unfulfilled',
    currency: draft.currency,
    regionId: draft.regionId ?? null,
    locale: draft.locale ?? null,
    payBy: draft.payBy?.toISOString() ?? null,
    subtotalAmount: totals.subtotal,
    discountAmount: totals.discount,
    shippingAmount: totals.shipping,
    taxAmount: totals.tax,
    creditAmount: totals.credit,
    roundingAmount: totals.rounding ?? 0,
    totalAmount: totals.total,
    paidAmount: 0,
    refundedAmount: 0,
    excessRefundedAmount: 0,
    disputedAmount: 0,
    email: customer.email,
    customerName: customer.name ?? null,
    phone: customer.phone ?? null,
    notes: draft.notes ?? null,
    attribution: draft.attribution ?? null,
    termsVersion: draft.termsVersion ?? null,
    termsAcceptedAt: null,
    tags: [],
    externalId: null,
    metadata: draft.metadata ?? {},
    archivedAt: null,
    canceledAt: null,
    createdAt: '',
    updatedAt: '',
    addresses: {
      ...(customer.address != null && { shipping: customer.address }),
      ...(customer.billing != null && { billing: customer.billing }),
    },
    ...partsOf(draft),
    refundItems: [],
  };
}

/** Lines, adjustments and tax lines, each with an id. */
function partsOf({ lines, adjustments = [] }: OrderDraft): Pick<OrderRow, 'lines' | 'adjustments' | 'taxLines'> {
  const itemIds = new Map<string, string>();
  const rows = lines.map(({ lineId, id = newId(), properties = {}, requiresShipping = true, ...line }) => {
    if (lineId !== undefined) itemIds.set(lineId, id);
    return { id, properties, requiresShipping, restockedQuantity: 0, ...line };
  });
  const parts: Pick<OrderRow, 'adjustments' | 'taxLines'> = { adjustments: [], taxLines: [] };
  for (const { kind, code, label, amount, lineId, ...rest } of adjustments) {
    const { shippingCode = null, source = null, included = false, rate = null } = rest;
    const itemId = lineId === undefined ? null : itemIds.get(lineId);
    if (itemId === undefined) throw new Error(`the adjustment ${code} refers to the unknown line ${lineId}`);
    const part = { id: newId(), itemId, shippingCode, code, label, amount, source };
    if (kind === 'tax') parts.taxLines.push({ ...part, rate, included });
    else parts.adjustments.push({ ...part, kind });
  }
  return { lines: rows, ...parts };
}
