/**
 * Rules of products: created with options and variants in one transaction, visible to shoppers when published, soft
 * deleted because orders refer to them.
 */
import {
  handleFromTitle,
  type IntegrationPage,
  newId,
  notFound,
  type Page,
  publish,
  type TenantDatabase,
} from '@carton/runtime';
import { detailsOf } from '../details.ts';
import { productCreated, productDeleted, productUpdated } from '../events.ts';
import { pageOfProducts } from '../lists/staff-pages.ts';
import { findMediaOf, removeMedia } from '../media/store.ts';
import { toConflict } from '../problems.ts';
import { anyQuantity, rejectImpossibleRule } from '../quantities.ts';
import { claimCatalogue, releaseCatalogue } from '../quotas.ts';
import { presentAdminProduct, presentProduct, presentVariant } from '../reads/present.ts';
import {
  findProducts,
  findPublishedProduct,
  findPublishedProductOfVariant,
  findPublishedProducts,
  type OptionDocument,
  type ProductDocument,
  pageOfPublishedProducts,
} from '../reads/store.ts';
import { translateProducts } from '../reads/texts.ts';
import { rejectEmptySchedule, scheduleOf } from '../schedule/service.ts';
import type {
  AdminProduct,
  AdminProductQuery,
  ChangeProduct,
  CreateProduct,
  Product,
  ProductQuery,
  Variant,
} from '../schemas.ts';
import { addWords, wordsOfSkus } from '../search/words.ts';
import {
  freeProductHandle,
  insertProduct,
  insertVariants,
  type NewProduct,
  type NewVariant,
  type ProductRow,
  products,
  removeProduct,
  updateProduct,
} from '../store.ts';
import { planOptions, planVariants } from '../variants/plan.ts';
import { rejectUsedSkus } from '../variants/skus.ts';
import type { ProductViewer } from '../viewers/service.ts';
import {
  completePriceRequest,
  notifyDeletedListeners,
  notifyVariantListeners,
  type TermsRequest,
  termsOf,
  type VariantTerms,
  type ViewRequest,
} from '../viewers/terms.ts';

/** For products that are returned without their variants. */
const noTerms: VariantTerms = { prices: new Map(), weightUnit: 'kg' };

function variantIdsOf(products: readonly ProductDocument[]): string[] {
  return products.flatMap(({ variants }) => variants.map(({ id }) => id));
}

/**
 * A page of published products with prices, as the viewer may see them, in three statements (and those of packages that
 * hide or translate products).
 * @param fields the requested fields: without `variants` one statement suffices, and nothing is priced
 */
export async function listProducts(
  db: TenantDatabase,
  query: ProductQuery & ViewRequest,
  fields: ReadonlySet<string> | null = null,
): Promise<Page<Product>> {
  return db.pipelined((one) => listPipelined(one, query, fields));
}

async function listPipelined(
  db: TenantDatabase,
  query: ProductQuery & ViewRequest,
  fields: ReadonlySet<string> | null,
): Promise<Page<Product>> {
  if (fields && !fields.has('variants')) {
    const page = await pageOfPublishedProducts(db, query, fields, query.viewer);
    const [products, assets] = await Promise.all([
      translateProducts(db, page.items, query.viewer),
      findMediaOf(db, page.items),
    ]);
    return { items: products.map((product) => presentProduct(product, noTerms, assets)), nextCursor: page.nextCursor };
  }
  const [page, request] = await Promise.all([
    pageOfPublishedProducts(db, query, fields, query.viewer),
    completePriceRequest(db, query),
  ]);
  return { items: await presentProducts(db, page.items, request, query.viewer), nextCursor: page.nextCursor };
}

/** Products as responses show them: with prices, in the viewer's language. */
async function presentProducts(
  db: TenantDatabase,
  products: ProductDocument[],
  request: TermsRequest,
  viewer: ProductViewer | undefined,
): Promise<Product[]> {
  const [translated, terms, assets] = await Promise.all([
    translateProducts(db, products, viewer),
    termsOf(db, variantIdsOf(products), request),
    findMediaOf(db, products),
  ]);
  return translated.map((product) => presentProduct(product, terms, assets));
}

/**
 * The published products among these as shoppers see them, in the order of the ids, for lists of other packages. Always
 * three statements.
 * @param request prices and viewer: products that the viewer may not see are left out
 * @param limit most products to return
 */
export async function listPublishedProducts(
  db: TenantDatabase,
  ids: readonly string[],
  request: ViewRequest,
  limit?: number,
): Promise<Product[]> {
  const [products, price] = await Promise.all([
    findPublishedProducts(db, ids, limit, request.viewer),
    completePriceRequest(db, request),
  ]);
  return presentProducts(db, products, price, request.viewer);
}

/** A published product by handle or id. @throws not_found (404) */
export function readProduct(db: TenantDatabase, name: string, request: ViewRequest): Promise<Product> {
  return db.pipelined(async (one) => {
    const [product, price] = await Promise.all([
      findPublishedProduct(one, name, request.viewer),
      completePriceRequest(one, request),
    ]);
    if (!product) throw notFound(`No product has the handle or id ${name}.`);
    const [shown] = await presentProducts(one, [product], price, request.viewer);
    return shown as Product;
  });
}

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

async function presentForStaff(db: TenantDatabase, ids: readonly string[]): Promise<AdminProduct[]> {
  const [products, request] = await Promise.all([findProducts(db, ids), completePriceRequest(db, {})]);
  const [terms, assets] = await Promise.all([termsOf(db, variantIdsOf(products), request), findMediaOf(db, products)]);
  return products.map((product) => presentAdminProduct(product, terms, assets));
}

export async function listAdminProducts(
  db: TenantDatabase,
  query: AdminProductQuery,
): Promise<IntegrationPage<AdminProduct>> {
  const page = await pageOfProducts(db, query);
  const items = await presentForStaff(
    db,
    page.items.map(({ id }) => id),
  );
  return { ...page, items };
}

/** @throws not_found (404) */
export async function readAdminProduct(db: TenantDatabase, id: string): Promise<AdminProduct> {
  const [product] = await presentForStaff(db, [id]);
  if (!product) throw notFound(`No product has the id ${id}.`);
  return product;
}

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
    const handle = body.handle ?? (await freeProductHandle(transaction, handleFromTitle(title, 'product')));
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
    const { handle, title, status } = await products.lock(transaction, id);
    const variantIds = await removeProduct(transaction, id);
    await removeMedia(transaction, id);
    await notifyDeletedListeners(transaction, variantIds);
    await publish(transaction, productDeleted, { type: 'product', id }, { handle, title, status });
    await releaseCatalogue(transaction, { products: 1, variants: variantIds.length });
  });
}

/** Publishes the event of a changed product or option. */
export function publishProductChange(db: TenantDatabase, { id, handle, title, status }: ProductRow): Promise<void> {
  return publish(db, productUpdated, { type: 'product', id }, { handle, title, status });
}

export function throwConflict(error: unknown): never {
  throw toConflict(error);
}

/** Inserts a product with its options and variants, and publishes the event. @throws sku_taken, quota_exceeded (409) */
export async function insertCompleteProduct(
  db: TenantDatabase,
  product: NewProduct,
  options: readonly OptionDocument[],
  variants: readonly NewVariant[],
): Promise<void> {
  const { id, handle, title, status } = product;
  await rejectUsedSkus(db, variants);
  await insertProduct(db, product);
  await insertOptions(db, id, options, 0);
  await insertVariants(db, variants);
  await addWords(db, id, wordsOfSkus(variants.map(({ sku }) => sku)));
  const variantIds = variants.map((variant) => variant.id);
  await notifyVariantListeners(db, variantIds);
  await publish(db, productCreated, { type: 'product', id }, { handle, title, status });
  await claimCatalogue(db, { products: 1, variants: variants.length });
}

/** Inserts options with their values, the first at `position`. */
export async function insertOptions(
  db: TenantDatabase,
  productId: string,
  options: readonly OptionDocument[],
  position: number,
): Promise<void> {
  await db.insertMany(
    'product_options',
    options.map(({ id, name }, index) => ({ id, productId, name, position: position + index })),
  );
  await db.insertMany(
    'product_option_values',
    options.flatMap((option) =>
      option.values.map(({ id, value }, index) => ({ id, optionId: option.id, value, position: index })),
    ),
  );
}
