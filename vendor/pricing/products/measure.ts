/**
 * The lowest price of products as a measure: the parameters `priceMin`, `priceMax` and the sorts `price`, `-price` of
 * `GET /products`.
 */
import type { ProductMeasure } from '@carton/product';
import { Type } from '@carton/runtime';
import { currencyOfRegion } from '../service.ts';
import { listedRegion, noRegion } from './store.ts';

const amountOf = (description: string) =>
  Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description:
      `${description}, in minor units of \`currency\` or of the currency of \`regionId\`: the lowest price of the ` +
      'variants for a shopper without an account. Products without a price do not match',
    examples: [2000],
  });

export const priceMeasure: ProductMeasure = {
  name: 'price',
  sorted: '`price`: lowest price first, `-price`: highest first; both without products that have no price',
  min: amountOf('At least this price'),
  max: amountOf('At most this price'),
  table: 'product_prices',
  column: 'amount',
  key: { currency: 'text', region_id: 'uuid' },
  keySql: { region_id: listedRegion },
  async findKey(db, { currency, regionId, regionCurrency }) {
    if (regionId === undefined) return [currency, noRegion];
    return [regionCurrency ?? (await currencyOfRegion(db, regionId, currency)), regionId];
  },
};
