/**
 * Rules of products: made with options and variants in one transaction, seen by shoppers when published,
 * deleted softly because orders remember them.
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
import {
  findProducts,
  findPublishedProduct,
  findPublishedProductOfVariant,
  findPublishedProducts,
  type OptionDocument,
  type ProductDocument,
  pageOfPublishedProducts,
} from './documents.ts';
import { productCreated, productDeleted, productUpdated } from './events.ts';
import {
  completePriceRequest,
  notifyVariantListeners,
  type TermsRequest,
  termsOf,
  type VariantTerms,
  type ViewRequest,
} from './extensions.ts';
import { planOptions, planVariants } from './plan.ts';
import { presentAdminProduct, presentProduct, presentVariant } from './present.ts';
import { skuTaken, toConflict } from './problems.ts';
import type {
  AdminProduct,
  AdminProductQuery,
  ChangeProduct,
  CreateProduct,
  Product,
  ProductQuery,
  Variant,
} from './schemas.ts';
import { pageOfProducts } from './staff-pages.ts';
import {
  freeProductHandle,
  insertProduct,
  insertVariants,
  type NewVariant,
  type ProductRow,
  products,
  removeProduct,
  updateProduct,
  usedSkus,
} from './store.ts';
import { translateProducts } from './texts.ts';
import type { ProductViewer } from './viewer.ts';

/** Of products that are answered without their variants. */
const noTerms: VariantTerms = { prices: new Map(), weightUnit: 'kg' };

function variantIdsOf(products: readonly ProductDocument[]): string[] {
  return products.flatMap(({ variants }) => variants.map(({ id }) => id));
}

/**
 * One page of published products with their prices, as the viewer sees them, in three statements however many there are
 * (and those of packages that hide or translate them).
 * @param fields the fields that are wanted: without `variants` it is one statement, and nothing is priced
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
    const products = await translateProducts(db, page.items, query.viewer);
    return { items: products.map((product) => presentProduct(product, noTerms)), nextCursor: page.nextCursor };
  }
  const [page, wanted] = await Promise.all([
    pageOfPublishedProducts(db, query, null, query.viewer),
    completePriceRequest(db, query),
  ]);
  return { items: await presentProducts(db, page.items, wanted, query.viewer), nextCursor: page.nextCursor };
}

/** Products as they are answered: with their prices, in the language of the viewer. */
async function presentProducts(
  db: TenantDatabase,
  products: ProductDocument[],
  wanted: TermsRequest,
  viewer: ProductViewer | undefined,
): Promise<Product[]> {
  const [translated, terms] = await Promise.all([
    translateProducts(db, products, viewer),
    termsOf(db, variantIdsOf(products), wanted),
  ]);
  return translated.map((product) => presentProduct(product, terms));
}

/**
 * The published ones among these products as shoppers see them, in the order of the ids: for lists that other
 * packages keep. Three statements however many there are.
 * @param wanted prices, and for whom: what they do not see is left out
 * @param limit answer not more than so many
 */
export async function listPublishedProducts(
  db: TenantDatabase,
  ids: readonly string[],
  wanted: ViewRequest,
  limit?: number,
): Promise<Product[]> {
  const [products, price] = await Promise.all([
    findPublishedProducts(db, ids, limit, wanted.viewer),
    completePriceRequest(db, wanted),
  ]);
  return presentProducts(db, products, price, wanted.viewer);
}

/** A published product by handle or id. @throws not_found (404) */
export async function readProduct(db: TenantDatabase, name: string, wanted: ViewRequest): Promise<Product> {
  const [product, price] = await Promise.all([
    findPublishedProduct(db, name, wanted.viewer),
    completePriceRequest(db, wanted),
  ]);
  if (!product) throw notFound(`No product is called ${name}.`);
  const [shown] = await presentProducts(db, [product], price, wanted.viewer);
  return shown as Product;
}

/** A variant of a published product. @throws not_found (404) */
export async function readVariant(db: TenantDatabase, id: string, wanted: ViewRequest): Promise<Variant> {
  const [product, price] = await Promise.all([
    findPublishedProductOfVariant(db, id, wanted.viewer),
    completePriceRequest(db, wanted),
  ]);
  const variantId = id.toLowerCase();
  if (!product?.variants.some((candidate) => candidate.id === variantId)) {
    throw notFound(`No variant has the id ${id}.`);
  }
  const [[translated], terms] = await Promise.all([
    translateProducts(db, [product], wanted.viewer),
    termsOf(db, [variantId], price),
  ]);
  const { options, variants } = translated as ProductDocument;
  const variant = variants.find((candidate) => candidate.id === variantId) as (typeof variants)[number];
  return presentVariant(variant, options, terms);
}

async function presentForStaff(db: TenantDatabase, ids: readonly string[]): Promise<AdminProduct[]> {
  const [products, wanted] = await Promise.all([findProducts(db, ids), completePriceRequest(db, {})]);
  const terms = await termsOf(db, variantIdsOf(products), wanted);
  return products.map((product) => presentAdminProduct(product, terms));
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

/** @throws invalid_request (400), product_handle_taken (409), sku_taken (409) */
export async function createProduct(db: TenantDatabase, body: CreateProduct): Promise<AdminProduct> {
  const { title, description = '', status = 'draft', externalId = null, metadata = {} } = body;
  const id = newId();
  const options = planOptions(body.options ?? []);
  const variants = planVariants(id, options, body.variants);
  const work = db.transaction(async (transaction) => {
    const handle = body.handle ?? (await freeProductHandle(transaction, handleFromTitle(title, 'product')));
    const product = { id, handle, title, description, status, externalId, metadata };
    await insertCompleteProduct(transaction, product, options, variants);
    return readAdminProduct(transaction, id);
  });
  return work.catch(throwConflict);
}

/** @throws not_found (404), invalid_request (400), product_handle_taken (409) */
export async function changeProduct(db: TenantDatabase, id: string, patch: ChangeProduct): Promise<AdminProduct> {
  const work = db.transaction(async (transaction) => {
    await products.lock(transaction, id);
    await publishProductChange(transaction, await updateProduct(transaction, id, patch));
    return readAdminProduct(transaction, id);
  });
  return work.catch(throwConflict);
}

/** Deletes a product and its variants softly: their handle and SKUs are free again. @throws not_found (404) */
export function deleteProduct(db: TenantDatabase, id: string): Promise<void> {
  return db.transaction(async (transaction) => {
    const { handle, title, status } = await products.lock(transaction, id);
    await removeProduct(transaction, id);
    await publish(transaction, productDeleted, { type: 'product', id }, { handle, title, status });
  });
}

/** Tells of a change of a product or of its options. */
export function publishProductChange(db: TenantDatabase, { id, handle, title, status }: ProductRow): Promise<void> {
  return publish(db, productUpdated, { type: 'product', id }, { handle, title, status });
}

/** @throws sku_taken (409) naming the SKUs */
export async function rejectUsedSkus(
  db: TenantDatabase,
  variants: readonly { sku: string | null }[],
  except: string | null = null,
): Promise<void> {
  const skus = variants.flatMap(({ sku }) => (sku === null ? [] : [sku]));
  const taken = await usedSkus(db, skus, except);
  if (taken.length > 0) throw skuTaken(`Other variants have: ${taken.join(', ')}.`);
}

export function throwConflict(error: unknown): never {
  throw toConflict(error);
}

/** Inserts a product with all it has, and tells of it. @throws sku_taken (409) */
export async function insertCompleteProduct(
  db: TenantDatabase,
  product: Omit<ProductRow, 'createdAt' | 'updatedAt'>,
  options: readonly OptionDocument[],
  variants: readonly NewVariant[],
): Promise<void> {
  const { id, handle, title, status } = product;
  await rejectUsedSkus(db, variants);
  await insertProduct(db, product);
  await insertOptions(db, id, options, 0);
  await insertVariants(db, variants);
  const variantIds = variants.map((variant) => variant.id);
  await notifyVariantListeners(db, variantIds);
  await publish(db, productCreated, { type: 'product', id }, { handle, title, status });
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
