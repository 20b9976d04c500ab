/**
 * Issuing credit notes. Every function that writes locks the order first, then the balance of its invoice, then the series
 * of the number.
 */
import { findStore } from '@carton/core';
import { formatMoney, money, type TenantDatabase } from '@carton/runtime';
import { type ContentLine, totalsOf } from '../content.ts';
import { announce, insertNumbered } from '../issuing/numbering.ts';
import { creditNotPossible } from '../problems.ts';
import { invoiceSettings } from '../settings.ts';
import { addCredit, creditedLines, type InvoiceRow } from '../store.ts';
import { type ChargeCredit, creditAll, creditAmount, creditCharges, leftOf } from './shares.ts';

/** What a credit note is for. */
export type Credit = (
  | { charges: readonly ChargeCredit[] /** Minor units of all lines, besides. */; more?: number }
  | { /** Minor units. */ amount: number }
  | { all: true }
) & {
  reason?: string | null;
  refundId?: string | null;
};

/** The lines of an invoice that are left to credit; its order must be locked. */
export async function linesLeft(tx: TenantDatabase, invoice: InvoiceRow): Promise<ContentLine[]> {
  return leftOf(invoice.content.lines, await creditedLines(tx, invoice.orderId, invoice.id));
}

/**
 * Issues a credit note. The order must be locked.
 * @param left the lines of the invoice that are left
 * @throws credit_not_possible (409) for nothing, or for more than is left
 */
export async function creditLocked(
  tx: TenantDatabase,
  invoice: InvoiceRow,
  left: readonly ContentLine[],
  { reason = null, refundId = null, ...credit }: Credit,
): Promise<InvoiceRow> {
  const lines = creditLines(left, credit);
  const { total } = totalsOf(lines);
  if (total <= 0) throw creditNotPossible('Nothing is left to credit for this.');
  if (!(await addCredit(tx, invoice.id, total))) {
    const most = money(totalsOf(left).total, invoice.currency);
    throw creditNotPossible(`At most ${formatMoney(most, 'en')} is left to credit.`);
  }
  const store = await findStore(tx);
  const { number, content, orderId: id, currency } = invoice;
  const { creditNotePrefix } = invoiceSettings.of(store);
  const creditNote = await insertNumbered(tx, {
    kind: 'credit_note',
    series: creditNotePrefix,
    order: { id, currency },
    store,
    content: {
      ...content,
      // How to pay is of no use here.
      seller: { ...content.seller, note: null },
      ...{ note: null, paid: null, addsTo: null, corrects: { number, issuedOn: content.issuedOn }, reason, lines },
    },
    invoiceId: invoice.id,
    refundId,
  });
  return announce(tx, creditNote);
}

function creditLines(
  left: readonly ContentLine[],
  credit: Omit<Credit, 'reason' | 'refundId'> & object,
): ContentLine[] {
  if ('charges' in credit) {
    const { charges, more } = credit as { charges: readonly ChargeCredit[]; more?: number };
    return creditCharges(left, charges, more);
  }
  if ('amount' in credit) return creditAmount(left, credit.amount as number);
  return creditAll(left);
}
