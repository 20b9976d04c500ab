/**
 * Lists of products for shoppers and for staff.
 */
import type { IntegrationPage, Page, TenantDatabase } from '@carton/runtime';
import { presentProduct } from '../reads/present.ts';
import type { AdminProduct, Product } from '../reads/schemas.ts';
import { findMediaOf, presentProducts, readAdminProducts } from '../reads/service.ts';
import { translateProducts } from '../reads/texts.ts';
import { completePriceRequest, type VariantTerms, type ViewRequest } from '../viewers/terms.ts';
import { pageOfPublishedProducts } from './pages.ts';
import type { AdminProductQuery, ProductQuery } from './schemas.ts';
import { pageOfProducts } from './staff-pages.ts';

/** For products that are returned without their variants. */
const noTerms: VariantTerms = { prices: new Map(), weightUnit: 'kg' };

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

export async function listAdminProducts(
  db: TenantDatabase,
  query: AdminProductQuery,
): Promise<IntegrationPage<AdminProduct>> {
  const page = await pageOfProducts(db, query);
  const items = await readAdminProducts(
    db,
    page.items.map(({ id }) => id),
  );
  return { ...page, items };
}
