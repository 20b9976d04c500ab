/**
 * Rules of tax categories.
 */
import { findStore } from '@carton/core';
import { hasProductOfTaxCategory } from '@carton/product';
import type { TenantDatabase } from '@carton/runtime';
import { taxCategoryInUse } from '../problems.ts';
import { taxSettings } from '../settings.ts';
import type { ChangeTaxCategory, CreateTaxCategory, TaxCategory } from './schemas.ts';
import { taxCategories } from './store.ts';

/** @throws tax_category_code_taken (409), external_id_taken (409) */
export function createCategory(db: TenantDatabase, body: CreateTaxCategory): Promise<TaxCategory> {
  return taxCategories.insert(db, body);
}

/** @throws not_found (404), external_id_taken (409) */
export function changeCategory(db: TenantDatabase, id: string, patch: ChangeTaxCategory): Promise<TaxCategory> {
  return taxCategories.change(db, id, patch);
}

/** @throws not_found (404), tax_category_in_use (409) while a product, a rate or the settings refer to it */
export function deleteCategory(db: TenantDatabase, id: string): Promise<void> {
  return db.transaction(async (tx) => {
    const { code } = await taxCategories.lock(tx, id);
    if (await hasProductOfTaxCategory(tx, code)) throw taxCategoryInUse('Products have this category.');
    if (taxSettings.of(await findStore(tx)).shippingCategory === code) {
      throw taxCategoryInUse('The store taxes shipping by this category.');
    }
    await taxCategories.remove(tx, id);
  });
}
