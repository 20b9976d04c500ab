/**
 * What packages add to the export of a tenant besides rows.
 */
import { type Chunks, extensionPoint, type TenantDatabase } from '@carton/runtime';

/** A file of the export. */
export interface ExportedFile {
  /** Below the folder of the contribution: `0198f5a2-7c1e-7b5a-9f51-3f6a52a1c001/original.jpg`. */
  readonly path: string;
  /** In bytes. */
  readonly size: number;
  /** Reads the file. @throws ExportedFileMissing before the first chunk if it no longer exists */
  open(): Chunks;
}

export class ExportedFileMissing extends Error {}

export interface TenantFiles {
  /** The folder of the files in the export: `media`. */
  readonly name: string;
  /** All files of the tenant, read in batches. */
  list(db: TenantDatabase): AsyncIterable<ExportedFile>;
}

/** Files of a tenant outside of the database, for its export. */
export const tenantFiles = extensionPoint<TenantFiles>('core.tenant-files');
