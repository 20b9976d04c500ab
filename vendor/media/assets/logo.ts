/**
 * The logo of the store as a media asset. Core stores its address, and the asset is not deleted while it is the logo.
 */
import { changeStore, findStore } from '@carton/core';
import { invalidField, type TenantDatabase } from '@carton/runtime';
import { present } from './addresses.ts';
import { findAsset } from './store.ts';
import type { MediaUse } from './uses.ts';

/**
 * Makes a picture the logo of the store, or removes the logo. @returns its address
 * @throws invalid_request (400) unless the asset is a picture
 */
export function setLogo(db: TenantDatabase, assetId: string | null): Promise<string | null> {
  return db.transaction(async (tx) => {
    const logoUrl = assetId === null ? null : await addressOf(tx, assetId);
    await changeStore(tx, { logoUrl });
    return logoUrl;
  });
}

async function addressOf(tx: TenantDatabase, assetId: string): Promise<string> {
  // Locked, so that a deletion waits and then finds the asset in use.
  const asset = await findAsset(tx, assetId, 'for key share');
  if (asset?.kind !== 'picture') throw invalidField('/mediaAssetId', 'must be the id of a picture of this store');
  return present(asset).url;
}

export const logoUse: MediaUse = {
  noun: 'the store, as its logo',
  isUsed: async (tx, assetId) => (await findStore(tx)).logoUrl?.startsWith(`/media/${assetId}/`) ?? false,
};
