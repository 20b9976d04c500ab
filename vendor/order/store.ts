/**
 * Queries of the tables of order.
 */
import {
  type IntegrationPage,
  json,
  newId,
  type Page,
  paginate,
  paginateChoices,
  paginateIntegration,
  type TenantDatabase,
} from '@carton/runtime';
import {
  type AdminOrderQuery,
  fulfillmentStatuses,
  type OrderAddress,
  orderStatuses,
  type PaymentStatus,
  paymentStatuses,
} from './schemas.ts';

/** An order without its parts. Amounts are minor units of its currency. */
export interface OrderState {
  id: string;
  number: string;
  status: (typeof orderStatuses)[number];
  paymentStatus: PaymentStatus;
  fulfillmentStatus: (typeof fulfillmentStatuses)[number];
  currency: string;
  totalAmount: number;
  /** What payments have taken so far, and of that given back. */
  paidAmount: number;
  refundedAmount: number;
  memberId: string | null;
}

/**
 * What is owed of an order: charged − paid + refunded. Below zero it is owed to the shopper. A canceled order is charged
 * nothing.
 */
export function balanceOf({
  status,
  totalAmount,
  paidAmount,
  refundedAmount,
}: Pick<OrderState, 'status' | 'totalAmount' | 'paidAmount' | 'refundedAmount'>): number {
  const charged = status === 'canceled' ? 0 : totalAmount;
  return charged - paidAmount + refundedAmount;
}

/** Without a variant it is a line of its own: a fee, a thing made to order. */
export interface OrderLineRow {
  id: string;
  variantId: string | null;
  productId: string | null;
  sku: string | null;
  title: string;
  variantTitle: string | null;
  /** What the shopper chose or wrote for it: an engraving, a plan. */
  properties: Record<string, unknown>;
  quantity: number;
  unitAmount: number;
  totalAmount: number;
}

/** What made an adjustment: `{ type: 'promotion', id: … }`. */
export interface AdjustmentSource {
  type: string;
  id: string;
}

export interface OrderAdjustmentRow {
  id: string;
  itemId: string | null;
  /** `code` of the shipping charge it belongs to. */
  shippingCode: string | null;
  kind: 'discount' | 'shipping' | 'credit';
  code: string;
  label: string;
  /** Discounts and credits are below zero. */
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
  /** Per cent; null when it is not one rate. */
  rate: number | null;
  amount: number;
  /** The prices hold it already. */
  included: boolean;
  source: AdjustmentSource | null;
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
  regionId: string | null;
  /** BCP 47 */
  locale: string | null;
  /** Unpaid then, it is canceled. */
  payBy: string | null;
  email: string;
  customerName: string | null;
  phone: string | null;
  notes: string | null;
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
}

export interface OrderEventRow {
  id: string;
  type: string;
  message: string;
  actorType: string;
  actorId: string | null;
  actorLabel: string | null;
  createdAt: string;
}

const partOf = (table: string) => `from ${table} part where part.tenant_id = $1 and part.order_id = orders.id`;

const source = `case when source_type is not null then json_build_object('type', source_type, 'id', source_id) end`;

/** Orders with their parts, in one statement. */
const selectOrders = `
  select orders.*,
         (select coalesce(json_agg(json_build_object(
                   'id', id, 'variantId', variant_id, 'productId', product_id, 'sku', sku, 'title', title,
                   'variantTitle', variant_title, 'properties', properties, 'quantity', quantity,
                   'unitAmount', unit_amount, 'totalAmount', total_amount) order by position), '[]') ${partOf('order_line_items')}) as lines,
         (select coalesce(json_object_agg(type, address), '{}') ${partOf('order_addresses')}) as addresses,
         (select coalesce(json_agg(json_build_object(
                   'id', id, 'itemId', line_item_id, 'shippingCode', shipping_code, 'kind', kind, 'code', code,
                   'label', label, 'amount', amount, 'source', ${source}) order by id), '[]') ${partOf('order_adjustments')}) as adjustments,
         (select coalesce(json_agg(json_build_object(
                   'id', id, 'itemId', line_item_id, 'shippingCode', shipping_code, 'code', code, 'label', label,
                   'rate', rate, 'amount', amount, 'included', included, 'source', ${source}) order by id), '[]') ${partOf('order_tax_lines')}) as tax_lines
    from orders
   where orders.tenant_id = $1`;
const selectById = `${selectOrders} and orders.id = any($2::uuid[])`;
const selectByCart = `${selectOrders} and orders.cart_id = $2`;

export async function findOrderRow(db: TenantDatabase, id: string): Promise<OrderRow | null> {
  const [row] = await findOrderRows(db, [id]);
  return row ?? null;
}

/** Orders with their parts, in one statement and in no order. */
export function findOrderRows(db: TenantDatabase, ids: readonly string[]): Promise<OrderRow[]> {
  return db.query<OrderRow>(selectById, [ids]);
}

export async function findOrderRowByCart(db: TenantDatabase, cartId: string): Promise<OrderRow | null> {
  const [row] = await db.query<OrderRow>(selectByCart, [cartId]);
  return row ?? null;
}

/** A page of orders, newest first: which ones, then all their parts at once. */
export async function listOrderRows(db: TenantDatabase, query: AdminOrderQuery): Promise<IntegrationPage<OrderRow>> {
  const page = await pageOfOrders(db, query);
  const ids = page.items.map(({ id }) => id);
  const found = ids.length === 0 ? [] : await findOrderRows(db, ids);
  const rows = new Map(found.map((row) => [row.id, row]));
  return { ...page, items: ids.flatMap((id) => rows.get(id) ?? []) };
}

/**
 * Which orders a page has. By number or e-mail address there are few; by their states alone each combination of states
 * is read by itself, so that a rare one is found without a look at all others.
 */
function pageOfOrders(db: TenantDatabase, query: AdminOrderQuery): Promise<IntegrationPage<{ id: string }>> {
  const { status, paymentStatus, fulfillmentStatus, number, email, archived, externalId, updatedAfter } = query;
  const states = { status, paymentStatus, fulfillmentStatus, archived };
  const told = Object.entries(states).filter(([, value]) => value !== undefined);
  const isByState = [number, email, externalId, updatedAfter].every((value) => value === undefined);
  if (isByState && told.length > 0) {
    const choices = Object.entries(anyState).map(([column, values]) => [
      column,
      states[column as keyof typeof states] === undefined ? values : [states[column as keyof typeof states]],
    ]);
    return paginateChoices(db, 'orders', Object.fromEntries(choices), query);
  }
  const orders = db.table<PlacedOrder>('orders').select('orders.id', 'orders.createdAt', 'orders.updatedAt');
  for (const [column, value] of told) orders.where(column, value);
  if (number !== undefined) orders.where('number', number);
  if (email !== undefined) orders.whereRaw('orders.email_key = lower(?)', [email]);
  return paginateIntegration<PlacedOrder>(db, orders as never, 'orders', query, { ...states, number, email });
}

type PlacedOrder = Pick<OrderRow, 'id' | 'createdAt' | 'updatedAt'>;

/** What an order's states may be, in all. */
const anyState = {
  status: orderStatuses,
  paymentStatus: paymentStatuses,
  fulfillmentStatus: fulfillmentStatuses,
  archived: [false, true],
};

/**
 * Locks an order until the transaction ends and answers it without its parts; null for an unknown id.
 * Whoever also moves stock does that first.
 */
export async function lockOrder(tx: TenantDatabase, id: string): Promise<OrderState | null> {
  const [row] = await tx.query<OrderState>(
    `select id, number, status, payment_status, fulfillment_status, currency, total_amount, paid_amount, refunded_amount,
            member_id
       from orders where tenant_id = $1 and id = $2 for update`,
    [id],
  );
  return row ?? null;
}

/** Sets or, with null, removes an address. The order is locked. */
export async function putAddress(
  tx: TenantDatabase,
  orderId: string,
  type: AddressType,
  address: OrderAddress | null,
): Promise<void> {
  const place = { orderId, type };
  if (address === null) {
    await tx.remove('order_addresses', place);
    return;
  }
  const changed = await tx.update('order_addresses', place, { address: json(address) });
  if (changed.length === 0) await tx.insert('order_addresses', { ...place, address: json(address) });
}

/** Writes an entry into an order's history; it is by whoever acts in `tx`, or by the system. */
export function insertOrderEvent(
  tx: TenantDatabase,
  orderId: string,
  type: string,
  message: string,
): Promise<OrderEventRow> {
  const { actor } = tx;
  return tx.insert<OrderEventRow>('order_events', {
    orderId,
    id: newId(),
    type,
    message,
    actorType: actor?.type ?? 'system',
    actorId: actor?.id,
    actorLabel: actor?.label,
  });
}

export function listOrderEventRows(
  db: TenantDatabase,
  orderId: string,
  page: { limit: number; cursor?: string },
): Promise<Page<OrderEventRow>> {
  return paginate(db.table<OrderEventRow>('order_events').where({ orderId } as never), 'order_events', page);
}
