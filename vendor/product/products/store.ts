/**
 * Queries of products that are written.
 */
import { freeHandle, type OldHandles, type TenantDatabase } from '@carton/runtime';
import { published } from '../conditions-store.ts';
import type { VariantRow } from '../store.ts';

/** Whether shoppers see the product now, unless a package hides it. */
export async function isVisible(db: TenantDatabase, id: string): Promise<boolean> {
  const found = await db.query(`select 1 from products where tenant_id = $1 and id = $2 and ${published}`, [id]);
  return found.length > 0;
}

export const oldHandles: OldHandles = { table: 'product_old_handles', owner: 'productId', isShown: isVisible };

/** A handle that no undeleted product has. */
export function freeProductHandle(tx: TenantDatabase, stem: string): Promise<string> {
  return freeHandle(tx, 'products', stem, 'deleted_at is null');
}

export async function removeOldHandles(tx: TenantDatabase, productId: string): Promise<void> {
  await tx.remove('product_old_handles', { productId });
}

/** Soft deletes the variants of a product. @returns their ids */
export async function removeVariantsOf(tx: TenantDatabase, productId: string): Promise<string[]> {
  const now = new Date();
  const condition = { productId, deletedAt: null };
  const variants = await tx.update<VariantRow>('product_variants', condition, { deletedAt: now, updatedAt: now });
  return variants.map(({ id }) => id);
}
