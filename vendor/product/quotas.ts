/**
 * The quotas of products and variants. Their counts are kept, since a store may have very many.
 */
import { claimQuota, releaseQuota, type TenantQuota } from '@carton/core';
import type { TenantDatabase } from '@carton/runtime';
import { countProducts, countVariants } from './store.ts';

export const productQuota: TenantQuota = {
  name: 'products',
  unit: 'products',
  description: 'Products',
  kept: countProducts,
};
export const variantQuota: TenantQuota = {
  name: 'variants',
  unit: 'variants',
  description: 'Variants of all products',
  kept: countVariants,
};

interface Counts {
  products?: number;
  variants: number;
}

/** Counts what a transaction has added, at its end. @throws quota_exceeded (409) */
export async function claimCatalogue(tx: TenantDatabase, { products = 0, variants }: Counts): Promise<void> {
  if (products > 0) await claimQuota(tx, productQuota, products);
  await claimQuota(tx, variantQuota, variants);
}

/** Subtracts what a transaction has deleted, at its end. */
export async function releaseCatalogue(tx: TenantDatabase, { products = 0, variants }: Counts): Promise<void> {
  await releaseQuota(tx, productQuota, products);
  await releaseQuota(tx, variantQuota, variants);
}
