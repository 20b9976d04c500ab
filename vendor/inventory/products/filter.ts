/**
 * The filter `inStock` of `GET /products`: products with a variant that shoppers can buy now, as `availabilityOf` says of
 * variants, at any location. The column `sellable` of stock_items is generated, and always right (levels-store.ts).
 */
import type { ProductListFilter } from '@carton/product';
import { Type } from '@carton/runtime';

export const inStockFilter: ProductListFilter = {
  name: 'inStock',
  schema: Type.Boolean({
    description:
      '`true`: only products with a variant that can be bought now, because it is in stock, not tracked or can be ' +
      'back-ordered. `false`: all products',
  }),
  table: 'stock_items',
  column: 'sellable',
  type: 'boolean',
  byTime: false,
  findLists: async (_db, value) => (value === true ? [true] : null),
};
