/**
 * Duplicates products.
 */
import { handleOfCopy, newId, type TenantDatabase } from '@carton/runtime';
import { detailsOf, dimensionsOf } from '../details.ts';
import { insertMedia } from '../media/store.ts';
import { throwConflict } from '../problems.ts';
import type { AdminProduct } from '../reads/schemas.ts';
import { readAdminProduct } from '../reads/service.ts';
import { findProducts } from '../reads/store.ts';
import { type NewVariant, products } from '../store.ts';
import type { DuplicateProduct } from './schemas.ts';
import { insertCompleteProduct } from './service.ts';
import { freeProductHandle } from './store.ts';

/**
 * Copies a product as a draft, without SKUs and barcodes, which identify a single article.
 * @throws not_found (404), invalid_request (400), product_handle_taken, quota_exceeded (409)
 */
export function duplicateProduct(
  db: TenantDatabase,
  sourceId: string,
  request: DuplicateProduct = {},
): Promise<AdminProduct> {
  const work = db.transaction(async (transaction) => {
    // The lock lets a concurrent copy see this copy's handle.
    const { handle, title, description, ...copied } = await products.lock(transaction, sourceId);
    const { taxCategory, shippingProfile, minQuantity, maxQuantity, quantityStep, metadata } = copied;
    const [source] = await findProducts(transaction, [sourceId]);
    const id = newId();
    const newValueIds = new Map(source?.options.flatMap(({ values }) => values.map((value) => [value.id, newId()])));
    const newValueId = (valueId: string) => newValueIds.get(valueId) as string;
    const newVariantIds = new Map(source?.variants.map((variant) => [variant.id, newId()]));
    const newVariantId = (variantId: string) => newVariantIds.get(variantId) as string;
    const options = (source?.options ?? []).map(({ name, values }) => ({
      id: newId(),
      name,
      values: values.map((value) => ({ id: newValueId(value.id), value: value.value })),
    }));
    const variants = (source?.variants ?? []).map(
      ({
        id: sourceVariantId,
        title,
        position,
        weight,
        hsCode,
        originCountry,
        requiresShipping,
        optionValueIds,
        metadata,
        ...sizes
      }): NewVariant => ({
        id: newVariantId(sourceVariantId),
        productId: id,
        title,
        sku: null,
        barcode: null,
        position,
        weight,
        ...dimensionsOf(sizes),
        hsCode,
        originCountry,
        requiresShipping,
        optionValueIds: optionValueIds.map(newValueId).sort(),
        externalId: null,
        metadata,
      }),
    );
    const stem = handleOfCopy(handle);
    const copy = {
      id,
      handle: request.handle ?? (await freeProductHandle(transaction, stem)),
      title: request.title ?? `${[...title].slice(0, 190).join('')} (copy)`,
      description,
      ...detailsOf(copied),
      status: 'draft' as const,
      taxCategory,
      shippingProfile,
      minQuantity,
      maxQuantity,
      quantityStep,
      externalId: null,
      metadata,
    };
    await insertCompleteProduct(transaction, copy, options, variants);
    await insertMedia(
      transaction,
      id,
      (source?.media ?? []).map((each) => ({ ...each, variantIds: each.variantIds.map(newVariantId) })),
    );
    return readAdminProduct(transaction, id);
  });
  return work.catch(throwConflict);
}
