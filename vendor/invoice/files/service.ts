/**
 * Files of invoices and credit notes. A document never changes, so neither does its file: it depends on nothing else than
 * what is stored.
 */
import { createHash } from 'node:crypto';
import type { ByteRange, FileContent, ShopperSession, TenantDatabase } from '@carton/runtime';
import { ciiOf } from '../electronic/cii.ts';
import { electronicOf } from '../electronic/model.ts';
import { ublOf } from '../electronic/ubl.ts';
import { readableInvoices } from '../page/markup.ts';
import { pdfOf } from '../pdf/service.ts';
import { type InvoiceRow, invoices } from '../store.ts';

export const fileFormats = ['ubl', 'pdf', 'factur-x'] as const;
export type FileFormat = (typeof fileFormats)[number];

const pdf = 'application/pdf';

/** The content of a file, as it is made for a document. */
interface Made {
  mediaType: string;
  /** After the number. */
  suffix: string;
  bytes: Uint8Array;
}

const makers: Readonly<Record<FileFormat, (db: TenantDatabase, row: InvoiceRow) => Promise<Made>>> = {
  pdf: async (db, row) => ({ mediaType: pdf, suffix: '.pdf', bytes: await pdfOf(db, [row]) }),
  'factur-x': async (db, row) => ({
    mediaType: pdf,
    suffix: '-factur-x.pdf',
    bytes: await pdfOf(db, [row], { electronic: ciiOf(electronicOf(row)) }),
  }),
  ubl: async (_, row) => ({
    mediaType: 'application/xml; charset=utf-8',
    suffix: '.xml',
    bytes: Buffer.from(ublOf(electronicOf(row))),
  }),
};

/** @throws not_found (404), electronic_invoice_not_possible (409), too_costly (422) */
export async function readFile(db: TenantDatabase, id: string, format: FileFormat): Promise<FileContent> {
  const row = await invoices.require(db, id);
  const { mediaType, suffix, bytes } = await makers[format](db, row);
  return fileOf(`${row.number}${suffix}`, mediaType, bytes);
}

/**
 * The invoices of an order with their credit notes, as one PDF; personal data is masked unless the caller placed the order.
 * @throws not_found (404) for an unknown order, or one without an invoice; too_costly (422), unavailable (503)
 */
export async function readOrderPdf(db: TenantDatabase, session: ShopperSession, orderId: string): Promise<FileContent> {
  const rows = await readableInvoices(db, session, orderId);
  return fileOf(`${rows[0].number}.pdf`, pdf, await pdfOf(db, rows, { isPublic: true }));
}

/** Bytes as a file to save. Numbers have few signs, of which those that file systems refuse are replaced. */
function fileOf(name: string, mediaType: string, bytes: Uint8Array): FileContent {
  return {
    mediaType,
    size: bytes.length,
    etag: `"${createHash('sha256').update(bytes).digest('base64url')}"`,
    headers: { 'Content-Disposition': `attachment; filename="${name.replaceAll(/[^\w.-]/g, '_')}"` },
    open: async function* ({ start, end }: ByteRange = { start: 0, end: bytes.length - 1 }) {
      yield bytes.subarray(start, end + 1);
    },
  };
}
