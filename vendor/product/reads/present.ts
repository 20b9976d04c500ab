/**
 * Products as responses show them: variants with their chosen values and prices.
 */
import type { Media } from '@carton/media';
import { money, type Static } from '@carton/runtime';
import { detailsOf, dimensionsOf } from '../details.ts';
import { scheduleOf } from '../schedule/service.ts';
import type { VariantTerms, WeightUnit } from '../viewers/terms.ts';
import type { AdminProduct, AdminVariant, ChosenOption, Product, ProductMedia, Variant } from './schemas.ts';
import type { AdminVariantDocument, MediaEntry, OptionDocument, ProductDocument, VariantDocument } from './store.ts';

/** Grams per unit; the pound is the international one of 1959. */
const grams: Record<WeightUnit, number> = { kg: 1000, lb: 453.59237 };

/**
 * A weight for display, rounded to thousandths of the unit. Weights are stored, accepted and calculated in grams; a variant
 * also shows its weight in the store's unit.
 */
function displayWeight(weight: number | null, unit: WeightUnit): { value: number; unit: WeightUnit } | null {
  return weight === null ? null : { value: Math.round((weight / grams[unit]) * 1000) / 1000, unit };
}

/** Assets by id. */
export type MediaAssets = ReadonlyMap<string, Static<typeof Media>>;

/** The chosen values of a variant by name, in the order of the product's options. */
function choicesOf(options: readonly OptionDocument[], optionValueIds: readonly string[]): ChosenOption[] {
  const choices: ChosenOption[] = [];
  for (const { name, values } of options) {
    const chosen = values.find(({ id }) => optionValueIds.includes(id));
    if (chosen) choices.push({ name, value: chosen.value });
  }
  return choices;
}

export function presentVariant(
  variant: VariantDocument,
  options: readonly OptionDocument[],
  { prices, weightUnit }: VariantTerms,
): Variant {
  const { id, productId, title, sku, barcode, weight, optionValueIds } = variant;
  const found = prices.get(id);
  const price = found ? money(found.amount, found.currency) : null;
  const amountOf = (amount: number | null | undefined) =>
    found && amount != null ? money(amount, found.currency) : null;
  const compareAtPrice = amountOf(found?.compareAt);
  const lowestPriorPrice = amountOf(found?.lowestPrior);
  const choices = choicesOf(options, optionValueIds);
  const sizes = { weight, displayWeight: displayWeight(weight, weightUnit), ...dimensionsOf(variant) };
  return { id, productId, title, sku, barcode, ...sizes, options: choices, price, compareAtPrice, lowestPriorPrice };
}

export function presentProduct(product: ProductDocument, terms: VariantTerms, assets: MediaAssets): Product {
  const { id, handle, title, description, options, createdAt, updatedAt } = product;
  const { minQuantity, maxQuantity, quantityStep } = product;
  const fields = { ...detailsOf(product), minQuantity, maxQuantity, quantityStep };
  const variants = product.variants.map((variant) => presentVariant(variant, options, terms));
  const media = presentMedia(product.media, assets);
  return { id, handle, title, description, ...fields, options, variants, media, createdAt, updatedAt };
}

export function presentAdminVariant(
  variant: AdminVariantDocument,
  options: readonly OptionDocument[],
  terms: VariantTerms,
): AdminVariant {
  const { position, hsCode, originCountry, requiresShipping, externalId, metadata, createdAt, updatedAt } = variant;
  const own = { position, hsCode, originCountry, requiresShipping, externalId, metadata, createdAt, updatedAt };
  return { ...presentVariant(variant, options, terms), ...own };
}

export function presentAdminProduct(
  product: ProductDocument<AdminVariantDocument>,
  terms: VariantTerms,
  assets: MediaAssets,
): AdminProduct {
  const { status, taxCategory, shippingProfile, externalId, metadata, options } = product;
  const variants = product.variants.map((variant) => presentAdminVariant(variant, options, terms));
  const own = { status, ...scheduleOf(product), taxCategory, shippingProfile, externalId, metadata };
  return { ...presentProduct({ ...product, variants: [] }, terms, assets), ...own, variants };
}

function presentMedia(entries: readonly MediaEntry[], assets: MediaAssets): ProductMedia[] {
  return entries.flatMap(({ id, altText, variantIds }) => {
    const asset = assets.get(id);
    return asset ? [{ ...asset, altText: altText ?? asset.altText, variantIds }] : [];
  });
}
