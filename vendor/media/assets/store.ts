/**
 * Queries of media assets.
 */
import { rows, type TenantDatabase } from '@carton/runtime';
import type { MediaFile } from '../files/store.ts';
import { mediaInUse } from '../problems.ts';
import { kinds } from '../types.ts';
import type { MediaAssetRow } from './schemas.ts';

export const mediaAssets = rows<MediaAssetRow>({
  table: 'media_assets',
  noun: 'media asset',
  json: ['focalPoint', 'metadata'],
  choices: { kind: kinds },
  inUse: () => mediaInUse('Other records refer to it.'),
});

/** @param lock keeps the asset from being deleted until the transaction ends */
export async function findAsset(
  db: TenantDatabase,
  id: string,
  lock: 'for key share' | '' = '',
): Promise<MediaAssetRow | null> {
  const [asset] = await db.query<MediaAssetRow>(`select * from media_assets where tenant_id = $1 and id = $2 ${lock}`, [
    id,
  ]);
  return asset ?? null;
}

export function findAssets(db: TenantDatabase, ids: readonly string[]): Promise<MediaAssetRow[]> {
  return db.query('select * from media_assets where tenant_id = $1 and id = any($2::uuid[])', [ids]);
}

/**
 * Locks assets against their deletion until the transaction ends, to refer to them.
 * @returns those that exist
 */
export async function holdMediaAssets(tx: TenantDatabase, ids: readonly string[]): Promise<Set<string>> {
  const held = await tx.query<{ id: string }>(
    `select id from media_assets where tenant_id = $1 and id = any($2::uuid[]) order by id for key share`,
    [ids],
  );
  return new Set(held.map(({ id }) => id));
}

/** What the file of an asset needs to be served. */
export type ServedAsset = Pick<
  MediaAssetRow,
  'id' | 'kind' | 'mediaType' | 'fileName' | 'width' | 'height' | 'frames' | 'opaque'
>;

type ServedRow = ServedAsset & { fileId: string | null; fileType: MediaFile['mediaType']; fileSize: number };

/** An asset with one of its stored files, in one statement; the file is null if there is none. */
export async function findServed(
  db: TenantDatabase,
  assetId: string,
  variant: string,
): Promise<{ asset: ServedAsset; file: MediaFile | null } | null> {
  const [row] = await db.query<ServedRow>(
    `select asset.id, kind, asset.media_type, file_name, width, height, frames, opaque,
            file.id as file_id, file.media_type as file_type, file.size as file_size
       from media_assets asset
       left join media_files file on file.tenant_id = $1 and file.asset_id = asset.id and file.variant = $3
      where asset.tenant_id = $1 and asset.id = $2`,
    [assetId, variant],
  );
  if (!row) return null;
  const { fileId, fileType: mediaType, fileSize: size, ...asset } = row;
  return { asset, file: fileId === null ? null : { id: fileId, variant, mediaType, size } };
}
