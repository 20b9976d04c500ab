/**
 * Products as they are answered: variants with the names of their choices and their prices.
 */
import { money } from '@carton/runtime';
import type { AdminVariantDocument, OptionDocument, ProductDocument, VariantDocument } from './documents.ts';
import type { VariantPrice } from './extensions.ts';
import type { AdminProduct, AdminVariant, ChosenOption, Product, Variant } from './schemas.ts';

type Prices = ReadonlyMap<string, VariantPrice>;
const noPrices: Prices = new Map();

/** The choices of a variant by name, in the order of the product's options. */
export function choicesOf(options: readonly OptionDocument[], optionValueIds: readonly string[]): ChosenOption[] {
  const choices: ChosenOption[] = [];
  for (const { name, values } of options) {
    const chosen = values.find(({ id }) => optionValueIds.includes(id));
    if (chosen) choices.push({ name, value: chosen.value });
  }
  return choices;
}

export function presentVariant(variant: VariantDocument, options: readonly OptionDocument[], prices: Prices): Variant {
  const { id, productId, title, sku, barcode, weight, optionValueIds } = variant;
  const found = prices.get(id);
  const price = found ? money(found.amount, found.currency) : null;
  const compareAtPrice = found?.compareAt != null ? money(found.compareAt, found.currency) : null;
  const choices = choicesOf(options, optionValueIds);
  return { id, productId, title, sku, barcode, weight, options: choices, price, compareAtPrice };
}

export function presentProduct(product: ProductDocument, prices: Prices): Product {
  const { id, handle, title, description, options, createdAt, updatedAt } = product;
  const variants = product.variants.map((variant) => presentVariant(variant, options, prices));
  return { id, handle, title, description, options, variants, createdAt, updatedAt };
}

export function presentAdminVariant(
  variant: AdminVariantDocument,
  options: readonly OptionDocument[],
  prices: Prices = noPrices,
): AdminVariant {
  const { position, hsCode, originCountry, externalId, metadata, createdAt, updatedAt } = variant;
  const own = { position, hsCode, originCountry, externalId, metadata, createdAt, updatedAt };
  return { ...presentVariant(variant, options, prices), ...own };
}

export function presentAdminProduct(
  product: ProductDocument<AdminVariantDocument>,
  prices: Prices = noPrices,
): AdminProduct {
  const { status, externalId, metadata, options } = product;
  const variants = product.variants.map((variant) => presentAdminVariant(variant, options, prices));
  return { ...presentProduct({ ...product, variants: [] }, prices), status, externalId, metadata, variants };
}
