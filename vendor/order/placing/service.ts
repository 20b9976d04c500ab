/**
 * Creates an order with all its rows in one statement and one round trip.
 */
import { actorColumns, actorValues, insertEvent, newId, outboxRow, type TenantDatabase } from '@carton/runtime';
import { orderPending, orderPlaced, payloadOf } from '../events.ts';
import { type Order, orderOf } from '../present.ts';
import type { AdjustmentKind, OrderAddress, OrderAttribution, PaymentStatus } from '../schemas.ts';
import { wordsText } from '../search/words-store.ts';
import { type OrderLineRow, type OrderRow, stateOfRow } from '../store.ts';

export interface OrderLineDraft
  extends Omit<OrderLineRow, 'id' | 'properties' | 'requiresShipping' | 'restockedQuantity'> {
  /** Default: a new id. */
  id?: string;
  properties?: OrderLineRow['properties'];
  /** Default: true. */
  requiresShipping?: boolean;
  /** The caller's id of the line, referred to by adjustments. */
  lineId?: string;
}

/** An adjustment as in a cart. A tax becomes a tax line. */
export interface OrderAdjustmentDraft {
  kind: AdjustmentKind | 'tax';
  code: string;
  label: string;
  /** Zero or above for shipping and tax, zero or below for discount and credit. */
  amount: number;
  /** `lineId` of the line it applies to; omitted for the entire order. */
  lineId?: string;
  /** For a discount or a tax: `code` of the shipping charge it applies to. */
  shippingCode?: string;
  /** Where it comes from: `{ type: 'promotion', id: … }`, `{ type: 'tax_rate', id: … }`. */
  source?: { type: string; id: string };
  /** The prices already contain this tax. */
  included?: boolean;
  /** For a tax at a single rate: per cent. */
  rate?: number;
}

/** An order to create. Amounts are minor units of `currency`, up to Number.MAX_SAFE_INTEGER; the caller computes totals. */
export interface OrderDraft {
  /** Default: a new id. */
  id?: string;
  number: string;
  /** The cart that becomes the order (at most one); null without a cart. */
  cartId: string | null;
  /** `session.hash` and `session.memberId` of the shopper who placed the order; both null for staff. */
  sessionHash: string | null;
  memberId: string | null;
  currency: string;
  regionId?: string | null;
  /** BCP 47: the language in which the shopper ordered. */
  locale?: string | null;
  /** When the order is canceled if still unpaid; if omitted, never. */
  payBy?: Date | null;
  /** Until when the order waits for its payment, which places it; if omitted, it is placed now. */
  pendingUntil?: Date | null;
  lines: readonly OrderLineDraft[];
  adjustments?: readonly OrderAdjustmentDraft[];
  /** As in the totals of a cart: discount and credit are zero or below. */
  totals: { subtotal: number; discount: number; shipping: number; tax: number; credit: number; total: number };
  customer: {
    email: string;
    name?: string | null;
    phone?: string | null;
    address?: OrderAddress | null;
    billing?: OrderAddress | null;
  };
  notes?: string | null;
  /** How the shopper came to the store. */
  attribution?: OrderAttribution | null;
  /** The version of the store's terms that the shopper accepts with the order. */
  termsVersion?: string | null;
  metadata?: Record<string, unknown>;
  /** Default: `unpaid`, or `paid` if the total is zero. */
  paymentStatus?: PaymentStatus;
}

/** Inserts discounts, shipping and taxes, if the order has any. */
const insertDetails = `
  adjustments as (
    insert into order_adjustments (tenant_id, order_id, id, line_item_id, shipping_code, kind, code, label, amount,
                                   source_type, source_id)
    select $1, $2, part.id, part."itemId", part."shippingCode", part.kind, part.code, part.label, part.amount,
           part.source ->> 'type', part.source ->> 'id'
      from jsonb_to_recordset($34::jsonb)
           as part (id uuid, "itemId" uuid, "shippingCode" text, kind text, code text, label text, amount bigint,
                    source jsonb)
  ),
  tax_lines as (
    insert into order_tax_lines (tenant_id, order_id, id, line_item_id, shipping_code, code, label, rate, amount,
                                 included, source_type, source_id)
    select $1, $2, part.id, part."itemId", part."shippingCode", part.code, part.label, part.rate, part.amount,
           part.included, part.source ->> 'type', part.source ->> 'id'
      from jsonb_to_recordset($35::jsonb)
           as part (id uuid, "itemId" uuid, "shippingCode" text, code text, label text, rate numeric, amount bigint,
                    included boolean, source jsonb)
  ),`;

export const placedMessage = 'Order placed';
const pendingMessage = 'Order waits for its payment';

/** One text for an order that waits for its payment, another for one that is placed. */
const whetherPending = (pending: string, placed: string) =>
  `case when $33::timestamptz is not null then '${pending}' else '${placed}' end`;

/** Returns the time of the transaction, the creation time of the order, its first entry and its event. */
const insertOrder = (details: string) => `
  with placed as (
    insert into orders (tenant_id, id, number, cart_id, session_hash, member_id, payment_status, currency,
                        subtotal_amount, discount_amount, shipping_amount, tax_amount, credit_amount, total_amount,
                        email, customer_name, phone, notes, metadata, region_id, locale,
                        pay_by, attribution, terms_version, terms_accepted_at, pending_until)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $28, $29, $30, $31,
            $32::text, case when $32::text is not null then now() end, $33::timestamptz)
  ),
  lines as (
    insert into order_line_items (tenant_id, order_id, id, position, variant_id, product_id, sku, title,
                                  variant_title, properties, quantity, unit_amount, total_amount,
                                  requires_shipping)
    select $1, $2, part.id, part.position, part."variantId", part."productId", part.sku, part.title,
           part."variantTitle", part.properties, part.quantity, part."unitAmount", part."totalAmount",
           part."requiresShipping"
      from jsonb_to_recordset($20::jsonb)
           as part (id uuid, position integer, "variantId" uuid, "productId" uuid, sku text, title text,
                    "variantTitle" text, properties jsonb, quantity integer, "unitAmount" bigint, "totalAmount" bigint,
                    "requiresShipping" boolean)
  ),
  addresses as (
    insert into order_addresses (tenant_id, order_id, type, address)
    select $1, $2, part.key, part.value from jsonb_each($21::jsonb) as part
  ),${details}
  words as (
    insert into order_words (tenant_id, order_id, word_from)
    select $1, $2, word_from from (${wordsText({ number: '$3', email: '$15', name: '$16' })}) words
  ),
  history as (
    insert into order_events (tenant_id, order_id, id, type, message, ${actorColumns})
    values ($1, $2, $22, ${whetherPending('pending', 'placed')}, ${whetherPending(pendingMessage, placedMessage)},
            $23, $24, $25)
  )
  ${insertEvent({ id: '$26', type: whetherPending(orderPending.type, orderPlaced.type), resourceType: "'order'", resourceId: '$2', payload: '$27' })}
  returning created_at`;
const insertPlain = insertOrder('');
const insertDetailed = insertOrder(insertDetails);

/**
 * Creates an order: order, lines, addresses, adjustments, tax lines, the first timeline entry and the event
 * `order.placed` or `order.pending`, in one prepared statement. Call it in the transaction that takes the stock, after `drawOrderNumber`.
 * The result is built from the draft, without another read.
 * @throws the unique violation `orders_cart` if the cart has become an order already; impossible if the caller has locked
 *   the cart
 */
export async function createOrder(tx: TenantDatabase, draft: OrderDraft): Promise<Order> {
  const row = rowOf(draft);
  const { id } = row;
  const announced = row.pendingUntil === null ? orderPlaced : orderPending;
  const event = outboxRow(tx, announced, { type: 'order', id }, payloadOf(stateOfRow(row)));
  const detailed = row.adjustments.length > 0 || row.taxLines.length > 0;
  const values: unknown[] = [
    id,
    row.number,
    row.cartId,
    row.sessionHash,
    row.memberId,
    row.paymentStatus,
    row.currency,
    row.subtotalAmount,
    row.discountAmount,
    row.shippingAmount,
    row.taxAmount,
    row.creditAmount,
    row.totalAmount,
    row.email,
    row.customerName,
    row.phone,
    row.notes,
    JSON.stringify(row.metadata),
    JSON.stringify(row.lines.map((line, position) => ({ ...line, position }))),
    JSON.stringify(row.addresses),
    newId(),
    ...actorValues(tx, { type: 'shopper', id: row.memberId }),
    event.id,
    event.payload,
    row.regionId,
    row.locale,
    row.payBy,
    row.attribution && JSON.stringify(row.attribution),
    row.termsVersion,
    row.pendingUntil,
  ];
  if (detailed) values.push(JSON.stringify(row.adjustments), JSON.stringify(row.taxLines));
  const [created] = await tx.query<{ createdAt: string }>(detailed ? insertDetailed : insertPlain, values);
  const { createdAt } = created as { createdAt: string };
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
