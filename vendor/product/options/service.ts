/**
 * Rules of options: every variant has exactly one value of each, and no two variants have the same values.
 */
import { invalidField, newId, notFound, type TenantDatabase } from '@carton/runtime';
import { publishProductChange } from '../events.ts';
import { choiceTaken, limitReached, optionTaken, valueInUse } from '../problems.ts';
import type { AdminProduct } from '../reads/schemas.ts';
import { readAdminProduct } from '../reads/service.ts';
import { findOptions, type OptionDocument } from '../reads/store.ts';
import { type ProductRow, products, productVariants, variantsOf } from '../store.ts';
import { planOption, rejectDuplicates, retitle, sameName, trimmedName } from './plan.ts';
import { type ChangeProductOption, type CreateProductOption, maxOptions } from './schemas.ts';
import {
  changeValue,
  deleteOption,
  insertOptions,
  insertValues,
  type NewValue,
  removeValues,
  renameOption,
} from './store.ts';

/** Changes the options of a product, one writer at a time. @throws not_found (404) */
function changeOptions<T>(
  db: TenantDatabase,
  productId: string,
  work: (db: TenantDatabase, options: OptionDocument[], product: ProductRow) => Promise<T>,
): Promise<T> {
  return db.transaction(async (transaction) => {
    const product = await products.lock(transaction, productId);
    const options = (await findOptions(transaction, [productId])).get(productId) ?? [];
    const result = await work(transaction, options, product);
    await publishProductChange(transaction, await products.change(transaction, productId, {}));
    return result;
  });
}

/**
 * Adds an option; existing variants get its first value.
 * @throws not_found (404), invalid_request (400), product_option_taken (409), product_limit_reached (409)
 */
export async function addOption(
  db: TenantDatabase,
  productId: string,
  body: CreateProductOption,
): Promise<AdminProduct> {
  const added = planOption(body);
  await changeOptions(db, productId, async (transaction, options) => {
    rejectUsedName(options, added.name);
    if (options.length >= maxOptions) throw limitReached(`A product has at most ${maxOptions} options.`);
    await insertOptions(transaction, productId, [added], options.length);
    const first = added.values[0]?.id as string;
    await reassignValues(transaction, productId, options, [...options, added], (ids) => [...ids, first].sort());
  });
  return readAdminProduct(db, productId);
}

/**
 * Renames an option, and reorders, renames, adds and removes its values.
 * @throws not_found (404), invalid_request (400), product_option_taken (409), option_value_in_use (409)
 */
export async function changeOption(
  db: TenantDatabase,
  productId: string,
  optionId: string,
  { name, values }: ChangeProductOption,
): Promise<AdminProduct> {
  await changeOptions(db, productId, async (transaction, options) => {
    const option = requireOption(options, optionId);
    if (name !== undefined && name !== option.name) {
      const others = options.filter((other) => other !== option);
      const trimmed = trimmedName(name, '/name');
      rejectUsedName(others, trimmed);
      await renameOption(transaction, optionId, trimmed);
    }
    if (values) {
      await replaceValues(transaction, productId, option, values);
      const after = (await findOptions(transaction, [productId])).get(productId) ?? [];
      await reassignValues(transaction, productId, options, after, (ids) => ids);
    }
  });
  return readAdminProduct(db, productId);
}

/**
 * Removes an option.
 * @throws not_found (404), variant_choice_taken (409) if variants differ only by this option
 */
export function removeOption(db: TenantDatabase, productId: string, optionId: string): Promise<void> {
  return changeOptions(db, productId, async (transaction, options) => {
    const option = requireOption(options, optionId);
    const removedIds = new Set(option.values.map(({ id }) => id));
    const remaining = options.filter((other) => other !== option);
    const without = (ids: string[]) => ids.filter((id) => !removedIds.has(id));
    const choices = (await variantsOf(transaction, productId)).map((variant) => without(variant.optionValueIds).join());
    if (new Set(choices).size < choices.length) {
      throw choiceTaken(`Variants differ only by ${option.name}: delete all but one of them first.`);
    }
    await reassignValues(transaction, productId, options, remaining, without);
    await deleteOption(transaction, optionId);
  });
}

/** Updates the values of a product's variants after its options changed, and the titles made from them. */
async function reassignValues(
  db: TenantDatabase,
  productId: string,
  before: readonly OptionDocument[],
  after: readonly OptionDocument[],
  choose: (optionValueIds: string[]) => string[],
): Promise<void> {
  for (const variant of await variantsOf(db, productId)) {
    const optionValueIds = choose(variant.optionValueIds);
    const title = retitle({ ...variant, options: before }, { options: after, optionValueIds });
    const changed = title !== variant.title || optionValueIds.join() !== variant.optionValueIds.join();
    if (changed) await productVariants.change(db, variant.id, { title, optionValueIds });
  }
}

function rejectUsedName(options: readonly OptionDocument[], name: string): void {
  if (options.some((option) => sameName(option.name, name)))
    throw optionTaken(`The product already has the option ${name}.`);
}

function requireOption(options: readonly OptionDocument[], id: string): OptionDocument {
  const option = options.find((candidate) => candidate.id === id.toLowerCase());
  if (!option) throw notFound(`This product has no option with the id ${id}.`);
  return option;
}

async function replaceValues(
  db: TenantDatabase,
  productId: string,
  option: OptionDocument,
  sent: NonNullable<ChangeProductOption['values']>,
): Promise<void> {
  const isStored = (id: string | undefined, value: string) =>
    option.values.some((stored) => stored.id === id && stored.value === value);
  // What earlier releases stored stays as it is.
  const requested = sent.map(({ id, value }, index) => ({
    id,
    value: isStored(id, value) ? value : trimmedName(value, `/values/${index}/value`),
  }));
  rejectDuplicates(
    requested.map(({ value }) => value),
    (index) => `/values/${index}/value`,
    { isStored: (index) => isStored(sent[index]?.id, sent[index]?.value ?? '') },
  );
  const known = new Set(option.values.map(({ id }) => id));
  const keptIds = requested.flatMap(({ id }) => id ?? []);
  rejectDuplicates(keptIds, () => '/values');
  const foreign = requested.findIndex(({ id }) => id !== undefined && !known.has(id));
  if (foreign >= 0) throw invalidField(`/values/${foreign}/id`, `is not a value of ${option.name}`);

  const removed = option.values.filter(({ id }) => !keptIds.includes(id));
  const used = new Set((await variantsOf(db, productId)).flatMap(({ optionValueIds }) => optionValueIds));
  const inUse = removed.find(({ id }) => used.has(id));
  if (inUse) throw valueInUse(`Variants use ${inUse.value}: change or delete them first.`);

  if (removed.length > 0)
    await removeValues(
      db,
      removed.map(({ id }) => id),
    );
  const added: NewValue[] = [];
  for (const [position, { id, value }] of requested.entries()) {
    if (id === undefined) added.push({ id: newId(), optionId: option.id, value, position });
    else await changeValue(db, id, { value, position });
  }
  await insertValues(db, added);
}
