/**
 * The fee of an existing order follows the choice of its payment method: the fee of the chosen method takes the place of
 * the fees of methods by which no money was received or is held. The order and its payments are locked meanwhile.
 *
 * The total is rounded for the chosen method, too (`rounding.ts`).
 *
 * A fee stays if its method has received or holds money, if some of it was refunded, or if some of it is paid: when what
 * the order has received is more than it costs without the fee.
 */
import {
  balanceOf,
  findOrder,
  type NewCharge,
  type NewTax,
  type Order,
  type OrderState,
  replaceCharges,
  replaceRounding,
  taxesOfAddedCharge,
} from '@carton/order';
import { type MoneyValue, money, type TenantDatabase } from '@carton/runtime';
import { adapterOf } from '../adapters/bound.ts';
import { format, lowerFirst } from '../format.ts';
import { nameOfMethod } from '../methods/service.ts';
import type { MethodFees } from '../methods/store.ts';
import { refreshPaymentStatus } from '../payments/bookkeeping.ts';
import { lockPaymentsOfOrder, type PaymentRow, pendingStepsOf } from '../payments/store.ts';
import { chargeOf, methodOfCharge } from './charge.ts';
import { changeOfRounding, roundingStep } from './rounding.ts';

/** The payments of a locked order, and what it owes. */
export interface Debt {
  /** All, locked. */
  payments: readonly PaymentRow[];
  /** Those that wait for their payer. */
  waiting: readonly PaymentRow[];
  /** Those that hold money that they may still receive. */
  holding: readonly PaymentRow[];
  /** Minor units owed beyond what all payments have received or hold. */
  due: number;
}

/** Locks the payments of a locked order. */
export async function lockDebt(tx: TenantDatabase, order: OrderState): Promise<Debt> {
  const payments = await lockPaymentsOfOrder(tx, order.id);
  const steps = await pendingStepsOf(tx, order.id);
  const stepOf = ({ id }: PaymentRow) => steps.find(({ paymentId }) => paymentId === id)?.type;
  const waiting = payments.filter(
    (payment) =>
      (payment.status === 'pending' || payment.status === 'failed') &&
      stepOf(payment) === undefined &&
      adapterOf(tx, payment.provider) !== null,
  );
  const holding = payments
    .filter(({ status }) => status === 'pending' || status === 'authorized')
    .filter((payment) => !waiting.includes(payment) && stepOf(payment) !== 'void');
  const held = holding.reduce((sum, { amount, capturedAmount }) => sum + amount - capturedAmount, 0);
  return { payments, waiting, holding, due: balanceOf(order) - held };
}

/** A method as it is configured now. */
type ChosenMethod = MethodFees & { fees: MoneyValue[] };

/**
 * Re-prices the fees of a locked order for a chosen method, and rounds its total.
 * @param order its total and payment status are changed
 * @param chosen the method, with its settings; without these it has no fee
 * @param isKept methods whose fees stay in any case
 * @returns minor units owed then, as in `debt`
 */
export async function repriceForChoice(
  tx: TenantDatabase,
  order: OrderState,
  debt: Debt,
  { code, provider, settings: method }: { code: string; provider: string; settings: ChosenMethod | null },
  isKept?: (method: string) => boolean,
): Promise<number> {
  const fee = method?.fees.find(({ currency }) => currency === order.currency);
  const due = await reprice(tx, order, debt, fee && method ? chargeOf(method, fee.amount) : null, isKept);
  return roundTotal(tx, order, due, { code, provider });
}

/** Rounds the total of an order of which something is owed. @returns minor units owed then */
async function roundTotal(
  tx: TenantDatabase,
  state: OrderState,
  due: number,
  method: Parameters<typeof roundingStep>[2],
): Promise<number> {
  if (due <= 0) return due;
  const order = (await findOrder(tx, state.id)) as Order;
  const change = changeOfRounding(order, due, await roundingStep(tx, order.currency, method));
  if (change === 0) return due;
  const rounding = order.totals.rounding.amount + change;
  await replaceRounding(tx, state, rounding, `The total is rounded by ${format(money(rounding, order.currency))}`);
  await refreshPaymentStatus(tx, state);
  return due + change;
}

/** Removes the fees of methods of which no payment is open any longer: their provider has refused the last one. */
export async function removeUnusedFees(tx: TenantDatabase, order: OrderState): Promise<void> {
  if (order.status === 'canceled') return;
  const debt = await lockDebt(tx, order);
  const isOpen = (method: string) => debt.waiting.some((payment) => payment.method === method);
  const due = await reprice(tx, order, debt, null, isOpen);
  const open = debt.waiting[0];
  await roundTotal(tx, order, due, open ? { code: open.method, provider: open.provider } : null);
}

type Fee = Omit<NewCharge, 'taxes' | 'discounts'>;

async function reprice(
  tx: TenantDatabase,
  state: OrderState,
  debt: Debt,
  chosen: Fee | null,
  isKept: (method: string) => boolean = () => false,
): Promise<number> {
  const order = (await findOrder(tx, state.id)) as Order;
  const unearned = unearnedFees(order, debt, isKept);
  const without = debt.due - unearned.reduce((sum, { charged }) => sum + (charged?.amount ?? 0), 0);
  if (without < 0) return debt.due;
  const others = order.adjustments.filter((each) => !unearned.some(({ code }) => isOfCharge(each, code)));
  const isCharged = others.some((each) => chosen !== null && isOfCharge(each, chosen.code));
  const wanted = without === 0 || isCharged ? null : chosen;
  const isAsWanted = ({ code, amount }: Adjustment) => code === wanted?.code && amount.amount === wanted.amount;
  const removed = unearned.filter((fee) => !isAsWanted(fee));
  const added = unearned.some(isAsWanted) ? null : wanted;
  if (removed.length === 0 && !added) return debt.due;
  const before = state.totalAmount;
  const none = { taxes: [], discounts: [] };
  const taxation = added ? await taxesOfAddedCharge(tx, { ...order, adjustments: others }, added.amount) : none;
  await replaceCharges(tx, state, {
    remove: removed.map(({ code }) => code),
    add: added ? [{ ...added, ...taxation }] : [],
    messages: [
      ...removed.map((fee) => messageOf('removed', fee, fee.amount, taxesOn(order, fee))),
      ...(added ? [messageOf('added', added, money(added.amount, order.currency), taxation.taxes)] : []),
    ],
  });
  await refreshPaymentStatus(tx, state);
  return debt.due + state.totalAmount - before;
}

type Adjustment = Order['adjustments'][number];

/** Whether an adjustment is this shipping charge, or on it. */
function isOfCharge({ kind, code, itemId, shippingCode }: Adjustment, charge: string): boolean {
  return kind === 'shipping' ? code === charge : itemId === null && shippingCode === charge;
}

/** The fees of methods by which no money was received or is held, and of which nothing was refunded. */
function unearnedFees(
  { adjustments }: Order,
  { payments, holding }: Debt,
  isKept: (method: string) => boolean,
): Adjustment[] {
  const isEarned = (method: string) =>
    payments.some((payment) => payment.method === method && (payment.capturedAmount > 0 || holding.includes(payment)));
  return adjustments.filter((charge) => {
    const method = charge.kind === 'shipping' ? methodOfCharge(charge) : null;
    return method !== null && !isEarned(method) && !isKept(method) && charge.refunded?.amount === 0;
  });
}

function taxesOn({ taxLines }: Order, { code }: Pick<NewCharge, 'code'>): Pick<NewTax, 'included' | 'amount'>[] {
  const own = taxLines.filter(({ itemId, shippingCode }) => itemId === null && shippingCode === code);
  return own.map(({ included, amount }) => ({ included, amount: amount.amount }));
}

/** `The fee of cash on delivery was added: 5.00 EUR and 1.00 EUR of tax` */
function messageOf(
  change: 'added' | 'removed',
  { label, ...charge }: Pick<NewCharge, 'code' | 'label' | 'source'>,
  amount: MoneyValue,
  taxes: readonly Pick<NewTax, 'included' | 'amount'>[],
): string {
  const onTop = taxes.reduce((sum, tax) => sum + (tax.included ? 0 : tax.amount), 0);
  const tax = onTop > 0 ? ` and ${format(money(onTop, amount.currency))} of tax` : '';
  const code = methodOfCharge(charge) as string;
  const name = label === nameOfMethod({ name: null, code }) ? lowerFirst(label) : label;
  return `The fee of ${name} was ${change}: ${format(amount)}${tax}`;
}
