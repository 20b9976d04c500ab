/**
 * Reads products for shoppers, who see what is published, and for staff.
 */
import { findMedia } from '@carton/media';
import { notFound, type TenantDatabase } from '@carton/runtime';
import type { ProductViewer } from '../viewers/service.ts';
import { completePriceRequest, type TermsRequest, termsOf, type ViewRequest } from '../viewers/terms.ts';
import { type MediaAssets, presentAdminProduct, presentProduct } from './present.ts';
import type { AdminProduct, Product } from './schemas.ts';
import {
  findProducts,
  findPublishedProduct,
  findPublishedProducts,
  type MediaEntry,
  type ProductDocument,
} from './store.ts';
import { translateProducts } from './texts.ts';

/** The assets of products, in one statement; without media in none. */
export function findMediaOf(
  db: TenantDatabase,
  documents: readonly { media: readonly MediaEntry[] }[],
): Promise<MediaAssets> {
  return findMedia(
    db,
    documents.flatMap(({ media }) => media.map(({ id }) => id)),
  );
}

function variantIdsOf(products: readonly ProductDocument[]): string[] {
  return products.flatMap(({ variants }) => variants.map(({ id }) => id));
}

/** Products as responses show them: with prices, in the viewer's language. */
export async function presentProducts(
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

/** Products by id for staff, in the order of the ids, without deleted ones. */
export async function readAdminProducts(db: TenantDatabase, ids: readonly string[]): Promise<AdminProduct[]> {
  const [products, request] = await Promise.all([findProducts(db, ids), completePriceRequest(db, {})]);
  const [terms, assets] = await Promise.all([termsOf(db, variantIdsOf(products), request), findMediaOf(db, products)]);
  return products.map((product) => presentAdminProduct(product, terms, assets));
}

/** @throws not_found (404) */
export async function readAdminProduct(db: TenantDatabase, id: string): Promise<AdminProduct> {
  const [product] = await readAdminProducts(db, [id]);
  if (!product) throw notFound(`No product has the id ${id}.`);
  return product;
}
