/**
 * Placing an order: everything of it in one statement, so that a checkout costs one round trip here.
 */
import { actorColumns, actorValues, insertEvent, newId, outboxRow, type TenantDatabase } from '@carton/runtime';
import { factOf, orderPlaced } from './events.ts';
import { type Order, orderOf } from './present.ts';
import type { AdjustmentKind, OrderAddress, PaymentStatus } from './schemas.ts';
import type { OrderLineRow, OrderRow } from './store.ts';

export interface OrderLineDraft extends Omit<OrderLineRow, 'id' | 'properties'> {
  /** Made here unless the caller needs to know it before. */
  id?: string;
  properties?: OrderLineRow['properties'];
  /** The caller's own name of the line, for adjustments to refer to. */
  lineId?: string;
}

/** As the adjustments of a cart; what is a tax becomes a tax line. */
export interface OrderAdjustmentDraft {
  kind: AdjustmentKind | 'tax';
  code: string;
  label: string;
  /** Zero or above for shipping and tax, zero or below for discount and credit. */
  amount: number;
  /** `lineId` of the line it is of; left out when it is of the whole order. */
  lineId?: string;
  /** Of a discount or a tax: `code` of the shipping charge it is of. */
  shippingCode?: string;
  /** What made it: `{ type: 'promotion', id: … }`, `{ type: 'tax_rate', id: … }`. */
  source?: { type: string; id: string };
  /** A tax that the prices hold already. */
  included?: boolean;
  /** Of a tax, per cent, when it is one rate. */
  rate?: number;
}

/** An order to be placed. Amounts are minor units of `currency`, up to Number.MAX_SAFE_INTEGER; the caller has added them up. */
export interface OrderDraft {
  /** Made here unless the caller needs to know it before. */
  id?: string;
  number: string;
  /** The cart it comes from: a cart becomes one order. Null for an order that had none. */
  cartId: string | null;
  /** Who placed it: `session.hash` and `session.memberId` of the shopper; both null when staff did. */
  sessionHash: string | null;
  memberId: string | null;
  currency: string;
  regionId?: string | null;
  /** BCP 47, that the shopper has ordered in. */
  locale?: string | null;
  /** It is canceled then if nothing is paid; left out, never. */
  payBy?: Date | null;
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
  metadata?: Record<string, unknown>;
  /** Left out: `unpaid`, or `paid` when there is nothing to pay. */
  paymentStatus?: PaymentStatus;
}

/** Discounts, shipping and taxes, which not every order has. */
const insertDetails = `
  adjustments as (
    insert into order_adjustments (tenant_id, order_id, id, line_item_id, shipping_code, kind, code, label, amount,
                                   source_type, source_id)
    select $1, $2, part.id, part."itemId", part."shippingCode", part.kind, part.code, part.label, part.amount,
           part.source ->> 'type', part.source ->> 'id'
      from jsonb_to_recordset($31::jsonb)
           as part (id uuid, "itemId" uuid, "shippingCode" text, kind text, code text, label text, amount bigint,
                    source jsonb)
  ),
  tax_lines as (
    insert into order_tax_lines (tenant_id, order_id, id, line_item_id, shipping_code, code, label, rate, amount,
                                 included, source_type, source_id)
    select $1, $2, part.id, part."itemId", part."shippingCode", part.code, part.label, part.rate, part.amount,
           part.included, part.source ->> 'type', part.source ->> 'id'
      from jsonb_to_recordset($32::jsonb)
           as part (id uuid, "itemId" uuid, "shippingCode" text, code text, label text, rate numeric, amount bigint,
                    included boolean, source jsonb)
  ),`;

/** Answers the time of the transaction, which is when the order, its first entry and its event were made. */
const insertOrder = (details: string) => `
  with placed as (
    insert into orders (tenant_id, id, number, cart_id, session_hash, member_id, payment_status, currency,
                        subtotal_amount, discount_amount, shipping_amount, tax_amount, credit_amount, total_amount,
                        email, customer_name, phone, notes, metadata, region_id, locale,
                        pay_by)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $28, $29, $30)
  ),
  lines as (
    insert into order_line_items (tenant_id, order_id, id, position, variant_id, product_id, sku, title,
                                  variant_title, properties, quantity, unit_amount, total_amount)
    select $1, $2, part.id, part.position, part."variantId", part."productId", part.sku, part.title,
           part."variantTitle", part.properties, part.quantity, part."unitAmount", part."totalAmount"
      from jsonb_to_recordset($20::jsonb)
           as part (id uuid, position integer, "variantId" uuid, "productId" uuid, sku text, title text,
                    "variantTitle" text, properties jsonb, quantity integer, "unitAmount" bigint, "totalAmount" bigint)
  ),
  addresses as (
    insert into order_addresses (tenant_id, order_id, type, address)
    select $1, $2, part.key, part.value from jsonb_each($21::jsonb) as part
  ),${details}
  history as (
    insert into order_events (tenant_id, order_id, id, type, message, ${actorColumns})
    values ($1, $2, $22, 'placed', 'Order placed', $23, $24, $25)
  )
  ${insertEvent({ id: '$26', type: `'${orderPlaced.type}'`, resourceType: "'order'", resourceId: '$2', payload: '$27' })}
  returning created_at`;
const insertPlain = insertOrder('');
const insertDetailed = insertOrder(insertDetails);

/**
 * Places an order: order, lines, addresses, adjustments, tax lines, the first entry of its history and the event
 * `order.placed`, in one prepared statement. Call it in the transaction that takes the stock, after `drawOrderNumber`.
 * Nothing is read again: the answer is made of the draft.
 * @throws the violation of `orders_cart` when the cart has become an order already, which a caller that has locked
 *   the cart does not see
 */
export async function createOrder(tx: TenantDatabase, draft: OrderDraft): Promise<Order> {
  const row = rowOf(draft);
  const { id } = row;
  const event = outboxRow(tx, orderPlaced, { type: 'order', id }, factOf(row));
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
  ];
  if (detailed) values.push(JSON.stringify(row.adjustments), JSON.stringify(row.taxLines));
  const [made] = await tx.query<{ createdAt: string }>(detailed ? insertDetailed : insertPlain, values);
  const { createdAt } = made as { createdAt: string };
  return orderOf({ ...row, createdAt, updatedAt: createdAt });
}

/** The row that a draft becomes, but for the times. */
function rowOf(draft: OrderDraft): OrderRow {
  const { totals, customer } = draft;
  return {
    id: draft.id ?? newId(),
    number: draft.number,
    cartId: draft.cartId,
    sessionHash: draft.sessionHash,
    memberId: draft.memberId,
    status: 'placed',
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
    email: customer.email,
    customerName: customer.name ?? null,
    phone: customer.phone ?? null,
    notes: draft.notes ?? null,
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
  };
}

/** Lines, and what comes on top of them, each with an id. */
function partsOf({ lines, adjustments = [] }: OrderDraft): Pick<OrderRow, 'lines' | 'adjustments' | 'taxLines'> {
  const itemIds = new Map<string, string>();
  const rows = lines.map(({ lineId, id = newId(), properties = {}, ...line }) => {
    if (lineId !== undefined) itemIds.set(lineId, id);
    return { id, properties, ...line };
  });
  const parts: Pick<OrderRow, 'adjustments' | 'taxLines'> = { adjustments: [], taxLines: [] };
  for (const { kind, code, label, amount, lineId, ...rest } of adjustments) {
    const { shippingCode = null, source = null, included = false, rate = null } = rest;
    const itemId = lineId === undefined ? null : itemIds.get(lineId);
    if (itemId === undefined) throw new Error(`the adjustment ${code} is of the line ${lineId}, which there is not`);
    const part = { id: newId(), itemId, shippingCode, code, label, amount, source };
    if (kind === 'tax') parts.taxLines.push({ ...part, rate, included });
    else parts.adjustments.push({ ...part, kind });
  }
  return { lines: rows, ...parts };
}
