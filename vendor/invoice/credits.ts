/**
 * Divides the amount of a credit note among the lines of its invoice. No line, net amount or tax is credited beyond what
 * the invoice has of it, and a credit note of all that is left takes exactly that.
 */
import { refundOf } from '@carton/order';
import { allocate, divideRounded } from '@carton/runtime';
import { type ContentLine, type LinePart, sumsOf, totalsOf } from './content.ts';

const sumOf = (amounts: readonly number[]) => amounts.reduce((sum, amount) => sum + amount, 0);

/** The lines of an invoice less those of its credit notes. Their quantities are the units left to credit. */
export function leftOf(lines: readonly ContentLine[], credited: readonly ContentLine[]): ContentLine[] {
  return lines.map((line) => {
    const own = credited.filter((other) => isSameCharge(line, other));
    return {
      ...line,
      quantity: line.quantity - sumOf(own.map(({ quantity }) => quantity)),
      credit: line.credit - sumOf(own.map(({ credit }) => credit)),
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

/** Units of a line, or a shipping charge, to credit. */
export interface UnitCredit extends ChargeKey {
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
export function costOfUnits(line: ContentLine, left: ContentLine, quantity: number): UnitCredit {
  const [all, rest] = [amountsOf(line), amountsOf(left)];
  const { lineItemId, shippingCode } = line;
  const credited = {
    quantity: line.quantity - left.quantity,
    amount: all.amount - rest.amount,
    tax: all.tax - rest.tax,
  };
  const charge = { lineItemId, shippingCode, quantity: line.quantity, ...all };
  const cost = refundOf(charge, credited, quantity);
  const amount = Math.min(cost.amount, Math.max(0, rest.amount));
  return { lineItemId, shippingCode, quantity, amount, tax: Math.min(cost.tax, amount) };
}

/** The amount to pay of a line, and the tax within it. */
function amountsOf(line: ContentLine) {
  const { total: amount, tax } = totalsOf([line]);
  return { amount, tax };
}

/**
 * The lines of a credit note for units. What a line has no longer left, because its price was reduced before, is taken
 * from the others.
 * @param left the lines of the invoice less its credit notes, with at least the sum of the amounts
 */
export function creditUnits(left: readonly ContentLine[], units: readonly UnitCredit[]): ContentLine[] {
  let missing = 0;
  const taken = left.map((line) => {
    const unit = units.find((each) => isSameCharge(each, line));
    if (!unit) return emptied(line);
    const amount = Math.min(unit.amount, Math.max(0, amountsOf(line).amount));
    missing += unit.amount - amount;
    return { ...takeFrom([line], amount, unit.tax)[0], quantity: unit.quantity } as ContentLine;
  });
  const more = missing > 0 ? creditAmount(leftOf(left, taken), missing) : [];
  return mergeLines(left, [...taken, ...more]).filter(isCredited);
}

/**
 * The lines of a credit note for an amount, divided among all lines in proportion to what is left of them.
 * @param left the lines of the invoice less its credit notes
 * @param amount minor units, at most what is left to pay of them
 */
export function creditAmount(left: readonly ContentLine[], amount: number): ContentLine[] {
  if (amount === totalsOf(left).total) return creditAll(left);
  return takeFrom(left, amount)
    .map((line) => ({ ...line, quantity: 0 }))
    .filter(isCredited);
}

/** The lines of a credit note for all that is left. */
export function creditAll(left: readonly ContentLine[]): ContentLine[] {
  return left.map((line) => ({ ...line, discount: 0 })).filter(isCredited);
}

function isCredited({ quantity, credit, parts }: ContentLine): boolean {
  return quantity !== 0 || credit !== 0 || parts.some(({ net, taxes }) => net !== 0 || taxes.some((tax) => tax !== 0));
}

/** @param tax the part of the amount that is tax; if omitted, in proportion */
function takeFrom(left: readonly ContentLine[], amount: number, tax?: number): ContentLine[] {
  const { total, credit } = totalsOf(left);
  // Credits of the order are reversed with the amounts that they reduced.
  const creditTaken = total === 0 ? 0 : divideRounded(BigInt(credit) * BigInt(amount), BigInt(total));
  const gross = amount - creditTaken;
  const parts = left.flatMap((line) => line.parts);
  const taken = tax === undefined ? takeCells(parts, gross) : takeTaxed(parts, gross, tax);
  const credits = allocate(
    creditTaken,
    left.map((line) => Math.max(0, -line.credit)),
  );
  let at = 0;
  return left.map((line, index) => {
    const own = taken.slice(at, at + line.parts.length);
    at += line.parts.length;
    return { ...line, discount: 0, credit: credits[index] as number, parts: own };
  });
}

/** Takes an amount from net amounts and taxes in proportion. */
function takeCells(parts: readonly LinePart[], amount: number): LinePart[] {
  const cells = parts.flatMap(({ net, taxes }) => [net, ...taxes]);
  const shares = divide(amount, cells);
  let at = 0;
  return parts.map(({ group, taxes }) => {
    const [net, ...own] = shares.slice(at, at + 1 + taxes.length) as [number, ...number[]];
    at += 1 + taxes.length;
    return { group, net, taxes: own };
  });
}

/** Takes this much tax, as far as there is any, and the rest from the net amounts. */
function takeTaxed(parts: readonly LinePart[], amount: number, tax: number): LinePart[] {
  const sums = sumsOf(parts);
  const most = Math.min(tax, Math.max(0, sums.tax));
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
  return { ...line, quantity: 0, discount: 0, credit: 0, parts };
}

/** Adds up the lines of the same charge. */
function mergeLines(order: readonly ContentLine[], lines: readonly ContentLine[]): ContentLine[] {
  return order.map((line) => {
    const negative = leftOf([emptied(line)], lines)[0] as ContentLine;
    return {
      ...negative,
      quantity: -negative.quantity || 0,
      credit: -negative.credit || 0,
      parts: negative.parts.map(({ group, net, taxes }) => ({
        group,
        net: -net || 0,
        taxes: taxes.map((tax) => -tax || 0),
      })),
    };
  });
}
