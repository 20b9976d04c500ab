/**
 * How other packages use assets. Their tables reference `media_assets (tenant_id, id)`, so the database lets either the
 * attachment or the deletion of an asset happen, whichever commits first: an insert of a reference locks the asset's row
 * against its deletion.
 */
import { extensionPoint, type TenantDatabase } from '@carton/runtime';

export interface MediaUse {
  /** What refers to assets, in the plural: `products`. */
  readonly noun: string;
  /** Whether one refers to the asset, whose row is locked. */
  isUsed(tx: TenantDatabase, assetId: string): Promise<boolean>;
}

/** Contributed by packages that refer to assets, so that a refused deletion names what uses the asset. */
export const mediaUses = extensionPoint<MediaUse>('media.uses');
