/**
 * Invoices and credit notes as PDF.
 */
import { type ComputeTask, compute, type TenantDatabase } from '@carton/runtime';
import type { InvoiceRow } from '../store.ts';
import { sheetOf } from './sheet.ts';
import type { Drawing } from './task.ts';

/** 500 lines take less than two seconds; most of it is for what people write into the titles of thousands. */
const task: ComputeTask<Drawing, Uint8Array> = {
  name: 'Drawing the invoice',
  module: import.meta.resolve('@carton/invoice/draw'),
  milliseconds: 15_000,
};

/**
 * A PDF/A-3 of documents of one order, each on pages of its own and in its language.
 * @param electronic the only document in CII, which makes the file a Factur-X
 * @param isPublic whether it is drawn for anyone who knows the order
 * @throws too_costly (422), unavailable (503)
 */
export function pdfOf(
  db: TenantDatabase,
  rows: readonly [InvoiceRow, ...InvoiceRow[]],
  { electronic, isPublic = false }: { electronic?: string; isPublic?: boolean } = {},
): Promise<Uint8Array> {
  const [{ number, content }] = rows;
  const sheets = rows.map(sheetOf);
  const badge = sheets[0]?.badge ?? '';
  const drawing = {
    sheets,
    title: `${badge} ${number}`,
    author: content.seller.legalName,
    ...(electronic !== undefined && { electronic }),
  };
  return compute(db, task, drawing, { isPublic });
}
