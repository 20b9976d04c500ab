/**
 * Credit notes for refunds of orders.
 */
import { type Order, type OrderState, refundedChargeOf } from '@carton/order';
import { succeededRefunds } from '@carton/payment';
import type { TenantDatabase } from '@carton/runtime';
import { type ContentLine, totalsOf } from '../content.ts';
import { reasonOn } from '../credit-notes/reasons.ts';
import { creditLocked, linesLeft } from '../credit-notes/service.ts';
import { type ChargeCredit, costOfUnits, isSameCharge } from '../credit-notes/shares.ts';
import { findOpenInvoice, invoicesOfOrder } from '../store.ts';
import { chargeOf, documentsOf, isAddition, isCharged, type OpenDocument } from './charges.ts';

/** Lines of an invoice that the order still has, and what is left of them. */
interface CreditedLines {
  lines: readonly ContentLine[];
  left: readonly ContentLine[];
}

/**
 * Issues credit notes for the refunds of a locked order, one for each refund with the amounts and taxes of the refund, as
 * far as staff have not credited them before. What was received beyond the order's total is returned without one. What a
 * refund took of charges with an invoice of their own is credited there.
 */
export async function creditRefunds(tx: TenantDatabase, state: OrderState, order: Order): Promise<void> {
  const refunded = refundedChargeOf(state);
  if (refunded <= 0) return;
  const refunds = (await succeededRefunds(tx, order.id)).map((refund) => ({ id: refund.id, parts: partsOf(refund) }));
  const documents = await documentsOf(tx, order.id);
  const additions = documents.filter(({ invoice }) => isAddition(invoice));
  const isAdded = (part: ChargeCredit) =>
    additions.some(({ invoice }) =>
      chargedLines(order, invoice.content.lines).some((line) => isSameCharge(line, part)),
    );
  const all = refunds.flatMap(({ parts }) => parts);
  for (const addition of additions) await creditAddition(tx, order, addition, all);
  const own = await findOpenInvoice(tx, order.id);
  const document = documents.find(({ invoice }) => invoice.id === own);
  if (!document) return;
  const others = refunds.map(({ id, parts }) => ({ id, parts: parts.filter((part) => !isAdded(part)) }));
  await creditOwn(tx, order, document, { refunded: refunded - sumOf(all.filter(isAdded)), refunds: others });
}

/** The lines that the order still has; what it has no longer is credited by itself. */
function chargedLines(order: Order, lines: readonly ContentLine[]): ContentLine[] {
  return lines.filter((line) => isCharged(order, line));
}

/** Credits refunds on the order's own invoice. */
async function creditOwn(
  tx: TenantDatabase,
  order: Order,
  { invoice }: OpenDocument,
  { refunded, refunds }: { refunded: number; refunds: readonly DividedRefund[] },
): Promise<void> {
  const lines = chargedLines(order, invoice.content.lines);
  const reason = reasonOn(invoice, 'refund');
  const readLeft = async () => chargedLines(order, await linesLeft(tx, invoice));
  const earlier = new Set((await invoicesOfOrder(tx, order.id)).map(({ refundId }) => refundId));
  const open = refunds.filter(({ id, parts }) => parts.length > 0 && !earlier.has(id));
  const credits = creditsOf({ lines, left: await readLeft() }, { refunded, refunds, open });
  for (const { refundId, ...credit } of credits) {
    const left = await readLeft();
    const most = totalsOf(left).total;
    if (most <= 0) break;
    const isAll = sumOf(credit.charges) + credit.more >= most;
    await creditLocked(tx, invoice, left, { ...(isAll ? { all: true } : credit), reason, refundId });
  }
  // What was refunded by amount in an earlier release has no parts.
  const left = await readLeft();
  const credited = totalsOf(lines).total - totalsOf(left).total;
  const amount = Math.min(refunded - credited, totalsOf(left).total);
  if (amount > 0) await creditLocked(tx, invoice, left, { amount, reason });
}

/**
 * Credits what all refunds took of the charges of an invoice of their own, as far as it is not credited. A refund has one
 * credit note with its id, that of the order's own invoice, so this one has none.
 */
async function creditAddition(
  tx: TenantDatabase,
  order: Order,
  { invoice, left }: OpenDocument,
  refunded: readonly ChargeCredit[],
): Promise<void> {
  const charges = chargedLines(order, left).map((rest) => {
    const whole = chargeOf(invoice.content.lines.find((line) => isSameCharge(line, rest)) as ContentLine);
    const open = chargeOf(rest);
    const own = refunded.filter((part) => isSameCharge(part, rest));
    const dueOf = (name: 'quantity' | 'amount' | 'tax') => {
      const credited = whole[name] - open[name];
      return Math.max(0, Math.min(open[name], own.reduce((sum, part) => sum + part[name], 0) - credited));
    };
    return { ...open, quantity: dueOf('quantity'), amount: dueOf('amount'), tax: dueOf('tax') };
  });
  const due = charges.filter(({ amount }) => amount > 0);
  if (due.length === 0) return;
  await creditLocked(tx, invoice, left, { charges: due, reason: reasonOn(invoice, 'refund') });
}

/** A refund with what it took of lines and shipping charges. */
interface DividedRefund {
  id: string;
  parts: ChargeCredit[];
}

interface RefundCredit {
  refundId: string;
  charges: ChargeCredit[];
  /** Minor units of all lines, where staff have credited some of the refund before. */
  more: number;
}

/**
 * What to credit for refunds that have no credit note: the units that are not credited yet, and parts of prices as far as no
 * more is credited than was refunded. Credit notes of staff cover the oldest refunds.
 * @param refunded the sum of all refunds
 * @param refunds all refunds, the oldest first; `open` are those without a credit note
 */
function creditsOf(
  { lines, left }: CreditedLines,
  { refunded, refunds, open }: { refunded: number; refunds: readonly DividedRefund[]; open: readonly DividedRefund[] },
): RefundCredit[] {
  const all = refunds.flatMap(({ parts }) => parts);
  const counted: ChargeCredit[] = [];
  const byUnits = open.toReversed().map(({ id, parts }) => {
    const units = parts
      .filter(({ quantity }) => quantity > 0)
      .flatMap((part) => uncredited({ lines, left }, { all, counted }, part));
    counted.push(...units);
    return { refundId: id, units, prices: parts.filter(({ quantity }) => quantity === 0) };
  });
  let room = refunded - (totalsOf(lines).total - totalsOf(left).total) - sumOf(counted);
  const credits = byUnits.map(({ refundId, units, prices }) => {
    const whole = sumOf(prices);
    const amount = Math.min(whole, Math.max(0, room));
    room -= amount;
    return amount === whole
      ? { refundId, charges: [...units, ...prices], more: 0 }
      : { refundId, charges: units, more: amount };
  });
  return credits.filter(({ charges, more }) => sumOf(charges) + more > 0).reverse();
}

const sumOf = (credits: readonly ChargeCredit[]) => credits.reduce((sum, { amount }) => sum + amount, 0);

type Refund = Awaited<ReturnType<typeof succeededRefunds>>[number];

/** What a refund took of lines and shipping charges. */
function partsOf({ items, shipping }: Refund): ChargeCredit[] {
  return [
    ...items.map(({ lineItemId, quantity, amount, tax }) => ({
      lineItemId,
      shippingCode: null,
      quantity,
      amount: amount.amount,
      tax: tax.amount,
    })),
    ...shipping.map(({ code, quantity, amount, tax }) => ({
      lineItemId: null,
      shippingCode: code,
      quantity,
      amount: amount.amount,
      tax: tax.amount,
    })),
  ];
}

/**
 * The units of a part that are not credited yet: staff may have done so before.
 * @param all what was refunded @param counted what is to be credited already
 */
function uncredited(
  { lines, left }: CreditedLines,
  { all, counted }: { all: readonly ChargeCredit[]; counted: readonly ChargeCredit[] },
  part: ChargeCredit,
): ChargeCredit[] {
  const line = lines.find((each) => isSameCharge(each, part));
  const rest = left.find((each) => isSameCharge(each, part));
  if (!line || !rest) return [];
  const unitsIn = (credits: readonly ChargeCredit[]) =>
    credits.filter((each) => isSameCharge(each, part)).reduce((sum, { quantity }) => sum + quantity, 0);
  const quantity = Math.min(part.quantity, unitsIn(all) - (line.quantity - rest.quantity) - unitsIn(counted));
  if (quantity <= 0) return [];
  return [quantity === part.quantity ? part : costOfUnits(line, rest, quantity)];
}
