/**
 * Orders as they are stored, with their parts, and statements that several subjects need.
 */
import { rows, type TenantDatabase } from '@carton/runtime';
import {
  type AdjustmentKind,
  fulfillmentStatuses,
  type OrderAddress,
  type OrderAttribution,
  type orderStatuses,
  type PaymentStatus,
  paymentStatuses,
  storedStatuses,
} from './schemas.ts';

/** An SQL condition on the table `orders`, with a `?` for each value. */
export interface Condition {
  sql: string;
  values: readonly unknown[];
}

/** An order without its parts. Amounts are minor units of its currency. */
export interface OrderState {
  id: string;
  number: string;
  status: (typeof orderStatuses)[number];
  /** Until when an order waits for its payment; null once it is placed. It stays if the order is canceled before. */
  pendingUntil: string | null;
  paymentStatus: PaymentStatus;
  fulfillmentStatus: (typeof fulfillmentStatuses)[number];
  currency: string;
  totalAmount: number;
  /** The amount that payments have received so far, including what was refunded. */
  paidAmount: number;
  /** The amount that payments have given back so far. */
  refundedAmount: number;
  /** The part of it that was received beyond the total: it takes nothing off what is charged. */
  excessRefundedAmount: number;
  /** What disputes of payments have taken back, or hold while they are open. */
  disputedAmount: number;
  memberId: string | null;
}

/** The status of an order, from its row. */
export function statusOf({ status, pendingUntil }: Pick<OrderState, 'status' | 'pendingUntil'>): OrderState['status'] {
  return status === 'placed' && pendingUntil !== null ? 'pending' : status;
}

/** A row of the table as a state: with the status that `statusOf` tells. */
export function stateOfRow<Row extends Pick<OrderState, 'status' | 'pendingUntil'>>(row: Row): Row {
  return { ...row, status: statusOf(row) };
}

/** The condition that `statusOf` tells this status. */
export function hasStatus(status: OrderState['status']): Condition {
  if (status === 'canceled') return { sql: "orders.status = 'canceled'", values: [] };
  return {
    sql: `orders.status = 'placed' and orders.pending_until is ${status === 'pending' ? 'not ' : ''}null`,
    values: [],
  };
}

/** A line of an order. Without a variant it is a custom line: a fee, a service. */
export interface OrderLineRow {
  id: string;
  variantId: string | null;
  productId: string | null;
  sku: string | null;
  title: string;
  variantTitle: string | null;
  /** Properties chosen or written by the shopper: an engraving, a plan. */
  properties: Record<string, unknown>;
  quantity: number;
  unitAmount: number;
  totalAmount: number;
  /** False for what reaches the shopper without a parcel: a download, a service. */
  requiresShipping: boolean;
  /** Units whose stock was returned; the order holds the stock of the others. */
  restockedQuantity: number;
}

/** Where an adjustment comes from: `{ type: 'promotion', id: … }`. */
export interface AdjustmentSource {
  type: string;
  id: string;
}

export interface OrderAdjustmentRow {
  id: string;
  itemId: string | null;
  /** `code` of the shipping charge it applies to. */
  shippingCode: string | null;
  kind: AdjustmentKind;
  code: string;
  label: string;
  /** Zero or below for discounts and credits. */
  amount: number;
  source: AdjustmentSource | null;
}

export interface OrderTaxLineRow {
  id: string;
  itemId: string | null;
  /** `code` of the shipping charge that is taxed. */
  shippingCode: string | null;
  code: string;
  label: string;
  /** Per cent; null without a single rate. */
  rate: number | null;
  amount: number;
  /** Whether prices already contain the tax. */
  included: boolean;
  source: AdjustmentSource | null;
}

/** What was refunded of a line or a shipping charge: the sums of its ledger. */
export interface OrderRefundRow {
  lineItemId: string | null;
  shippingCode: string | null;
  /** Units. */
  quantity: number;
  /** Of the units, and of parts of the price. */
  amount: number;
  /** The part of `amount` that is tax. */
  tax: number;
}

export type AddressType = 'shipping' | 'billing';

/** An order with its parts. */
export interface OrderRow extends OrderState {
  cartId: string | null;
  sessionHash: string | null;
  subtotalAmount: number;
  discountAmount: number;
  shippingAmount: number;
  taxAmount: number;
  creditAmount: number;
  /** What the total was rounded by, up or down. */
  roundingAmount: number;
  regionId: string | null;
  /** BCP 47 */
  locale: string | null;
  /** When the order is canceled if still unpaid. */
  payBy: string | null;
  email: string;
  customerName: string | null;
  phone: string | null;
  notes: string | null;
  attribution: OrderAttribution | null;
  /** The version of the store's terms that the shopper accepted. */
  termsVersion: string | null;
  termsAcceptedAt: string | null;
  tags: string[];
  externalId: string | null;
  metadata: Record<string, unknown>;
  archivedAt: string | null;
  canceledAt: string | null;
  createdAt: string;
  updatedAt: string;
  lines: OrderLineRow[];
  addresses: Partial<Record<AddressType, OrderAddress>>;
  adjustments: OrderAdjustmentRow[];
  taxLines: OrderTaxLineRow[];
  refundItems: OrderRefundRow[];
}

const partOf = (table: string) =>
  `from ${table} part where part.tenant_id = orders.tenant_id and part.order_id = orders.id`;

const source = `case when source_type is not null then json_build_object('type', source_type, 'id', source_id) end`;

/**
 * Orders with their parts; the status is the stored one (`statusOf`). `choices` avoids scanning all orders for a page of
 * a rare combination of states.
 */
export const orders = rows<OrderRow>({
  table: 'orders',
  noun: 'order',
  computed: {
    lines: `
      select coalesce(json_agg(json_build_object(
               'id', id, 'variantId', variant_id, 'productId', product_id, 'sku', sku, 'title', title,
               'variantTitle', variant_title, 'properties', properties, 'quantity', quantity,
               'unitAmount', unit_amount, 'totalAmount', total_amount, 'requiresShipping', requires_shipping,
               'restockedQuantity', restocked_quantity) order by position), '[]') ${partOf('order_line_items')}`,
    addresses: `select coalesce(json_object_agg(type, address), '{}') ${partOf('order_addresses')}`,
    adjustments: `
      select coalesce(json_agg(json_build_object(
               'id', id, 'itemId', line_item_id, 'shippingCode', shipping_code, 'kind', kind, 'code', code,
               'label', label, 'amount', amount, 'source', ${source}) order by id), '[]') ${partOf('order_adjustments')}`,
    taxLines: `
      select coalesce(json_agg(json_build_object(
               'id', id, 'itemId', line_item_id, 'shippingCode', shipping_code, 'code', code, 'label', label,
               'rate', rate, 'amount', amount, 'included', included, 'source', ${source}) order by id), '[]') ${partOf('order_tax_lines')}`,
    refundItems: `
      select coalesce(json_agg(json_build_object(
               'lineItemId', line_item_id, 'shippingCode', shipping_code, 'quantity', quantity, 'amount', amount,
               'tax', tax)), '[]')
        from (select line_item_id, shipping_code, sum(quantity)::integer as quantity, sum(amount)::bigint as amount,
                     sum(tax)::bigint as tax ${partOf('order_refund_items')}
               group by line_item_id, shipping_code) as refunded`,
  },
  filters: {
    email: (listed, email: string) => listed.whereRaw('orders.email_key = lower(?)', [email]),
    status: (listed, status: OrderState['status']) => listed.whereRaw(hasStatus(status).sql),
    meets: (listed, { sql, values }: Condition) => listed.whereRaw(sql, values as never[]),
  },
  choices: {
    status: storedStatuses,
    paymentStatus: paymentStatuses,
    fulfillmentStatus: fulfillmentStatuses,
    archived: [false, true],
  },
});

/**
 * SQL condition: a person has an order that was not canceled. For statements of other packages, which would
 * otherwise need a round trip of their own. `$1` is the tenant.
 * @param memberId the placeholder of the member's id or null: `$2`
 * @param email the placeholder of an e-mail address in lower case, or null
 */
export function hasOrdered(memberId: string, email: string): string {
  return `exists (select from orders where orders.tenant_id = $1 and orders.status <> 'canceled'
                     and (orders.member_id = ${memberId}::uuid or orders.email_key = ${email}::text))`;
}

/**
 * SQL condition on the table `orders`, for statements of other packages: the order holds stock for which no money, or only
 * a part of it, was received, and none is authorized.
 */
const holdsUnpaidStock =
  "orders.status = 'placed' and orders.fulfillment_status = 'unfulfilled' and orders.payment_status in ('unpaid', 'voided', 'partially_paid')";

/**
 * Locks an order until the transaction ends and returns it without its parts; null for an unknown id.
 * Lock order: lines, stock, orders.
 */
export async function lockOrder(tx: TenantDatabase, id: string): Promise<OrderState | null> {
  const [row] = await tx.query<OrderState>(
    `select id, number, status, pending_until, payment_status, fulfillment_status, currency, total_amount, paid_amount,
            refunded_amount, excess_refunded_amount, disputed_amount, member_id
       from orders where tenant_id = $1 and id = $2 for update`,
    [id],
  );
  return row ? stateOfRow(row) : null;
}

/** Which of these orders are pending, or were canceled before they were placed. */
export async function findUnplaced(db: TenantDatabase, ids: readonly string[]): Promise<string[]> {
  const found = await db.query<{ id: string }>(
    'select id from orders where tenant_id = $1 and id = any($2::uuid[]) and pending_until is not null',
    [ids],
  );
  return found.map(({ id }) => id);
}

/** Keeps an unpaid order from being canceled at its `payBy`: from then on it waits for staff. */
export async function keepUnpaid(tx: TenantDatabase, orderId: string): Promise<void> {
  await tx.query(
    `update orders set pay_by = null, held_pay_by = null, updated_at = now()
      where tenant_id = $1 and id = $2 and (pay_by is not null or held_pay_by is not null)`,
    [orderId],
  );
}

/** Keeps an unpaid order from being canceled while a payment by hand is in progress. */
export async function holdPayBy(tx: TenantDatabase, orderId: string): Promise<void> {
  await tx.query(
    `update orders set pay_by = null, held_pay_by = pay_by, updated_at = now()
      where tenant_id = $1 and id = $2 and pay_by is not null`,
    [orderId],
  );
}

/** Gives an order its `payBy` back, in a day at the earliest, once no payment by hand is in progress any more. */
export async function returnPayBy(tx: TenantDatabase, orderId: string): Promise<void> {
  await tx.query(
    `update orders set pay_by = greatest(held_pay_by, now() + interval '1 day'), held_pay_by = null, updated_at = now()
      where tenant_id = $1 and id = $2 and held_pay_by is not null`,
    [orderId],
  );
}

/**
 * SQL of an order, for statements of other packages: a table of one row with `id` and `holds_unpaid_stock`
 * (`holdsUnpaidStock`), or of none. `$1` is the tenant.
 * @param id SQL for its id
 */
export const orderWithStock = (id: string) => `(
  select orders.id, (${holdsUnpaidStock}) as holds_unpaid_stock
    from orders where orders.tenant_id = $1 and orders.id = ${id})`;
