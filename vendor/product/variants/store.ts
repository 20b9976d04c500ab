/**
 * Queries of variants and their SKUs.
 */
import { json, type TenantDatabase } from '@carton/runtime';
import { statuses } from '../schemas.ts';
import type { NewVariant } from '../store.ts';

/** Inserts variants in the order of their SKUs, so that concurrent writers of the same SKUs cannot deadlock. */
export async function insertVariants(db: TenantDatabase, variants: readonly NewVariant[]): Promise<void> {
  const ordered = [...variants].sort((one, other) => ((one.sku ?? '') < (other.sku ?? '') ? -1 : 1));
  const rows = ordered.map((variant) => ({ ...variant, metadata: json(variant.metadata) }));
  await db.insertMany('product_variants', rows);
}

/** A SKU with the id of its variant. */
export interface StoredSku {
  id: string;
  sku: string;
}

/**
 * The SKUs of variants that are not deleted which are exactly one of these, or whose product has one of these words, so that
 * they may be the same.
 */
export function listSkus(db: TenantDatabase, skus: readonly string[], words: readonly string[]): Promise<StoredSku[]> {
  return db.query(
    `select id, sku from product_variants where tenant_id = $1 and sku = any($2) and deleted_at is null
     union
     select id, sku from product_variants
      where tenant_id = $1 and deleted_at is null and sku is not null
        and product_id = any(array(select product_id from product_title_words
                                    where tenant_id = $1 and status = any($3) and word_from = any($4)))`,
    [skus, statuses, words],
  );
}

/**
 * Locks SKUs until the transaction ends, in an order of their own, so that two writers cannot wait for each other.
 * @param keys the SKUs as they are compared
 */
export async function lockSkus(tx: TenantDatabase, keys: readonly string[]): Promise<void> {
  await tx.query(
    `select pg_advisory_xact_lock(lock) from (
       select distinct hashtextextended('product.sku ' || $1::text || ' ' || key, 0) as lock
         from unnest($2::text[]) as key order by lock) locks`,
    [keys],
  );
}
