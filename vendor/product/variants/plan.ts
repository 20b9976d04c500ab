/**
 * Turns request bodies into rows of variants, and rejects what is inconsistent.
 */
import { invalidField, newId } from '@carton/runtime';
import { dimensionsOf } from '../details.ts';
import { planChoice, rejectDuplicates } from '../options/plan.ts';
import type { ChosenOption } from '../reads/schemas.ts';
import type { OptionDocument } from '../reads/store.ts';
import { titleOf } from '../reads/texts.ts';
import { skuKey } from '../search/words.ts';
import type { NewVariant } from '../store.ts';
import { type CreateVariant, maxVariants } from './schemas.ts';
import { storedSku } from './skus.ts';

/** A variant as a row. @throws invalid_request (400) */
export function planVariant(
  { productId, position, options }: { productId: string; position: number; options: readonly OptionDocument[] },
  requested: CreateVariant,
  pointer = '',
): NewVariant {
  const { title, sku = null, barcode = null, weight = null, hsCode = null, originCountry = null } = requested;
  const { requiresShipping = true } = requested;
  const { externalId = null, metadata = {} } = requested;
  const optionValueIds = planChoice(options, requested.options ?? [], `${pointer}/options`);
  return {
    id: newId(),
    productId,
    title: title ?? titleOf(options, optionValueIds),
    sku: sku && storedSku(sku),
    barcode,
    position,
    weight,
    ...dimensionsOf(requested),
    hsCode,
    originCountry,
    requiresShipping,
    optionValueIds,
    externalId,
    metadata,
  };
}

/**
 * All variants of a new product: the requested ones, or one for each combination of values.
 * @throws invalid_request (400) for variants with the same values or SKU, or too many combinations
 */
export function planVariants(
  productId: string,
  options: readonly OptionDocument[],
  requested: readonly CreateVariant[] | undefined,
): NewVariant[] {
  const drafts = requested ?? combinationsOf(options).map((chosen) => ({ options: chosen }));
  const rows = drafts.map((variant, position) =>
    planVariant({ productId, position, options }, variant, `/variants/${position}`),
  );
  rejectDuplicates(
    rows.map(({ optionValueIds }) => optionValueIds.join()),
    (index) => `/variants/${index}/options`,
    { detail: 'are the same as those of another variant' },
  );
  const skus = new Set<string>();
  for (const [index, { sku }] of rows.entries()) {
    if (sku === null) continue;
    const key = skuKey(sku);
    if (skus.has(key)) throw invalidField(`/variants/${index}/sku`, 'is a duplicate');
    skus.add(key);
  }
  return rows;
}

function combinationsOf(options: readonly OptionDocument[]): ChosenOption[][] {
  const count = options.reduce((product, { values }) => product * values.length, 1);
  if (count > maxVariants) throw invalidField('/options', `make ${count} variants; the maximum is ${maxVariants}`);
  return options.reduce<ChosenOption[][]>(
    (combinations, { name, values }) =>
      combinations.flatMap((chosen) => values.map(({ value }) => [...chosen, { name, value }])),
    [[]],
  );
}
