/**
 * Files of invoices and credit notes. A document never changes, so neither does its file: it depends on nothing else than
 * what is stored.
 */
import { createHash } from 'node:crypto';
import type { ByteRange, FileContent, TenantDatabase } from '@carton/runtime';
import { electronicOf } from '../electronic/model.ts';
import { ublOf } from '../electronic/ubl.ts';
import { type InvoiceRow, invoices } from '../store.ts';

export const fileFormats = ['ubl'] as const;
export type FileFormat = (typeof fileFormats)[number];

/** The content of a file, as it is made for a document. */
interface Made {
  mediaType: string;
  /** After the number. */
  suffix: string;
  bytes: Uint8Array;
}

const makers: Readonly<Record<FileFormat, (row: InvoiceRow) => Promise<Made>>> = {
  ubl: async (row) => ({
    mediaType: 'application/xml; charset=utf-8',
    suffix: '.xml',
    bytes: Buffer.from(ublOf(electronicOf(row))),
  }),
};

/** @throws not_found (404), electronic_invoice_not_possible (409) */
export async function readFile(db: TenantDatabase, id: string, format: FileFormat): Promise<FileContent> {
  const row = await invoices.require(db, id);
  const { mediaType, suffix, bytes } = await makers[format](row);
  return fileOf(`${row.number}${suffix}`, mediaType, bytes);
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
