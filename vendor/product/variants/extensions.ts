/**
 * Extension points for what other packages create along with a variant.
 */
import { extensionPoint, type TenantDatabase } from '@carton/runtime';

/** Called in the transaction that creates variants, once with all of them. */
export type VariantCreatedListener = (db: TenantDatabase, variantIds: string[]) => Promise<void>;
export const variantCreatedListeners = extensionPoint<VariantCreatedListener>('product.variant-created');

/** Called in the transaction that deletes variants, once with all of them, after they are deleted. */
export type VariantDeletedListener = (db: TenantDatabase, variantIds: string[]) => Promise<void>;
export const variantDeletedListeners = extensionPoint<VariantDeletedListener>('product.variant-deleted');

/** Calls the listeners of new variants. */
export async function notifyVariantListeners(db: TenantDatabase, variantIds: string[]): Promise<void> {
  for (const listener of variantCreatedListeners.of(db)) await listener(db, variantIds);
}

/** Calls the listeners of deleted variants. */
export async function notifyDeletedListeners(db: TenantDatabase, variantIds: string[]): Promise<void> {
  for (const listener of variantDeletedListeners.of(db)) await listener(db, variantIds);
}
