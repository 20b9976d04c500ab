/**
 * Texts of products in the shopper's language. A product's own texts are in the store's default language; packages with
 * translations contribute others.
 */
import { findStore } from '@carton/core';
import { extensionPoint, preferredLocales, type TenantDatabase } from '@carton/runtime';
import type { ProductViewer } from '../viewers/service.ts';
import type { VariantInfo } from './lookups-store.ts';
import { findOptions, type OptionDocument, type ProductDocument } from './store.ts';

/** Texts of a product (`title`, `description`), variant (`title`), option (`name`) or value of an option (`value`). */
export interface ProductText {
  title?: string;
  description?: string;
  name?: string;
  value?: string;
}

/**
 * Returns texts by the id of the product, variant, option or option value, in one statement. Each text comes from the
 * first locale that has it; a text without a translation is left out and not replaced.
 * @param locales BCP 47, most preferred first, each followed by its language (`de-AT`, `de`)
 */
export type ProductTexts = (
  db: TenantDatabase,
  ids: readonly string[],
  locales: readonly string[],
) => Promise<ReadonlyMap<string, ProductText>>;

/** If several packages have a text, that of the last one in dependency order is used. */
export const productTexts = extensionPoint<ProductTexts>('product.texts');

/** The locales to look up, best first. None after the store's own language, in which every text exists. */
export function localesToTry({ locale, headers }: ProductViewer, defaultLocale: string): string[] {
  const preferred = locale ? [locale] : preferredLocales(headers?.['accept-language'] ?? '');
  const [ownLanguage] = defaultLocale.toLowerCase().split('-');
  const locales = new Set<string>();
  for (const tag of preferred) {
    const parts = tag.split('-');
    for (let length = parts.length; length > 0; length -= 1) {
      const candidate = parts.slice(0, length).join('-');
      const lower = candidate.toLowerCase();
      if (lower === defaultLocale.toLowerCase() || lower === ownLanguage) return [...locales];
      locales.add(candidate);
    }
  }
  return [...locales];
}

type Texts = ReadonlyMap<string, ProductText>;

/** Null if no text can differ. */
async function localesOf(db: TenantDatabase, viewer: ProductViewer): Promise<readonly string[] | null> {
  if (productTexts.of(db).length === 0) return null;
  if (!viewer.locale && !viewer.headers?.['accept-language']) return null;
  const locales = localesToTry(viewer, (await findStore(db)).defaultLocale);
  return locales.length > 0 ? locales : null;
}

async function readTexts(db: TenantDatabase, ids: readonly string[], locales: readonly string[]): Promise<Texts> {
  const results = await Promise.all(productTexts.of(db).map((textsOf) => textsOf(db, ids, locales)));
  const texts = new Map<string, ProductText>();
  for (const result of results) {
    for (const [id, text] of result) texts.set(id, { ...texts.get(id), ...text });
  }
  return texts;
}

/** Translates products for a viewer, in one round trip; unchanged where there is no translation. */
export async function translateProducts(
  db: TenantDatabase,
  products: ProductDocument[],
  viewer: ProductViewer = {},
): Promise<ProductDocument[]> {
  const locales = products.length > 0 ? await localesOf(db, viewer) : null;
  if (!locales) return products;
  const ids = products.flatMap((product) => [product.id, ...product.variants.map(({ id }) => id), ...idsOf(product)]);
  const texts = await readTexts(db, ids, locales);
  return products.map((product) => {
    const { title = product.title, description = product.description } = texts.get(product.id) ?? {};
    const options = translateOptions(product.options, texts);
    const variants = product.variants.map((variant) => ({
      ...variant,
      title: variantTitle(variant, { before: product.options, after: options }, texts),
    }));
    return { ...product, title, description, options, variants };
  });
}

/** Translates variants, as carts show them, for a viewer. */
export async function translateVariants(
  db: TenantDatabase,
  variants: (VariantInfo & { optionValueIds: string[] })[],
  viewer: ProductViewer,
): Promise<VariantInfo[]> {
  const untranslated = variants.map(({ optionValueIds: _, ...variant }) => variant);
  const locales = variants.length > 0 ? await localesOf(db, viewer) : null;
  if (!locales) return untranslated;
  const productIds = [...new Set(variants.map(({ productId }) => productId))];
  const ids = variants.flatMap(({ id, optionValueIds }) => [id, ...optionValueIds]);
  const [texts, optionsOf] = await Promise.all([
    readTexts(db, [...productIds, ...ids], locales),
    findOptions(db, productIds),
  ]);
  return untranslated.map((variant, at) => {
    const before = optionsOf.get(variant.productId) ?? [];
    const { optionValueIds } = variants[at] as (typeof variants)[number];
    const title = variantTitle(
      { ...variant, optionValueIds },
      { before, after: translateOptions(before, texts) },
      texts,
    );
    return { ...variant, title, productTitle: texts.get(variant.productId)?.title ?? variant.productTitle };
  });
}

function idsOf({ options }: ProductDocument): string[] {
  return options.flatMap(({ id, values }) => [id, ...values.map((value) => value.id)]);
}

function translateOptions(options: readonly OptionDocument[], texts: Texts): OptionDocument[] {
  return options.map(({ id, name, values }) => ({
    id,
    name: texts.get(id)?.name ?? name,
    values: values.map(({ id: valueId, value }) => ({ id: valueId, value: texts.get(valueId)?.value ?? value })),
  }));
}

/**
 * A default title, made from the chosen values, is made from their translations, unless it has a translation itself.
 */
function variantTitle(
  { id, title, optionValueIds }: { id: string; title: string; optionValueIds: readonly string[] },
  { before, after }: { before: readonly OptionDocument[]; after: readonly OptionDocument[] },
  texts: Texts,
): string {
  const own = texts.get(id)?.title;
  if (own !== undefined || before.length === 0) return own ?? title;
  return title === titleOf(before, optionValueIds) ? titleOf(after, optionValueIds) : title;
}

/** Title of the only variant of a product without options. */
const defaultVariantTitle = 'Default';

/** Whether the title of a variant says nothing: its product has no options. */
export const isDefaultTitle = (title: string): boolean => title === defaultVariantTitle;

/** The default title of a variant: its values in the order of the options. */
export function titleOf(options: readonly OptionDocument[], optionValueIds: readonly string[]): string {
  const values = options.map(({ values }) => values.find(({ id }) => optionValueIds.includes(id))?.value ?? '');
  return values.join(' / ').slice(0, 200) || defaultVariantTitle;
}
