/**
 * The stock of products as a measure: the sorts `stock`, `-stock` of `GET /products`. There is no range, and cursors do not
 * have the number: a few requests would tell the stock of each product.
 */
import type { ProductMeasure } from '@carton/product';

export const stockMeasure: ProductMeasure = {
  name: 'stock',
  sorted:
    '`stock`: least stock first, `-stock`: most first, both as of at most a minute ago; without products that were published since',
  isHidden: true,
  table: 'product_stock',
  column: 'units',
  key: {},
  findKey: async () => [],
};
