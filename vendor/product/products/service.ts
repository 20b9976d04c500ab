/**
 * Rules of products: created with options and variants in one transaction, visible to shoppers when published, soft
 * deleted because orders refer to them.
 */
import { handleOfTitle } from '@carton/core';
import {
  distinctTags,
  leaveHandle,
  moveAddress,
  newId,
  publishRow,
  type TenantDatabase,
  takeHandle,
} from '@carton/runtime';
import { detailsOf } from '../details.ts';
import { productEvents, publishProductChange } from '../events.ts';
import { removeMedia } from '../media/store.ts';
import { planOptions } from '../options/plan.ts';
import { insertOptions } from '../options/store.ts';
import { throwConflict } from '../problems.ts';
import { anyQuantity, rejectImpossibleRule } from '../quantities.ts';
import { claimCatalogue, releaseCatalogue } from '../quotas.ts';
import type { AdminProduct } from '../reads/schemas.ts';
import { readAdminProduct } from '../reads/service.ts';
import type { OptionDocument } from '../reads/store.ts';
import type { Schedule } from '../schedule/schemas.ts';
import { noteNextChange, rejectEmptySchedule, scheduleOf } from '../schedule/service.ts';
import { rewriteTitleWords, writeTitleWords } from '../search/service.ts';
import { addWords } from '../search/store.ts';
import { wordsOfSkus } from '../search/words.ts';
import { type NewVariant, type ProductRow, products } from '../store.ts';
import { putTags } from '../tags/service.ts';
import { notifyDeletedListeners, notifyVariantListeners } from '../variants/extensions.ts';
import { planVariants } from '../variants/plan.ts';
import { rejectUsedSkus } from '../variants/skus.ts';
import { insertVariants } from '../variants/store.ts';
import type { ChangeProduct, CreateProduct } from './schemas.ts';
import { freeProductHandle, isVisible, oldHandles, removeOldHandles, removeVariantsOf } from './store.ts';

/** @throws invalid_request (400), product_handle_taken, sku_taken, quota_exceeded (409) */
export async function createProduct(db: TenantDatabase, body: CreateProduct): Promise<AdminProduct> {
  const { title, description = '', status = 'draft', externalId = null, metadata = {} } = body;
  const { taxCategory = null, shippingProfile = null } = body;
  const { minQuantity, maxQuantity, quantityStep } = { ...anyQuantity, ...body };
  const quantities = { minQuantity, maxQuantity, quantityStep };
  const schedule = scheduleOf(body);
  rejectImpossibleRule(quantities);
  rejectEmptySchedule(schedule);
  const id = newId();
  const options = planOptions(body.options ?? []);
  const variants = planVariants(id, options, body.variants);
  const work = db.transaction(async (transaction) => {
    const handle =
      body.handle ?? (await freeProductHandle(transaction, await handleOfTitle(transaction, title, 'product')));
    const shown = { handle, title, description, ...detailsOf(body), ...schedule };
    const product = { id, ...shown, status, taxCategory, shippingProfile, ...quantities, externalId, metadata };
    await insertCompleteProduct(transaction, product, options, variants);
    return readAdminProduct(transaction, id);
  });
  return work.catch(throwConflict);
}

/** @throws not_found (404), invalid_request (400), product_handle_taken (409) */
export async function changeProduct(db: TenantDatabase, id: string, patch: ChangeProduct): Promise<AdminProduct> {
  const work = db.transaction(async (transaction) => {
    const before = await products.lock(transaction, id);
    rejectImpossibleRule({ ...before, ...patch });
    rejectEmptySchedule({ ...before, ...patch });
    await publishProductChange(transaction, await updateProduct(transaction, before, patch));
    return readAdminProduct(transaction, id);
  });
  return work.catch(throwConflict);
}

/** Soft deletes a product and its variants: their handle and SKUs become available. @throws not_found (404) */
export function deleteProduct(db: TenantDatabase, id: string): Promise<void> {
  return db.transaction(async (transaction) => {
    const product = await products.lock(transaction, id);
    const variantIds = await removeProduct(transaction, id);
    await removeMedia(transaction, id);
    await notifyDeletedListeners(transaction, variantIds);
    await publishRow(transaction, productEvents.deleted, 'product', product);
    await releaseCatalogue(transaction, { products: 1, variants: variantIds.length });
  });
}

type NewProduct = Omit<ProductRow, 'createdAt' | 'updatedAt' | keyof Schedule> & Partial<Schedule>;

/** Inserts a product with its options and variants, and publishes the event. @throws sku_taken, quota_exceeded (409) */
export async function insertCompleteProduct(
  db: TenantDatabase,
  product: NewProduct,
  options: readonly OptionDocument[],
  variants: readonly NewVariant[],
): Promise<void> {
  const { id } = product;
  await rejectUsedSkus(db, variants);
  await insertProduct(db, product);
  await insertOptions(db, id, options, 0);
  await insertVariants(db, variants);
  await addWords(db, id, wordsOfSkus(variants.map(({ sku }) => sku)));
  const variantIds = variants.map((variant) => variant.id);
  await notifyVariantListeners(db, variantIds);
  await publishRow(db, productEvents.created, 'product', product);
  await claimCatalogue(db, { products: 1, variants: variants.length });
}

/** Inserts a product in a transaction. */
export async function insertProduct(db: TenantDatabase, product: NewProduct): Promise<void> {
  await products.insert(db, product);
  await takeHandle(db, oldHandles, product);
  await writeTitleWords(db, product);
  await putTags(db, product.id, product.tags);
  if (product.publishAt || product.unpublishAt) await noteNextChange(db, product.id);
}

/**
 * Changes a locked product in a transaction. Its old handle leads to it from now on, and so does its old address if
 * shoppers knew it and see the new one.
 */
async function updateProduct(
  db: TenantDatabase,
  { id, handle }: Pick<ProductRow, 'id' | 'handle'>,
  patch: Partial<ProductRow>,
): Promise<ProductRow> {
  const wasPublished = patch.handle !== undefined && patch.handle !== handle && (await isVisible(db, id));
  const row = await products.change(db, id, { ...patch, ...(patch.tags && { tags: distinctTags(patch.tags) }) });
  if (patch.tags) await putTags(db, id, row.tags);
  if (row.handle !== handle) {
    await takeHandle(db, oldHandles, row);
    await leaveHandle(db, oldHandles, { id, handle, wasShown: wasPublished });
    if (wasPublished && (await isVisible(db, id))) {
      await moveAddress(db, { from: `/products/${handle}`, to: `/products/${row.handle}` });
    }
  }
  if (patch.title !== undefined || patch.status !== undefined) await rewriteTitleWords(db, id);
  if ([patch.status, patch.publishAt, patch.unpublishAt].some((field) => field !== undefined)) {
    await noteNextChange(db, id);
  }
  return row;
}

/**
 * Soft deletes a product and its variants, in a transaction: their handle and SKUs become available.
 * @returns the ids of these variants
 */
async function removeProduct(db: TenantDatabase, id: string): Promise<string[]> {
  await products.remove(db, id);
  await removeOldHandles(db, id);
  await putTags(db, id, []);
  const variantIds = await removeVariantsOf(db, id);
  await rewriteTitleWords(db, id);
  return variantIds;
}
