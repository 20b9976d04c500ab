/**
 * Products with variants, prices and stock.
 */
import { defaultLocation, unlimitedStock } from '@carton/inventory';
import { indexedLength, wordsOfTexts } from '../../vendor/product/search/words.ts';
import type { CopyBatch } from './copy.ts';
import { later, type Random, timeOf } from './random.ts';
import { clothes, goods, materials, sizes, styles, wordStarts } from './vocabulary.ts';

/** In place of a region, in the lowest prices of a currency. */
const noRegion = '00000000-0000-0000-0000-000000000000';
const statuses = { published: 90, draft: 7, archived: 3 } as const;

export interface CatalogueOptions {
  random: Random;
  currency: string;
  /** When the first and the last product were created, in milliseconds. */
  from: number;
  to: number;
  /** The number of the first product, which makes handles, SKUs and external ids unique. */
  first: number;
  count: number;
}

/** Adds the rows of a product; `index` counts from 0. */
export function addProduct(batch: CopyBatch, options: CatalogueOptions, index: number): void {
  const { random, from, to, first, count } = options;
  const number = first + index;
  const created = from + ((to - from) * (index + random.next())) / count;
  const times = {
    created_at: timeOf(created),
    updated_at: timeOf(random.isTrue(0.4) ? created : later(random, created, to)),
  };
  const productId = random.id(created);
  const hasSizes = random.isTrue(0.35);
  const title = [random.pick(styles), random.pick(materials), random.pick(hasSizes ? clothes : goods)].join(' ');
  const handle = `${title.toLowerCase().replaceAll(' ', '-')}-${number}`;
  const status = random.weighted(statuses);
  batch.add('products', {
    id: productId,
    handle,
    title,
    description: `${title}: made to last, and easy to care for.`,
    status,
    tax_category: random.isTrue(0.05) ? 'reduced' : null,
    external_id: externalId(random, 'item', number),
    ...times,
  });
  const amount = amountOf(random);
  const offered = hasSizes ? sizes.slice(random.between(0, 2), random.between(3, 5)) : [null];
  const values = offered.map((size) => ({ id: random.id(created), size }));
  if (hasSizes) {
    const optionId = random.id(created);
    batch.add('product_options', { id: optionId, product_id: productId, name: 'Size', position: 0 });
    for (const [position, { id, size }] of values.entries()) {
      batch.add('product_option_values', { id, option_id: optionId, value: size, position });
    }
  }
  batch.add('product_prices', {
    product_id: productId,
    currency: options.currency,
    region_id: noRegion,
    amount,
  });
  let units = 0;
  const skus: string[] = [];
  for (const [position, { id, size }] of values.entries()) {
    const variantId = random.id(created);
    const suffix = size === null ? '' : `-${size}`;
    const sku = `${initials(title)}-${number}${suffix}`;
    batch.add('product_variants', {
      id: variantId,
      product_id: productId,
      title: size ?? 'Default',
      sku,
      barcode: random.isTrue(0.8) ? String(4_000_000_000_000 + number * 10 + position) : null,
      position,
      weight: random.between(50, 4000),
      option_value_ids: size === null ? [] : [id],
      external_id: externalId(random, 'variant', `${number}${suffix}`),
      ...times,
    });
    skus.push(sku);
    batch.add('variant_prices', {
      id: random.id(created),
      variant_id: variantId,
      currency: options.currency,
      region_id: null,
      amount,
      ...times,
    });
    units += addStock(batch, options, { variantId, productId, created });
  }
  const titleWords = wordStarts(title).map((word) => word.slice(0, indexedLength));
  for (const word of new Set([...titleWords, ...wordsOfTexts({ title, skus })])) {
    batch.add('product_title_words', { product_id: productId, status, word_from: word });
  }
  if (status === 'published')
    batch.add('product_stock', { product_id: productId, units: Math.min(units, unlimitedStock) });
}

/** Returns the units of the variant for the stock of its product. */
function addStock(
  batch: CopyBatch,
  { random, to }: CatalogueOptions,
  { variantId, productId, created }: { variantId: string; productId: string; created: number },
): number {
  const tracked = random.isTrue(0.97);
  const backOrders = random.isTrue(0.05);
  const lowStockLevel = random.isTrue(0.4) ? random.between(2, 20) : 0;
  const onHand = random.isTrue(0.08) ? 0 : Math.round(Math.exp(random.normal(4, 1.2)));
  const createdAt = timeOf(created);
  batch.add('stock_items', {
    id: variantId,
    tracked,
    back_order_policy: backOrders ? 'allow' : 'deny',
    low_stock_level: lowStockLevel,
    low: tracked && onHand <= lowStockLevel,
    in_stock: onHand > 0,
    product_id: productId,
    created_at: createdAt,
    updated_at: createdAt,
  });
  const level = { stock_item_id: variantId, location_id: defaultLocation };
  batch.add('stock_levels', {
    ...level,
    on_hand: onHand,
    low_at: tracked ? lowStockLevel : null,
    updated_at: timeOf(later(random, created, to)),
  });
  const units = !tracked || backOrders ? unlimitedStock : onHand;
  if (onHand === 0) return units;
  batch.add('stock_movements', {
    id: random.id(created),
    ...level,
    quantity: onHand,
    reason: 'received',
    reference_type: null,
    reference_id: null,
    created_at: createdAt,
  });
  return units;
}

/** An amount in minor units: most between 10 and 150, and ending in 90, 50 or 00. */
function amountOf(random: Random): number {
  const whole = Math.max(1, Math.round(Math.exp(random.normal(3.7, 0.8))));
  return whole * 100 - random.pick([10, 10, 10, 50, 0]);
}

function initials(title: string): string {
  return title.replaceAll(/[^A-Z]/g, '');
}

/** Half of the resources have one, as of a store that another system feeds. */
function externalId(random: Random, kind: string, key: string | number): string | null {
  return random.isTrue(0.5) ? `${kind}-${key}` : null;
}
