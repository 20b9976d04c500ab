/**
 * Reads complete products, with options and variants, in one statement. The nested parts are aggregated as JSON by the
 * database, which is cheaper than fetching their rows and joining them here.
 */
import { decodeCursor, looksLikeId, maxPageSize, type Page, pageOfRows, type TenantDatabase } from '@carton/runtime';
import { after, allOf, type Condition, equals, sorts } from './conditions.ts';
import type { ProductQuery, ProductStatus } from './schemas.ts';
import { titleSearch } from './title-words.ts';
import type { ProductViewer } from './viewer.ts';
import { visibleTo } from './visibility.ts';

export interface OptionDocument {
  id: string;
  name: string;
  values: { id: string; value: string }[];
}

export interface VariantDocument {
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
  externalId: string | null;
  metadata: Record<string, unknown>;
  createdAt: string;
  updatedAt: string;
}

export interface ProductDocument<V extends VariantDocument = VariantDocument> {
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
}

const columns = `id, handle, title, description, status, tax_category, shipping_profile, min_quantity, max_quantity, quantity_step,
  external_id, metadata, created_at, updated_at`;

const valuesOfOption = `(
  select coalesce(json_agg(choice), '[]')
    from (select id, value from product_option_values
           where tenant_id = $1 and option_id = option.id order by position) choice)`;

/** The options of the row `product`, in order. */
const options = `(
  select coalesce(json_agg(ordered), '[]')
    from (select id, name, ${valuesOfOption} as "values" from product_options option
           where tenant_id = $1 and product_id = product.id order by position) ordered)`;

const shopperFields = `id, product_id as "productId", title, sku, barcode, position, weight,
  option_value_ids as "optionValueIds"`;

const time = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
const staffFields = `${shopperFields}, hs_code as "hsCode", origin_country as "originCountry", external_id as "externalId", metadata,
  ${time('created_at')} as "createdAt", ${time('updated_at')} as "updatedAt"`;

/** The variants of the row `product`, without deleted ones, in order. */
const variants = (fields: string) => `(
  select coalesce(json_agg(variant), '[]')
    from (select ${fields} from product_variants
           where tenant_id = $1 and product_id = product.id and deleted_at is null order by position, id) variant)`;

const withParts = (fields: string) => `product.*, ${options} as options, ${variants(fields)} as variants`;
const withoutVariants = (optionsToo: boolean) =>
  `product.*, ${optionsToo ? options : "'[]'::json"} as options, '[]'::json as variants`;
const published = `status = 'published' and deleted_at is null`;
const isPublished: Condition = { key: 'published', values: [], sql: () => published };

const statements = new Map<string, string>();

/** Caches the text of a statement by name, so that it stays prepared. */
function statement(name: string, make: () => string): string {
  let text = statements.get(name);
  if (text === undefined) {
    text = make();
    statements.set(name, text);
  }
  return text;
}

const publishedByIds = (visible: Condition) => `
  select ${withParts(shopperFields)}
    from (select ${columns}, array_position($2::uuid[], id) as place from products
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
  variant: 'id = (select product_id from product_variants where tenant_id = $1 and id = $2 and deleted_at is null)',
};

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
    from (select ${columns} from products
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
  return findPublishedProductBy(db, looksLikeId(name) ? 'id' : 'handle', name, viewer);
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
    from (select ${columns} from products where tenant_id = $1 and id = any($2) and deleted_at is null) product
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

/** One more than the largest page, to detect whether another follows. */
const maxRows = maxPageSize + 1;

type Parts = 'complete' | 'options' | 'plain';

/** The statement of a page: one text for each sort, set of parts and condition. */
function pageStatement(sort: keyof typeof sorts, parts: Parts, condition: Condition): string {
  return statement(`page ${sort} ${parts} ${condition.key}`, () => {
    const { column, direction } = sorts[sort];
    // The constant inner limit helps the planner: with a parameter alone it would plan each execution again.
    return `
      select ${parts === 'complete' ? withParts(shopperFields) : withoutVariants(parts === 'options')}
        from (select * from (
                select ${columns}, ${column} as sort_key from products
                 where tenant_id = $1 and ${published} and ${condition.sql(3)}
                 order by ${column} ${direction}, id ${direction} limit ${maxRows}) page
               limit $2) product
       order by sort_key ${direction}, id ${direction}`;
  });
}

/**
 * A page of the published products that the viewer may see.
 * @param fields the requested fields; variants and options are read only if requested
 * @throws invalid_request (400) for a cursor of another list
 */
export async function pageOfPublishedProducts(
  db: TenantDatabase,
  { limit, cursor, sort, q, handle }: Pick<ProductQuery, 'limit' | 'cursor' | 'sort' | 'q' | 'handle'>,
  fields: ReadonlySet<string> | null = null,
  viewer?: ProductViewer,
): Promise<Page<ProductDocument>> {
  const parts = !fields || fields.has('variants') ? 'complete' : fields.has('options') ? 'options' : 'plain';
  const order = sorts[sort];
  const conditions = [
    ...(handle === undefined ? [] : [equals('handle', handle)]),
    ...(cursor === undefined ? [] : [after(order, decodeCursor(cursor, sort).slice(1))]),
    await visibleTo(db, viewer),
  ];
  if (q !== undefined) {
    const listed = [isPublished, ...conditions];
    conditions.push(await titleSearch(db, q, { statuses: ['published'], conditions: listed, order, limit }));
  }
  const condition = allOf(conditions);
  const text = pageStatement(sort, parts, condition);
  const rows = await db.query<ProductDocument & { sortKey: string }>(text, [limit + 1, ...condition.values]);
  return pageOfRows(rows, limit, ({ sortKey, id }) => [sort, sortKey, id]);
}
