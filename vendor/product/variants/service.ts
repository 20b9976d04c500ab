/**
 * Rules of variants.
 */
import { type IntegrationPage, notFound, publishRow, type TenantDatabase } from '@carton/runtime';
import { variantEvents } from '../events.ts';
import { forgetVariant } from '../media/store.ts';
import { planChoice, retitle } from '../options/plan.ts';
import { choiceTaken, lastVariant, limitReached, throwConflict } from '../problems.ts';
import { claimCatalogue, releaseCatalogue } from '../quotas.ts';
import { presentAdminVariant, presentVariant } from '../reads/present.ts';
import type { AdminVariant, Variant } from '../reads/schemas.ts';
import { findOptions, findPublishedProductOfVariant, type ProductDocument } from '../reads/store.ts';
import { translateProducts } from '../reads/texts.ts';
import { rewriteTitleWords } from '../search/service.ts';
import { addWords } from '../search/store.ts';
import { wordsOfSkus } from '../search/words.ts';
import { products, productVariants, type VariantRow, variantsOf } from '../store.ts';
import { completePriceRequest, termsOf, type ViewRequest } from '../viewers/terms.ts';
import { notifyDeletedListeners, notifyVariantListeners } from './extensions.ts';
import { planVariant } from './plan.ts';
import { type AdminVariantQuery, type ChangeVariant, type CreateVariant, maxVariants } from './schemas.ts';
import { rejectUsedSkus, storedSku, variantsWithSkus } from './skus.ts';
import { insertVariants } from './store.ts';

/** A variant of a published product. @throws not_found (404) */
export function readVariant(db: TenantDatabase, id: string, request: ViewRequest): Promise<Variant> {
  return db.pipelined((one) => readPipelinedVariant(one, id, request));
}

async function readPipelinedVariant(db: TenantDatabase, id: string, request: ViewRequest): Promise<Variant> {
  const [product, price] = await Promise.all([
    findPublishedProductOfVariant(db, id, request.viewer),
    completePriceRequest(db, request),
  ]);
  const variantId = id.toLowerCase();
  if (!product?.variants.some((candidate) => candidate.id === variantId)) {
    throw notFound(`No variant has the id ${id}.`);
  }
  const [[translated], terms] = await Promise.all([
    translateProducts(db, [product], request.viewer),
    termsOf(db, [variantId], price),
  ]);
  const { options, variants } = translated as ProductDocument;
  const variant = variants.find((candidate) => candidate.id === variantId) as (typeof variants)[number];
  return presentVariant(variant, options, terms);
}

async function presentForStaff(db: TenantDatabase, rows: readonly VariantRow[]): Promise<AdminVariant[]> {
  const productIds = [...new Set(rows.map(({ productId }) => productId))];
  const ids = rows.map(({ id }) => id);
  const [options, request] = await Promise.all([findOptions(db, productIds), completePriceRequest(db, {})]);
  const terms = await termsOf(db, ids, request);
  return rows.map((row) => presentAdminVariant(row, options.get(row.productId) ?? [], terms));
}

/** Variants by SKU, barcode or product. */
export async function listVariants(
  db: TenantDatabase,
  query: AdminVariantQuery,
): Promise<IntegrationPage<AdminVariant>> {
  const { sku, ...others } = query;
  const skus = sku === undefined ? undefined : [sku, ...(await variantsWithSkus(db, [sku])).map((each) => each.sku)];
  const page = await productVariants.page(db, { ...others, skus });
  return { ...page, items: await presentForStaff(db, page.items) };
}

/** @throws not_found (404) */
export async function readAdminVariant(db: TenantDatabase, id: string): Promise<AdminVariant> {
  const [variant] = await presentForStaff(db, [await productVariants.require(db, id)]);
  return variant as AdminVariant;
}

/**
 * Adds a variant to a product.
 * @throws not_found (404), invalid_request (400), sku_taken, variant_choice_taken, product_limit_reached,
 *   quota_exceeded (409)
 */
export function addVariant(db: TenantDatabase, productId: string, body: CreateVariant): Promise<AdminVariant> {
  const work = db.transaction(async (transaction) => {
    await products.lock(transaction, productId);
    const options = (await findOptions(transaction, [productId])).get(productId) ?? [];
    const others = await variantsOf(transaction, productId);
    if (others.length >= maxVariants) throw limitReached(`A product has at most ${maxVariants} variants.`);
    const position = Math.max(-1, ...others.map((other) => other.position)) + 1;
    const variant = planVariant({ productId, position, options }, body);
    rejectUsedChoice(others, variant.optionValueIds);
    await rejectUsedSkus(transaction, [variant]);
    await insertVariants(transaction, [variant]);
    await addWords(transaction, productId, wordsOfSkus([variant.sku]));
    await notifyVariantListeners(transaction, [variant.id]);
    await publishRow(transaction, variantEvents.created, 'variant', variant);
    await claimCatalogue(transaction, { variants: 1 });
    return readAdminVariant(transaction, variant.id);
  });
  return work.catch(throwConflict);
}

/** @throws not_found (404), invalid_request (400), sku_taken (409), variant_choice_taken (409) */
export function changeVariant(db: TenantDatabase, id: string, body: ChangeVariant): Promise<AdminVariant> {
  const { options: chosen, ...sent } = body;
  const work = db.transaction(async (transaction) => {
    const variant = await lockVariant(transaction, id);
    const { productId } = variant;
    const fields = await withAllowedSku(transaction, variant, sent);
    const options = (await findOptions(transaction, [productId])).get(productId) ?? [];
    const optionValueIds = chosen && planChoice(options, chosen, '/options');
    if (optionValueIds) {
      const others = (await variantsOf(transaction, productId)).filter((other) => other.id !== variant.id);
      rejectUsedChoice(others, optionValueIds);
    }
    const title =
      fields.title ??
      retitle({ ...variant, options }, { options, optionValueIds: optionValueIds ?? variant.optionValueIds });
    await productVariants.change(transaction, id, { ...fields, title, optionValueIds });
    if (fields.sku !== undefined && fields.sku !== variant.sku) await rewriteTitleWords(transaction, productId);
    const { sku = variant.sku } = fields;
    const changed: VariantRow = { ...variant, sku };
    await publishRow(transaction, variantEvents.updated, 'variant', changed);
    return readAdminVariant(transaction, id);
  });
  return work.catch(throwConflict);
}

/**
 * Returns the fields of a change with the SKU as it is stored, which no other variant has. One that earlier releases have
 * let differ from another by less than counts today stays as it is.
 * @throws sku_taken (409)
 */
async function withAllowedSku<Fields extends { sku?: string | null | undefined }>(
  tx: TenantDatabase,
  { id, sku: stored }: VariantRow,
  fields: Fields,
): Promise<Fields> {
  if (!fields.sku || fields.sku === stored) return fields;
  const sku = storedSku(fields.sku);
  const isStored = stored !== null && storedSku(stored) === sku;
  if (isStored && (await variantsWithSkus(tx, [sku])).some((other) => other.id !== id))
    return { ...fields, sku: stored };
  await rejectUsedSkus(tx, [{ sku }], id);
  return { ...fields, sku };
}

/** Soft deletes a variant: its SKU becomes available. @throws not_found (404), last_variant (409) */
export function deleteVariant(db: TenantDatabase, id: string): Promise<void> {
  return db.transaction(async (transaction) => {
    const variant = await lockVariant(transaction, id);
    const variants = await variantsOf(transaction, variant.productId);
    if (variants.length === 1) throw lastVariant('Delete the product instead, or add another variant first.');
    await productVariants.remove(transaction, id);
    if (variant.sku !== null) await rewriteTitleWords(transaction, variant.productId);
    await forgetVariant(transaction, variant);
    await notifyDeletedListeners(transaction, [id.toLowerCase()]);
    await publishRow(transaction, variantEvents.deleted, 'variant', variant);
    await releaseCatalogue(transaction, { variants: 1 });
  });
}

function rejectUsedChoice(others: readonly VariantRow[], optionValueIds: readonly string[]): void {
  const choice = optionValueIds.join();
  const other = others.find((candidate) => candidate.optionValueIds.join() === choice);
  if (!other) return;
  throw choiceTaken(
    choice ? `${other.title} already has these option values.` : 'Add an option before a second variant.',
  );
}

/** Locks the product of a variant, and reads the variant. @throws not_found (404) */
async function lockVariant(db: TenantDatabase, id: string): Promise<VariantRow> {
  const { productId } = await productVariants.require(db, id);
  await products.lock(db, productId);
  return productVariants.require(db, id);
}
