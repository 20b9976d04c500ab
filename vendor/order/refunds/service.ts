/**
 * Refunds of lines and of shipping charges, by units or by amount: an append-only ledger of what was refunded of each. A
 * refund that fails is reversed by rows of opposite sign.
 */
import {
  extensionPoint,
  formatMoney,
  invalidField,
  type MoneyValue,
  money,
  type TenantDatabase,
} from '@carton/runtime';
import { type AmountWithTax, type Charge, chargesOf } from '../charges/amounts.ts';
import { refundedChargeOf } from '../charges/balance.ts';
import { lockOrder, type OrderRow, type OrderState, orders } from '../store.ts';
import { writtenOffBy } from '../units/service.ts';
import { findOrderUnits, lockOrderLines } from '../units/store.ts';
import { alreadyRefunded } from './problems.ts';
import { leftOf, refundedOf, refundOf, refundOfAmount, shareRefund } from './shares.ts';
import { insertParts, partsOfRefunds, type RefundPart } from './store.ts';

/**
 * Called after units of an order were refunded, or a failed refund of units was reversed: in its transaction, with the
 * order locked.
 */
export type OrderRefundListener = (tx: TenantDatabase, orderId: string) => Promise<void>;
export const orderRefundListeners = extensionPoint<OrderRefundListener>('order.refund-listeners');

/** What is refunded: units, or parts of the price of lines and shipping charges. */
export interface RefundRequest {
  /** Each has a quantity or an amount. */
  items?: readonly { lineItemId: string; quantity?: number; amount?: MoneyValue }[];
  /** True for all shipping charges that are not refunded yet; or their codes, each with an amount to refund part of it. */
  shipping?: true | readonly (string | { code: string; amount: MoneyValue })[];
}

/** A refund: its amounts are the sums of its parts. */
export interface RefundPlan extends AmountWithTax {
  parts: readonly RefundPart[];
}

/** A charge with what was refunded of it so far. */
interface OpenCharge {
  charge: Charge;
  refunded: ReturnType<typeof refundedOf>;
  left: Charge;
  title: string;
}

/**
 * Computes the refund of units and of parts of the price of a locked order.
 * @throws invalid_request (400) for an unknown or duplicate line or charge or another currency, already_refunded (409) for
 *   more than is left
 */
export async function planRefund(tx: TenantDatabase, orderId: string, request: RefundRequest): Promise<RefundPlan> {
  const order = await orders.require(tx, orderId);
  const open = await openChargesOf(tx, order);
  return planOf([...itemsOf(order, open, request), ...shippingOf(order, open, request)]);
}

/**
 * Computes the refund of an amount of a locked order, shared among all that is left to refund of it. Its parts may be less
 * than the amount while other refunds are pending that will fail.
 */
export async function planRefundOfAmount(tx: TenantDatabase, orderId: string, amount: number): Promise<RefundPlan> {
  if (amount <= 0) return planOf([]);
  const open = await openChargesOf(tx, await orders.require(tx, orderId));
  return planOf(shareOf(open, amount));
}

function planOf(parts: readonly RefundPart[]): RefundPlan {
  const sum = (name: keyof AmountWithTax) => parts.reduce((all, part) => all + part[name], 0);
  return { amount: sum('amount'), tax: sum('tax'), parts };
}

function shareOf(open: readonly OpenCharge[], amount: number): RefundPart[] {
  const lefts = open.map(({ left }) => left);
  const most = lefts.reduce((sum, left) => sum + left.amount, 0);
  const shares = shareRefund(lefts, Math.min(amount, most));
  return lefts.flatMap(({ lineItemId, shippingCode }, at) => {
    const share = shares[at] as AmountWithTax;
    return share.amount > 0 ? [{ lineItemId, shippingCode, quantity: 0, ...share }] : [];
  });
}

/**
 * The charges of a locked order. What was refunded of it without a part in the ledger, by amount in an earlier release, is
 * added to the ledger first.
 */
async function openChargesOf(tx: TenantDatabase, order: OrderRow): Promise<OpenCharge[]> {
  const charges = chargesOf(order);
  const titleOf = ({ lineItemId, shippingCode }: Charge) =>
    order.lines.find(({ id }) => id === lineItemId)?.title ?? `The shipping charge ${shippingCode}`;
  const openBy = (refunds: OrderRow['refundItems']) =>
    charges.map((charge) => {
      const refunded = refundedOf(refunds, charge);
      return { charge, refunded, left: leftOf(charge, refunded), title: titleOf(charge) };
    });
  const open = openBy(order.refundItems);
  const unassigned = refundedChargeOf(order) - order.refundItems.reduce((sum, { amount }) => sum + amount, 0);
  if (unassigned <= 0) return open;
  const parts = shareOf(open, unassigned);
  // They belong to no single refund: they have the id of the order.
  await insertParts(tx, order.id, order.id, parts);
  return openBy([...order.refundItems, ...parts]);
}

function itemsOf({ currency }: OrderRow, open: readonly OpenCharge[], { items = [] }: RefundRequest): RefundPart[] {
  return items.map(({ lineItemId, quantity, amount }, at) => {
    const pointer = `/items/${at}/lineItemId`;
    const found = open.find(({ charge }) => charge.lineItemId === lineItemId);
    if (!found) throw invalidField(pointer, 'is not an item of the order');
    if (items.findIndex((each) => each.lineItemId === lineItemId) !== at) throw invalidField(pointer, 'is a duplicate');
    if ((quantity === undefined) === (amount === undefined)) {
      throw invalidField(`/items/${at}`, 'must have either a quantity or an amount');
    }
    if (amount) return amountOf(found, currency, amount, `/items/${at}`);
    return unitsOf(found, quantity as number);
  });
}

function shippingOf(
  { currency }: OrderRow,
  open: readonly OpenCharge[],
  { shipping = [] }: RefundRequest,
): RefundPart[] {
  const all = open.filter(({ charge }) => charge.shippingCode !== null);
  if (shipping === true) {
    return all.filter((each) => !isRefunded(each)).map((each) => unitsOf(each, 1));
  }
  const codes = shipping.map((each) => (typeof each === 'string' ? each : each.code));
  return shipping.map((each, at) => {
    const found = all.find(({ charge }) => charge.shippingCode === codes[at]);
    if (!found) throw invalidField(`/shipping/${at}`, 'is not a shipping charge of the order');
    if (codes.indexOf(codes[at] as string) !== at) throw invalidField(`/shipping/${at}`, 'is a duplicate');
    if (typeof each !== 'string') return amountOf(found, currency, each.amount, `/shipping/${at}`);
    if (isRefunded(found)) throw alreadyRefunded(`The shipping charge ${each} is already refunded.`);
    return unitsOf(found, 1);
  });
}

/** True for a charge of which nothing is left: no units, or no amount. */
function isRefunded({ charge, left }: OpenCharge): boolean {
  return left.quantity === 0 || (left.amount === 0 && charge.amount > 0);
}

const shown = (amount: number, currency: string) => formatMoney(money(amount, currency), 'en');

/** Units cost nothing if all of their price was refunded by amount. */
function unitsOf({ charge, refunded, left, title }: OpenCharge, quantity: number): RefundPart {
  if (quantity > left.quantity) {
    throw alreadyRefunded(`${title}: ${left.quantity} of ${charge.quantity} units are left to refund.`);
  }
  const { lineItemId, shippingCode } = charge;
  return { lineItemId, shippingCode, quantity, ...refundOf(charge, refunded, quantity) };
}

function amountOf(
  { charge, left, title }: OpenCharge,
  currency: string,
  amount: MoneyValue,
  pointer: string,
): RefundPart {
  if (amount.currency !== currency) throw invalidField(`${pointer}/amount/currency`, `must be ${currency}`);
  if (amount.amount > left.amount) {
    const amounts = `${shown(left.amount, currency)} of ${shown(charge.amount, currency)}`;
    throw alreadyRefunded(`${title}: ${amounts} is left to refund.`);
  }
  const { lineItemId, shippingCode } = charge;
  return { lineItemId, shippingCode, quantity: 0, ...refundOfAmount(left, amount.amount) };
}

/**
 * Locks an order to refund some of it; its lines first if the stock of refunded units does not return, since that depends
 * on what the order holds. Null for an unknown id.
 */
export async function lockOrderForRefund(
  tx: TenantDatabase,
  orderId: string,
  { restock = true }: { restock?: boolean },
): Promise<OrderState | null> {
  if (!restock) await lockOrderLines(tx, orderId);
  return lockOrder(tx, orderId);
}

/**
 * Records the parts of a refund. The order must be locked since it was planned, by `lockOrderForRefund`.
 * @param refundId chosen by the caller
 * @param restock whether the stock of its units returns; otherwise the order writes it off
 */
export async function recordRefund(
  tx: TenantDatabase,
  orderId: string,
  refundId: string,
  { parts }: RefundPlan,
  restock: boolean,
): Promise<void> {
  const lines = restock ? [] : await findOrderUnits(tx, [orderId]);
  const recorded = parts.map((part) => {
    const line = lines.find(({ id }) => id === part.lineItemId);
    return { ...part, writtenOffQuantity: line ? writtenOffBy(line, part.quantity) : 0 };
  });
  await insertParts(tx, orderId, refundId, recorded);
  await tellListeners(tx, orderId, parts);
}

async function tellListeners(tx: TenantDatabase, orderId: string, parts: readonly RefundPart[]): Promise<void> {
  if (parts.every(({ quantity }) => quantity === 0)) return;
  for (const listen of orderRefundListeners.of(tx)) await listen(tx, orderId);
}

/** Reverses a refund that failed, so that its parts can be refunded again. The order must be locked. Call it once. */
export async function reverseRefund(tx: TenantDatabase, refundId: string): Promise<void> {
  const found = await partsOfRefunds(tx, [refundId]);
  const orderId = found[0]?.orderId;
  if (orderId === undefined) return;
  const parts = found.map(({ lineItemId, shippingCode, quantity, amount, tax, writtenOffQuantity }) => ({
    ...{ lineItemId, shippingCode, quantity: -quantity, amount: -amount, tax: -tax },
    writtenOffQuantity: -writtenOffQuantity,
  }));
  await insertParts(tx, orderId, refundId, parts);
  await tellListeners(tx, orderId, parts);
}
