/**
 * Queries of the tables of downloads.
 */
import { rows, type TenantDatabase } from '@carton/runtime';
import type { Download, DownloadGrant } from './schemas.ts';

/** A file of a variant as it is stored. */
export interface DownloadRow extends Download {
  /** Of `@carton/media`; null once the file of a deleted download is released. */
  fileId: string | null;
  deletedAt: string | null;
}

export const downloads = rows<DownloadRow>({ table: 'downloads', noun: 'download', softDelete: true });

/** The files of a variant, in order. */
export function downloadsOf(db: TenantDatabase, variantId: string): Promise<DownloadRow[]> {
  return db.query(
    'select * from downloads where tenant_id = $1 and variant_id = $2 and deleted_at is null order by position, id',
    [variantId],
  );
}

/** A grant as it is stored, with what it has of its file. */
export interface GrantRow extends Omit<DownloadGrant, 'state'> {
  isExpired: boolean;
  tokenHash: string | null;
  /** What the downloads that have begun may still send. */
  openBytes: number;
  /** Null once the file is released. */
  fileId: string | null;
}

const ofFile = (column: string) =>
  `select file.${column} from downloads file
    where file.tenant_id = download_grants.tenant_id and file.id = download_grants.download_id`;

export const grants = rows<GrantRow>({
  table: 'download_grants',
  noun: 'grant of a download',
  computed: {
    fileName: ofFile('file_name'),
    size: ofFile('size'),
    fileId: ofFile('file_id'),
    isExpired: 'coalesce(download_grants.expires_at <= now(), false)',
  },
});

/** More than an order has. */
const maxGrants = 10_000;

/** The grants of an order, in the order in which they were made. */
export async function grantsOf(db: TenantDatabase, orderId: string): Promise<GrantRow[]> {
  return (await grants.findAllBy(db, { orderId }, maxGrants)).reverse();
}

/** Whether the grant can still be used, apart from the number of downloads. */
export function isOpen({ endedAt, isExpired, fileId }: Pick<GrantRow, 'endedAt' | 'isExpired' | 'fileId'>): boolean {
  return endedAt === null && !isExpired && fileId !== null;
}

export function stateOf(grant: GrantRow): DownloadGrant['state'] {
  if (grant.endedAt !== null || grant.fileId === null) return 'ended';
  if (grant.isExpired) return 'expired';
  const { maxDownloads, downloadCount } = grant;
  return maxDownloads !== null && downloadCount >= maxDownloads ? 'limit_reached' : 'available';
}

/** A grant as staff see it. */
export function presentGrant(row: GrantRow): DownloadGrant {
  const { isExpired: _, tokenHash: __, fileId: ___, openBytes: ____, ...grant } = row;
  return { ...grant, state: stateOf(row) };
}
