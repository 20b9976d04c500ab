/**
 * Replacing shipping charges of an order, with what follows from it: totals, taxes, timeline and events. The order must be
 * locked. What was refunded of a charge refers to it by code, so a charge with refunds is not replaced.
 */
import { publish, type TenantDatabase } from '@carton/runtime';
import { orderChargesChanged, orderUpdated, payloadOf } from '../events.ts';
import type { OrderAdjustmentRow, OrderState } from '../store.ts';
import { insertOrderEvent } from '../timeline/store.ts';
import {
  addToTotals,
  deleteAdjustments,
  deleteTaxLines,
  insertCharges,
  type NewCharge,
  type NewTax,
  refundedAmong,
  setRounding,
} from './store.ts';

/** What to replace. */
export interface ChargeReplacement {
  /** Codes of shipping charges. */
  remove: readonly string[];
  /** With codes that the order does not have, or that are removed. */
  add: readonly NewCharge[];
  /** Lines for the timeline. */
  messages: readonly string[];
}

/**
 * Replaces charges, and publishes `order.updated` and `order.charges_changed`.
 * @param order as it was locked; its total is changed
 * @throws Error for a charge of which something was refunded
 */
export async function replaceCharges(
  tx: TenantDatabase,
  order: OrderState,
  { remove, add, messages }: ChargeReplacement,
): Promise<void> {
  const { id } = order;
  if ((await refundedAmong(tx, id, remove)).length > 0) {
    throw new Error(`a charge of the order ${id} was refunded, and cannot be replaced`);
  }
  const adjustments = await deleteAdjustments(tx, id, remove);
  const taxes = await deleteTaxLines(tx, id, remove);
  await insertCharges(tx, id, add);
  const removed = (kind: OrderAdjustmentRow['kind']) => sumOf(adjustments.filter((each) => each.kind === kind));
  const addedTaxes = add.flatMap((charge) => charge.taxes);
  const discounts = sumOf(add.flatMap((charge) => charge.discounts ?? []));
  const [shipping, discount] = [sumOf(add) - removed('shipping'), discounts - removed('discount')];
  const onTopTax = sumOf(onTop(addedTaxes)) - sumOf(onTop(taxes));
  const state = await addToTotals(tx, id, {
    shipping,
    discount,
    tax: sumOf(addedTaxes) - sumOf(taxes),
    total: shipping + discount + onTopTax,
  });
  await announceChange(tx, order, state, messages);
}

/**
 * Replaces what the total was rounded by, and publishes `order.updated` and `order.charges_changed`.
 * @param order as it was locked, and nothing of it refunded, since that has had its share; its total is changed
 * @param rounding minor units, positive or negative
 * @param message for the timeline
 */
export async function replaceRounding(
  tx: TenantDatabase,
  order: OrderState,
  rounding: number,
  message: string,
): Promise<void> {
  await announceChange(tx, order, await setRounding(tx, order.id, rounding), [message]);
}

async function announceChange(
  tx: TenantDatabase,
  order: OrderState,
  state: OrderState,
  messages: readonly string[],
): Promise<void> {
  const { id } = order;
  for (const message of messages) await insertOrderEvent(tx, id, 'updated', message);
  for (const event of [orderUpdated, orderChargesChanged]) {
    await publish(tx, event, { type: 'order', id }, payloadOf(state));
  }
  order.totalAmount = state.totalAmount;
}

type Taxes = Pick<NewTax, 'amount' | 'included'>;
const onTop = (parts: readonly Taxes[]) => parts.filter(({ included }) => !included);
const sumOf = (parts: readonly { amount: number }[]) => parts.reduce((sum, { amount }) => sum + amount, 0);
