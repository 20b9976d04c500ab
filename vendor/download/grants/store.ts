/**
 * Queries of the grants of buyers.
 */
import { rows, type TenantDatabase } from '@carton/runtime';
import type { DownloadGrant } from './schemas.ts';

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

/** Ids of the lines of an order that have grants; a line has its id once for each of them. */
export async function grantedLines(db: TenantDatabase, orderId: string): Promise<string[]> {
  const found = await db.query<{ lineItemId: string }>(
    'select line_item_id from download_grants where tenant_id = $1 and order_id = $2',
    [orderId],
  );
  return found.map(({ lineItemId }) => lineItemId);
}

type NewGrant = Pick<GrantRow, 'id' | 'orderId' | 'lineItemId' | 'downloadId' | 'maxDownloads'> & {
  expiresAt: Date | null;
};

export async function insertGrants(tx: TenantDatabase, added: NewGrant[]): Promise<void> {
  await tx.insertMany('download_grants', added);
}

/** What ended the right to a line of an order; null if nothing did. */
export interface LineEnd {
  lineItemId: string;
  end: Exclude<GrantRow['endedBy'], 'staff'>;
}

/**
 * Ends the grants of the lines of a locked order, and opens those of the others again. What staff have ended stays as it
 * is. Returns what ended each grant that has changed; null for one that was opened.
 */
export async function setEnds(
  tx: TenantDatabase,
  orderId: string,
  ends: readonly LineEnd[],
): Promise<GrantRow['endedBy'][]> {
  const changed = await tx.query<Pick<GrantRow, 'endedBy'>>(
    `update download_grants changing
        set ended_by = line.ended_by, ended_at = case when line.ended_by is not null then now() end, updated_at = now()
       from unnest($3::uuid[], $4::text[]) as line (id, ended_by)
      where changing.tenant_id = $1 and changing.order_id = $2 and changing.line_item_id = line.id
        and case when line.ended_by is null then changing.ended_by in ('refund', 'cancellation')
                 else changing.ended_by is null end
      returning changing.ended_by`,
    [orderId, ends.map(({ lineItemId }) => lineItemId), ends.map(({ end }) => end)],
  );
  return changed.map(({ endedBy }) => endedBy);
}

export async function setTokenHash(db: TenantDatabase, id: string, hash: string): Promise<void> {
  await db.query('update download_grants set token_hash = $3 where tenant_id = $1 and id = $2', [id, hash]);
}
