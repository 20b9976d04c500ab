/**
 * Divides the amount of a credit note among the lines of its invoice. No line, net amount or tax is credited beyond what
 * the invoice has of it, and a credit note of all that is left takes exactly that.
 */
import { refundOf, shareRefund } from '@carton/order';
import { allocate, divideRounded } from '@carton/runtime';
import { type ContentLine, type LinePart, sumsOf, totalsOf } from '../content.ts';

const sumOf = (amounts: readonly number[]) => amounts.reduce((sum, amount) => sum + amount, 0);

/** The lines of an invoice less those of its credit notes. Their quantities are the units left to credit. */
export function leftOf(lines: readonly ContentLine[], credited: readonly ContentLine[]): ContentLine[] {
  return lines.map((line) => {
    const own = credited.filter((other) => isSameCharge(line, other));
    return {
      ...line,
      quantity: line.quantity - sumOf(own.map(({ quantity }) => quantity)),
      credit: line.credit - sumOf(own.map(({ credit }) => credit)),
      rounding: (line.rounding ?? 0) - sumOf(own.map(({ rounding = 0 }) => rounding)),
      parts: line.parts.map((part, at) => ({
        group: part.group,
        net: part.net - sumOf(own.map(({ parts }) => parts[at]?.net ?? 0)),
        taxes: part.taxes.map((tax, position) => tax - sumOf(own.map(({ parts }) => parts[at]?.taxes[position] ?? 0))),
      })),
    };
  });
}

/** Names a line or a shipping charge. */
export interface ChargeKey {
  lineItemId: string | null;
  shippingCode: string | null;
}

export function isSameCharge(one: ChargeKey, other: ChargeKey): boolean {
  return one.lineItemId === other.lineItemId && one.shippingCode === other.shippingCode;
}

/** What to credit of a line or a shipping charge. */
export interface ChargeCredit extends ChargeKey {
  /** Units; zero for a part of the price. */
  quantity: number;
  /** With all taxes, in minor units. */
  amount: number;
  /** The part of `amount` that is tax. */
  tax: number;
}

/**
 * What further units of a line of the invoice cost: all units, in any division, cost the entire line.
 * @param left the line less its credit notes
 */
export function costOfUnits(line: ContentLine, left: ContentLine, quantity: number): ChargeCredit {
  const [all, rest] = [amountsOf(line), amountsOf(left)];
  const { lineItemId, shippingCode } = line;
  const credited = {
    quantity: line.quantity - left.quantity,
    amount: all.amount - rest.amount,
    tax: all.tax - rest.tax,
  };
  const charge = { lineItemId, shippingCode, quantity: line.quantity, ...all };
  return { lineItemId, shippingCode, quantity, ...refundOf(charge, credited, quantity) };
}

/** The amount to pay of a line, and the tax within it. */
function amountsOf(line: ContentLine) {
  const { total: amount, tax } = totalsOf([line]);
  return { amount, tax };
}

/**
 * The lines of a credit note for units and parts of prices. What a line has no longer left, because staff have credited it
 * before, is taken from the others.
 * @param left the lines of the invoice less its credit notes, with at least the sum of the amounts
 * @param more an amount to credit besides, of all lines
 */
export function creditCharges(left: readonly ContentLine[], charges: readonly ChargeCredit[], more = 0): ContentLine[] {
  let missing = more;
  const taken = left.map((line) => {
    const charge = charges.find((each) => isSameCharge(each, line));
    if (!charge) return emptied(line);
    const amount = Math.min(charge.amount, Math.max(0, amountsOf(line).amount));
    missing += charge.amount - amount;
    return { ...takeFrom(line, amount, charge.tax), quantity: charge.quantity };
  });
  const others = missing > 0 ? creditAmount(leftOf(left, taken), missing) : [];
  return mergeLines(left, [...taken, ...others]).filter(isCredited);
}

/**
 * The lines of a credit note for an amount, shared among all lines as a refund of the amount is.
 * @param left the lines of the invoice less its credit notes
 * @param amount minor units, at most what is left to pay of them
 */
export function creditAmount(left: readonly ContentLine[], amount: number): ContentLine[] {
  const amounts = left.map(amountsOf);
  if (amount === totalsOf(left).total) return creditAll(left);
  const shares = shareRefund(amounts, amount);
  return left
    .map((line, at) => {
      const share = shares[at] ?? { amount: 0, tax: 0 };
      return { ...takeFrom(line, share.amount, share.tax), quantity: 0 };
    })
    .filter(isCredited);
}

/** The lines of a credit note for all that is left. */
export function creditAll(left: readonly ContentLine[]): ContentLine[] {
  return left.map((line) => ({ ...line, discount: 0 })).filter(isCredited);
}

function isCredited({ quantity, credit, rounding = 0, parts }: ContentLine): boolean {
  const isTaken = quantity !== 0 || credit !== 0 || rounding !== 0;
  return isTaken || parts.some(({ net, taxes }) => net !== 0 || taxes.some((tax) => tax !== 0));
}

/** Takes an amount of a line, with this much tax. */
function takeFrom(line: ContentLine, amount: number, tax: number): ContentLine {
  const { total, credit, rounding } = totalsOf([line]);
  // Credits and the rounding of the order are reversed with the amounts that they changed.
  const partOf = (part: number) => (total === 0 ? 0 : divideRounded(BigInt(part) * BigInt(amount), BigInt(total)) || 0);
  const taken = { credit: partOf(credit), rounding: partOf(rounding) };
  const taxed = amount - taken.credit - taken.rounding;
  return { ...line, discount: 0, ...taken, parts: takeTaxed(line.parts, taxed, tax) };
}

/** Takes this much tax, as far as there is any, and the rest from the net amounts. */
function takeTaxed(parts: readonly LinePart[], amount: number, tax: number): LinePart[] {
  const sums = sumsOf(parts);
  const most = Math.min(tax, amount, Math.max(0, sums.tax));
  const net = Math.min(amount - most, Math.max(0, sums.net));
  const nets = divide(
    net,
    parts.map((part) => part.net),
  );
  const taxes = divide(
    amount - net,
    parts.flatMap((part) => part.taxes),
  );
  let at = 0;
  return parts.map((part, index) => {
    const own = taxes.slice(at, at + part.taxes.length);
    at += part.taxes.length;
    return { group: part.group, net: nets[index] as number, taxes: own };
  });
}

function divide(amount: number, cells: readonly number[]): number[] {
  return allocate(
    amount,
    cells.map((cell) => Math.max(0, cell)),
  );
}

function emptied(line: ContentLine): ContentLine {
  const parts = line.parts.map(({ group, taxes }) => ({ group, net: 0, taxes: taxes.map(() => 0) }));
  return { ...line, quantity: 0, discount: 0, credit: 0, rounding: 0, parts };
}

/** Adds up the lines of the same charge. */
function mergeLines(order: readonly ContentLine[], lines: readonly ContentLine[]): ContentLine[] {
  return order.map((line) => {
    const negative = leftOf([emptied(line)], lines)[0] as ContentLine;
    return {
      ...negative,
      quantity: -negative.quantity || 0,
      credit: -negative.credit || 0,
      rounding: -(negative.rounding ?? 0) || 0,
      parts: negative.parts.map(({ group, net, taxes }) => ({
        group,
        net: -net || 0,
        taxes: taxes.map((tax) => -tax || 0),
      })),
    };
  });
}
