/**
 * Credit notes that staff issue: of units, of an amount, or of all that is left.
 */
import { lockOrder } from '@carton/order';
import { formatMoney, invalidField, type MoneyValue, money, type TenantDatabase } from '@carton/runtime';
import { type ContentLine, totalsOf } from '../content.ts';
import { creditNotPossible } from '../problems.ts';
import { type InvoiceRow, invoices } from '../store.ts';
import { creditLocked, linesLeft } from './service.ts';
import { type ChargeCredit, costOfUnits, isSameCharge } from './shares.ts';

/** What to credit; without an amount, items and shipping, all that is left. */
export interface CreditRequest {
  amount?: MoneyValue;
  items?: readonly { lineItemId: string; quantity: number }[];
  /** True for all shipping charges that are not credited yet; or their codes. */
  shipping?: true | readonly string[];
  reason?: string;
}

/**
 * Issues a credit note for an invoice.
 * @throws not_found (404), invalid_request (400) for an unknown or duplicate line or charge, another currency, or an
 *   amount with units; credit_not_possible (409) for a credit note, for nothing, or for more than is left
 */
export async function creditInvoice(db: TenantDatabase, id: string, request: CreditRequest): Promise<InvoiceRow> {
  return db.transaction(async (tx) => {
    const invoice = await invoices.require(tx, id);
    if (invoice.kind === 'credit_note') throw creditNotPossible('A credit note cannot be credited.');
    await lockOrder(tx, invoice.orderId);
    const left = await linesLeft(tx, invoice);
    const { reason, amount, items, shipping } = request;
    const isByUnits = items !== undefined || shipping !== undefined;
    if (isByUnits && amount) throw invalidField('/amount', 'cannot be combined with items or shipping');
    if (isByUnits) return creditLocked(tx, invoice, left, { charges: unitsOf(invoice, left, request), reason });
    if (!amount) return creditLocked(tx, invoice, left, { all: true, reason });
    const { currency } = invoice;
    if (amount.currency !== currency) throw invalidField('/amount/currency', `must be ${currency}`);
    const most = totalsOf(left).total;
    if (amount.amount > most) {
      throw creditNotPossible(`At most ${formatMoney(money(most, currency), 'en')} is left to credit.`);
    }
    return creditLocked(tx, invoice, left, { amount: amount.amount, reason });
  });
}

function unitsOf(
  { content: { lines } }: InvoiceRow,
  left: readonly ContentLine[],
  { items = [], shipping = [] }: CreditRequest,
): ChargeCredit[] {
  const units: ChargeCredit[] = [];
  const add = (lineItemId: string | null, shippingCode: string | null, quantity: number, pointer: string) => {
    const key = { lineItemId, shippingCode };
    const line = lines.find((each) => isSameCharge(each, key));
    const rest = left.find((each) => isSameCharge(each, key));
    if (!line || !rest) throw invalidField(pointer, 'is not on the invoice');
    if (units.some((unit) => isSameCharge(unit, key))) throw invalidField(pointer, 'is a duplicate');
    if (quantity > rest.quantity) {
      throw creditNotPossible(`${line.title}: ${rest.quantity} of ${line.quantity} are left to credit.`);
    }
    units.push(costOfUnits(line, rest, quantity));
  };
  for (const [at, { lineItemId, quantity }] of items.entries()) {
    add(lineItemId, null, quantity, `/items/${at}/lineItemId`);
  }
  const codes =
    shipping === true
      ? left.flatMap(({ shippingCode, quantity }) => (shippingCode !== null && quantity > 0 ? [shippingCode] : []))
      : shipping;
  for (const [at, code] of codes.entries()) add(null, code, 1, `/shipping/${at}`);
  return units;
}
