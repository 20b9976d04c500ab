/**
 * Reads complete products, with options and variants, in one statement. The nested parts are aggregated as JSON by the
 * database, which is cheaper than fetching their rows and joining them here.
 */
import { byOldHandle, looksLikeId, type TenantDatabase } from '@carton/runtime';
import { type Condition, published, statement } from '../conditions-store.ts';
import type { Schedule } from '../schedule/schemas.ts';
import type { Dimensions, ProductDetails, ProductStatus } from '../schemas.ts';
import type { ProductViewer } from '../viewers/service.ts';
import { visibleTo } from '../viewers/visibility.ts';

export interface OptionDocument {
  id: string;
  name: string;
  values: { id: string; value: string }[];
}

export interface VariantDocument extends Dimensions {
  id: string;
  productId: string;
  title: string;
  sku: string | null;
  barcode: string | null;
  position: number;
  weight: number | null;
  optionValueIds: string[];
}

/** A variant with the fields that only staff see. */
export interface AdminVariantDocument extends VariantDocument {
  hsCode: string | null;
  originCountry: string | null;
  requiresShipping: boolean;
  externalId: string | null;
  metadata: Record<string, unknown>;
  createdAt: string;
  updatedAt: string;
}

/** A medium of a product as it is stored. */
export interface MediaEntry {
  id: string;
  altText: string | null;
  variantIds: string[];
}

export interface ProductDocument<V extends VariantDocument = VariantDocument> extends ProductDetails, Schedule {
  id: string;
  handle: string;
  title: string;
  description: string;
  status: ProductStatus;
  taxCategory: string | null;
  shippingProfile: string | null;
  minQuantity: number;
  maxQuantity: number | null;
  quantityStep: number;
  externalId: string | null;
  metadata: Record<string, unknown>;
  createdAt: string;
  updatedAt: string;
  options: OptionDocument[];
  variants: V[];
  media: MediaEntry[];
}

/** The columns of a document. */
export const productColumns = `id, handle, title, description, brand, type, tags, attributes, seo_title, seo_description, status, tax_category,
  shipping_profile, min_quantity, max_quantity, quantity_step, publish_at, unpublish_at, external_id, metadata,
  created_at, updated_at`;

const valuesOfOption = `(
  select coalesce(json_agg(choice), '[]')
    from (select id, value from product_option_values
           where tenant_id = $1 and option_id = option.id order by position) choice)`;

/** The options of the row `product`, in order. */
const options = `(
  select coalesce(json_agg(ordered), '[]')
    from (select id, name, ${valuesOfOption} as "values" from product_options option
           where tenant_id = $1 and product_id = product.id order by position) ordered)`;

const shopperFields = `id, product_id as "productId", title, sku, barcode, position, weight, length, width, height,
  option_value_ids as "optionValueIds"`;

const time = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
const staffFields = `${shopperFields}, hs_code as "hsCode", origin_country as "originCountry",
  requires_shipping as "requiresShipping", external_id as "externalId", metadata,
  ${time('created_at')} as "createdAt", ${time('updated_at')} as "updatedAt"`;

/** The variants of the row `product`, without deleted ones, in order. */
const variants = (fields: string) => `(
  select coalesce(json_agg(variant), '[]')
    from (select ${fields} from product_variants
           where tenant_id = $1 and product_id = product.id and deleted_at is null order by position, id) variant)`;

/** The media of the row `product`, in order. */
const mediaOfProduct = `(
  select coalesce(json_agg(medium), '[]')
    from (select media_asset_id as id, alt_text as "altText", variant_ids as "variantIds" from product_medias
           where tenant_id = $1 and product_id = product.id order by position) medium)`;

/** The parts of products that a request needs; with the variants, all of them. */
export interface Parts {
  variants: boolean;
  options: boolean;
  media: boolean;
}

const withParts = (fields: string) =>
  `product.*, ${options} as options, ${variants(fields)} as variants, ${mediaOfProduct} as media`;

const none = "'[]'::json";

const withoutVariants = (parts: Parts) =>
  `product.*, ${parts.options ? options : none} as options, ${none} as variants, ${parts.media ? mediaOfProduct : none} as media`;

/** Of the row `product`: its columns, and the parts as shoppers see them. */
export function shownParts(parts: Parts): string {
  return parts.variants ? withParts(shopperFields) : withoutVariants(parts);
}

const publishedByIds = (visible: Condition) => `
  select ${withParts(shopperFields)}
    from (select ${productColumns}, array_position($2::uuid[], id) as place from products
           where tenant_id = $1 and id = any($2) and ${published} and ${visible.sql(4)}
           order by place limit $3) product
   order by place`;

/** The published products among these that the viewer may see, in the order of the ids, at most `limit`. */
export async function findPublishedProducts(
  db: TenantDatabase,
  ids: readonly string[],
  limit = ids.length,
  viewer?: ProductViewer,
): Promise<ProductDocument[]> {
  if (ids.length === 0) return [];
  const visible = await visibleTo(db, viewer);
  const text = statement(`by ids ${visible.key}`, () => publishedByIds(visible));
  return db.query<ProductDocument>(text, [ids, limit, ...visible.values]);
}

const byName = {
  id: 'id = $2',
  handle: 'handle = $2',
  oldHandle: `id = (${byOldHandle('product_old_handles', 'product_id')})`,
  variant: 'id = (select product_id from product_variants where tenant_id = $1 and id = $2 and deleted_at is null)',
};

type ByName<Found> = (kind: keyof typeof byName, name: string) => Promise<Found | null>;

/** Looks for a former handle only if no product has the handle, in a second statement. */
async function byIdOrHandle<Found>(name: string, findBy: ByName<Found>): Promise<Found | null> {
  if (looksLikeId(name)) return findBy('id', name);
  return (await findBy('handle', name)) ?? findBy('oldHandle', name);
}

/** The id of a published product that the viewer may see, by id or handle. */
export async function findPublishedProductId(
  db: TenantDatabase,
  name: string,
  viewer?: ProductViewer,
): Promise<string | null> {
  const visible = await visibleTo(db, viewer);
  const idBy: ByName<string> = async (kind, value) => {
    const text = statement(
      `id by ${kind} ${visible.key}`,
      () => `select id from products where tenant_id = $1 and ${byName[kind]} and ${published} and ${visible.sql(3)}`,
    );
    const [product] = await db.query<{ id: string }>(text, [value, ...visible.values]);
    return product?.id ?? null;
  };
  return byIdOrHandle(name, idBy);
}

async function findPublishedProductBy(
  db: TenantDatabase,
  kind: keyof typeof byName,
  name: string,
  viewer?: ProductViewer,
): Promise<ProductDocument | null> {
  const visible = await visibleTo(db, viewer);
  const text = statement(
    `by ${kind} ${visible.key}`,
    () => `
  select ${withParts(shopperFields)}
    from (select ${productColumns} from products
           where tenant_id = $1 and ${byName[kind]} and ${published} and ${visible.sql(3)}) product`,
  );
  const [product] = await db.query<ProductDocument>(text, [name, ...visible.values]);
  return product ?? null;
}

/** A published product that the viewer may see, by id or handle. */
export function findPublishedProduct(
  db: TenantDatabase,
  name: string,
  viewer?: ProductViewer,
): Promise<ProductDocument | null> {
  return byIdOrHandle(name, (kind, value) => findPublishedProductBy(db, kind, value, viewer));
}

/** The published product of a variant that is not deleted, if the viewer may see it. */
export function findPublishedProductOfVariant(
  db: TenantDatabase,
  id: string,
  viewer?: ProductViewer,
): Promise<ProductDocument | null> {
  return findPublishedProductBy(db, 'variant', id, viewer);
}

const byIds = `
  select ${withParts(staffFields)}
    from (select ${productColumns} from products where tenant_id = $1 and id = any($2) and deleted_at is null) product
   order by array_position($2::uuid[], product.id)`;

/** Products by id for staff, in the order of the ids, without deleted ones. */
export function findProducts(
  db: TenantDatabase,
  ids: readonly string[],
): Promise<ProductDocument<AdminVariantDocument>[]> {
  if (ids.length === 0) return Promise.resolve([]);
  return db.query(byIds, [ids]);
}

const optionsOfProducts = `
  select product.id, ${options} as options from products product where tenant_id = $1 and id = any($2)`;

/** The options of products, by product id. */
export async function findOptions(
  db: TenantDatabase,
  productIds: readonly string[],
): Promise<Map<string, OptionDocument[]>> {
  if (productIds.length === 0) return new Map();
  const rows = await db.query<{ id: string; options: OptionDocument[] }>(optionsOfProducts, [productIds]);
  return new Map(rows.map((row) => [row.id, row.options]));
}
