/**
 * What packages contribute to lists of products: filters by lists that they store, and numbers of products.
 */
import { extensionPoint, type TenantDatabase, type TSchema } from '@carton/runtime';
import type { PriceRequest } from '../viewers/terms.ts';

/** A filter by the lists in which products are. */
export interface ProductListFilter {
  /** The query parameter: `category`. */
  readonly name: string;
  /** Its schema; the value is a string or a boolean. */
  readonly schema: TSchema;
  /**
   * The table with a row for each product of a list: `product_id`, and `product_created_at`, which equals the product's
   * `created_at`. It has no other column of `products`, and the indexes `(tenant_id, <column>, product_created_at,
   * product_id)` and `(tenant_id, product_id, <column>)`.
   */
  readonly table: string;
  /** Its column with the id of the list. */
  readonly column: string;
  /** The type of the column. Default: uuid. */
  readonly type?: 'uuid' | 'text' | 'boolean';
  /**
   * False for a table without `product_created_at`, which may have several rows for a product and the indexes
   * `(tenant_id, <column>, product_id)` and `(tenant_id, product_id, <column>)`. Default: true.
   */
  readonly byTime?: boolean;
  /**
   * The lists that a value names. A product in several of them is listed once; without lists nothing is listed. Null for
   * a value that does not filter.
   */
  findLists(db: TenantDatabase, value: string | boolean): Promise<readonly (string | boolean)[] | null>;
}

export const productListFilters = extensionPoint<ProductListFilter>('product.list-filters');

/** A number of products by which they are filtered and sorted, such as the lowest price. */
export interface ProductMeasure {
  /** `price`, for the parameters `priceMin` and `priceMax`, and the sorts `price` and `-price`. */
  readonly name: string;
  /** What the sorts do, in the description of `sort`. */
  readonly sorted: string;
  /** Schemas of the ends of a range; the values are integers. Without them, there is none. */
  readonly min?: TSchema;
  readonly max?: TSchema;
  /** Whether shoppers may not know the number, only the order: cursors do not have it. */
  readonly isHidden?: boolean;
  /**
   * The table with a row for each product that has a number: `product_id`, the number, and the columns of the key. It has
   * no other column of `products` than `tenant_id`, the primary key `(tenant_id, product_id, <key>)` and the index
   * `(tenant_id, <key>, <column>, product_id)`.
   */
  readonly table: string;
  readonly column: string;
  /** Columns that choose among the numbers of a product, such as the currency, with their types. */
  readonly key: Readonly<Record<string, 'text' | 'uuid'>>;
  /** SQL of a column of the key that depends on other rows, of the parameter with its value; `$1` is the tenant. */
  readonly keySql?: Readonly<Record<string, (parameter: string) => string>>;
  /** The values of the key for a request. May throw invalid_request (400), as for an unknown region. */
  findKey(db: TenantDatabase, request: PriceRequest): Promise<readonly unknown[]>;
}

export const productMeasures = extensionPoint<ProductMeasure>('product.measures');
