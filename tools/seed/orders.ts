/**
 * Orders with everything that belongs to them, as checkouts, payments and staff leave them: lines, taxes, addresses,
 * timeline, payments, refunds, stock movements, carts, search words and events.
 */
import { defaultLocation } from '@carton/inventory';
import type { CopyBatch } from './copy.ts';
import { guestOf, memberOf, type Shopper } from './people.ts';
import { later, type Random, timeOf } from './random.ts';
import { orderTags, wordStarts } from './vocabulary.ts';

/** A variant for sale, with its price in minor units. */
export interface OfferedVariant {
  id: string;
  productId: string;
  sku: string | null;
  title: string;
  variantTitle: string;
  amount: number;
}

export interface OrderOptions {
  random: Random;
  tenantId: string;
  currency: string;
  locale: string;
  variants: readonly OfferedVariant[];
  /** Number of members who order; 0 for guests only. */
  members: number;
  /** When the first and the last order were placed, in milliseconds. */
  from: number;
  to: number;
  count: number;
}

const day = 86_400_000;
/** Characters stored of a word. */
const wordLength = 100;
/** Delivered events are removed after this time, by default. */
const eventRetention = 30 * day;
const shippingAmount = 490;
const taxRate = 20;

type PaymentState = 'unpaid' | 'authorized' | 'paid' | 'partially_refunded' | 'refunded' | 'voided';

interface States {
  canceledAt: number | null;
  payment: PaymentState;
  fulfillment: 'unfulfilled' | 'partially_fulfilled' | 'fulfilled';
  archivedAt: number | null;
}

/** Most old orders are paid, fulfilled and archived; recent ones are in progress. */
function statesOf(random: Random, placed: number, now: number): States {
  const age = now - placed;
  if (random.isTrue(0.04)) {
    const payment = random.weighted({ voided: 60, refunded: 40 });
    return {
      canceledAt: later(random, placed, Math.min(placed + 3 * day, now)),
      payment,
      fulfillment: 'unfulfilled',
      archivedAt: null,
    };
  }
  if (age < 10 * day) {
    const payment = random.weighted({ paid: 70, authorized: 20, unpaid: 10 });
    const fulfillment = random.weighted({
      unfulfilled: 60,
      partially_fulfilled: 8,
      fulfilled: payment === 'paid' ? 32 : 0,
    });
    return { canceledAt: null, payment, fulfillment, archivedAt: null };
  }
  const payment = random.weighted({ paid: 93, partially_refunded: 3, refunded: 2.5, unpaid: 1.5 });
  const fulfillment = random.weighted({ fulfilled: 98, partially_fulfilled: 0.5, unfulfilled: 1.5 });
  const isArchived = age > 90 * day && payment !== 'unpaid' && fulfillment === 'fulfilled' && random.isTrue(0.6);
  return {
    canceledAt: null,
    payment,
    fulfillment,
    archivedAt: isArchived ? later(random, placed + 60 * day, now) : null,
  };
}

interface Line {
  variant: OfferedVariant;
  quantity: number;
  total: number;
}

/** One to six lines of different variants; most orders have one or two. */
function linesOf(random: Random, variants: readonly OfferedVariant[]): Line[] {
  const lines = new Map<string, Line>();
  do {
    const variant = variants[random.skewed(variants.length)] as OfferedVariant;
    const quantity = random.isTrue(0.85) ? 1 : random.between(2, 5);
    lines.set(variant.id, { variant, quantity, total: quantity * variant.amount });
  } while (lines.size < 6 && random.isTrue(0.42));
  return [...lines.values()];
}

/** Adds the rows of an order; `index` counts from 0, and `number` is unique in the store. Returns the units sold. */
export function addOrder(batch: CopyBatch, options: OrderOptions, index: number, number: string): Line[] {
  const { random, tenantId, members, from, to, count } = options;
  // The store grows: two thirds of the orders are of the later half.
  const placed = from + (to - from) * ((index + random.next()) / count) ** 0.6;
  const shopper = members > 0 && random.isTrue(0.7) ? memberOf(tenantId, random.skewed(members)) : guestOf(random);
  const lines = linesOf(random, options.variants);
  const states = statesOf(random, placed, to);
  const subtotal = lines.reduce((sum, { total }) => sum + total, 0);
  const shipping = subtotal >= 7500 || random.isTrue(0.2) ? 0 : shippingAmount;
  const order: PlacedOrder = {
    id: random.id(placed),
    cartId: random.id(placed - random.between(1, 60) * 60_000),
    sessionHash: Array.from({ length: 8 }, () => random.hex(8)).join(''),
    number,
    placed,
    shopper,
    lines,
    states,
    subtotal,
    shipping,
    total: subtotal + shipping,
    tags: Object.entries(orderTags).flatMap(([tag, percent]) => (random.isTrue(percent / 100) ? [tag] : [])),
  };
  addCart(batch, options, order);
  const { paid, refunded } = paidAmounts(random, order);
  addOrderRows(batch, options, order, { paid, refunded });
  addPayments(batch, options, order, { paid, refunded });
  addMovements(batch, options, order);
  if (placed > to - eventRetention) addEvents(batch, options, order);
  return states.canceledAt === null ? lines : [];
}

interface PlacedOrder {
  id: string;
  cartId: string;
  sessionHash: string;
  number: string;
  /** Milliseconds. */
  placed: number;
  shopper: Shopper;
  lines: Line[];
  states: States;
  subtotal: number;
  shipping: number;
  total: number;
  tags: string[];
}

interface PaidAmounts {
  paid: number;
  refunded: number;
}

function paidAmounts(random: Random, { states: { payment }, total }: PlacedOrder): PaidAmounts {
  if (payment === 'unpaid' || payment === 'authorized' || payment === 'voided') return { paid: 0, refunded: 0 };
  if (payment === 'paid') return { paid: total, refunded: 0 };
  return { paid: total, refunded: payment === 'refunded' ? total : random.between(1, total - 1) };
}

function addCart(batch: CopyBatch, { currency, locale }: OrderOptions, order: PlacedOrder): void {
  const { memberId } = order.shopper;
  batch.add('carts', {
    id: order.cartId,
    status: 'completed',
    session_hash: memberId === null ? order.sessionHash : null,
    member_id: memberId,
    currency,
    locale,
    order_id: order.id,
    version: order.lines.length + 1,
    created_at: timeOf(order.placed - 600_000),
    updated_at: timeOf(order.placed),
  });
}

function addOrderRows(
  batch: CopyBatch,
  options: OrderOptions,
  order: PlacedOrder,
  { paid, refunded }: PaidAmounts,
): void {
  const { random, currency, locale, to } = options;
  const { id, number, placed, shopper, lines, states, tags } = order;
  const created = timeOf(placed);
  const isChanged = states.payment !== 'unpaid' || states.fulfillment !== 'unfulfilled';
  const changed =
    states.archivedAt ??
    states.canceledAt ??
    (isChanged ? later(random, placed, Math.min(placed + 9 * day, to)) : placed);
  const taxes = lines.map(({ total }) => Math.round((total * taxRate) / (100 + taxRate)));
  batch.add('orders', {
    id,
    number,
    cart_id: order.cartId,
    session_hash: order.sessionHash,
    member_id: shopper.memberId,
    status: states.canceledAt === null ? 'placed' : 'canceled',
    payment_status: states.payment,
    fulfillment_status: states.fulfillment,
    currency,
    subtotal_amount: order.subtotal,
    discount_amount: 0,
    shipping_amount: order.shipping,
    tax_amount: taxes.reduce((sum, tax) => sum + tax, 0),
    credit_amount: 0,
    total_amount: order.total,
    paid_amount: paid,
    refunded_amount: refunded,
    email: shopper.email,
    customer_name: shopper.name,
    locale,
    tags,
    external_id: random.isTrue(0.5) ? `order-${number}` : null,
    archived_at: states.archivedAt && timeOf(states.archivedAt),
    canceled_at: states.canceledAt && timeOf(states.canceledAt),
    created_at: created,
    updated_at: timeOf(changed),
  });
  for (const [position, { variant, quantity, total }] of lines.entries()) {
    const lineId = random.id(placed);
    batch.add('order_line_items', {
      order_id: id,
      id: lineId,
      position,
      variant_id: variant.id,
      product_id: variant.productId,
      sku: variant.sku,
      title: variant.title,
      variant_title: variant.variantTitle,
      quantity,
      unit_amount: variant.amount,
      total_amount: total,
    });
    batch.add('order_tax_lines', {
      order_id: id,
      id: random.id(placed),
      line_item_id: lineId,
      code: 'vat',
      label: 'VAT',
      rate: taxRate,
      amount: taxes[position] as number,
      included: true,
    });
  }
  batch.add('order_addresses', { order_id: id, type: 'shipping', address: shopper.address });
  if (order.shipping > 0) {
    const charge = { kind: 'shipping', code: 'standard', label: 'Standard', amount: order.shipping };
    batch.add('order_adjustments', { order_id: id, id: random.id(placed), ...charge });
  }
  const words = [number, shopper.name].flatMap(wordStarts);
  for (const word of new Set([...words, shopper.email])) {
    batch.add('order_words', { order_id: id, word_from: word.slice(0, wordLength), created_at: created });
  }
  for (const tag of tags) batch.add('order_tags', { order_id: id, tag_key: tag, created_at: created });
  addEntry(batch, options, order, { type: 'placed', message: 'Order placed', at: placed, actor: 'shopper' });
  if (states.canceledAt !== null) {
    addEntry(batch, options, order, {
      type: 'canceled',
      message: 'Order canceled',
      at: states.canceledAt,
      actor: 'staff',
    });
  }
}

interface Entry {
  type: string;
  message: string;
  at: number;
  actor: 'shopper' | 'staff' | 'system';
}

function addEntry(
  batch: CopyBatch,
  { random }: OrderOptions,
  { id }: PlacedOrder,
  { type, message, at, actor }: Entry,
): void {
  batch.add('order_events', {
    order_id: id,
    id: random.id(at),
    type,
    message,
    actor_type: actor,
    created_at: timeOf(at),
  });
}

function addPayments(
  batch: CopyBatch,
  options: OrderOptions,
  order: PlacedOrder,
  { paid, refunded }: PaidAmounts,
): void {
  const { random, currency, to } = options;
  const { states, total, placed } = order;
  if (states.payment === 'unpaid') return;
  const method = random.weighted({ card: 75, bank_transfer: 25 });
  const paymentId = random.id(placed);
  const status = paid > 0 ? 'captured' : states.payment === 'voided' ? 'voided' : 'authorized';
  const refundedAt = later(random, placed, Math.min(placed + 9 * day, to));
  const provider = method === 'card' ? 'stripe' : 'offline';
  batch.add('payments', {
    id: paymentId,
    order_id: order.id,
    provider,
    method,
    status,
    currency,
    amount: total,
    captured_amount: paid,
    refunded_amount: refunded,
    reference: provider === 'stripe' ? `pi_${random.hex(8)}${random.hex(8)}` : null,
    created_at: timeOf(placed),
    updated_at: timeOf(refunded > 0 ? refundedAt : placed),
  });
  const addStep = (type: string, id: string, amount: number, at: number) =>
    batch.add('payment_transactions', {
      payment_id: paymentId,
      id,
      type,
      amount,
      actor_type: 'system',
      created_at: timeOf(at),
    });
  addStep(paid > 0 ? 'capture' : 'authorize', random.id(placed), total, placed);
  if (status === 'voided') addStep('void', random.id(states.canceledAt ?? placed), total, states.canceledAt ?? placed);
  const shown = (amount: number) => `${(amount / 100).toFixed(2)} ${currency} by ${method}`;
  if (paid > 0)
    addEntry(batch, options, order, {
      type: 'payment',
      message: `Received ${shown(paid)}`,
      at: placed,
      actor: 'system',
    });
  if (refunded === 0) return;
  const refundId = random.id(refundedAt);
  addStep('refund', refundId, refunded, refundedAt);
  const times = { created_at: timeOf(refundedAt), updated_at: timeOf(refundedAt) };
  batch.add('refunds', {
    id: refundId,
    payment_id: paymentId,
    order_id: order.id,
    currency,
    amount: refunded,
    ...times,
  });
  addEntry(batch, options, order, {
    type: 'payment',
    message: `Refunded ${shown(refunded)}`,
    at: refundedAt,
    actor: 'staff',
  });
}

/** A canceled order has returned its units. The units that others have sold are received by `addRestocking`. */
function addMovements(batch: CopyBatch, { random }: OrderOptions, { id, placed, lines, states }: PlacedOrder): void {
  const add = (variantId: string, quantity: number, reason: 'sold' | 'returned', at: number) =>
    batch.add('stock_movements', {
      id: random.id(at),
      stock_item_id: variantId,
      location_id: defaultLocation,
      quantity,
      reason,
      reference_type: 'order',
      reference_id: id,
      created_at: timeOf(at),
    });
  for (const { variant, quantity } of lines) {
    add(variant.id, -quantity, 'sold', placed);
    if (states.canceledAt !== null) add(variant.id, quantity, 'returned', states.canceledAt);
  }
}

/** Adds the receipt of the units that were sold, so that the ledger agrees with the stock on hand. */
export function addRestocking(
  batch: CopyBatch,
  { random, from }: OrderOptions,
  variantId: string,
  units: number,
): void {
  batch.add('stock_movements', {
    id: random.id(from),
    stock_item_id: variantId,
    location_id: defaultLocation,
    quantity: units,
    reason: 'received',
    reference_type: null,
    reference_id: null,
    created_at: timeOf(from),
  });
}

/** Events of the retention period; all are dispatched. */
function addEvents(batch: CopyBatch, options: OrderOptions, order: PlacedOrder): void {
  const { random, currency } = options;
  const { states, shopper, number } = order;
  const known = {
    number,
    currency,
    totalAmount: order.total,
    memberId: shopper.memberId,
    fulfillmentStatus: 'unfulfilled',
  };
  const add = (type: string, at: number, state: { status: string; paymentStatus: string }) => {
    const id = random.id(at);
    batch.add('event_outbox', {
      id,
      type,
      resource_type: 'order',
      resource_id: order.id,
      payload: { ...known, ...state },
      created_at: timeOf(at),
      dispatched_at: timeOf(at + 1000),
    });
    return id;
  };
  add('order.placed', order.placed, { status: 'placed', paymentStatus: 'unpaid' });
  if (states.canceledAt === null) return;
  const at = states.canceledAt;
  const eventId = add('order.canceled', at, { status: 'canceled', paymentStatus: states.payment });
  batch.add('event_deliveries', {
    id: random.id(at + 1000),
    event_id: eventId,
    subscriber: 'payment.void-canceled',
    type: 'order.canceled',
    position: 0,
    resource_id: order.id,
    status: 'delivered',
    attempts: 1,
    created_at: timeOf(at + 1000),
    updated_at: timeOf(at + 1000),
  });
}
