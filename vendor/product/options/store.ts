/**
 * Queries of the tables `product_options` and `product_option_values`.
 */
import type { TenantDatabase } from '@carton/runtime';
import type { OptionDocument } from '../reads/store.ts';

/** Inserts options with their values, the first at `position`. */
export async function insertOptions(
  db: TenantDatabase,
  productId: string,
  options: readonly OptionDocument[],
  position: number,
): Promise<void> {
  await db.insertMany(
    'product_options',
    options.map(({ id, name }, index) => ({ id, productId, name, position: position + index })),
  );
  const values = options.flatMap((option) =>
    option.values.map(({ id, value }, index) => ({ id, optionId: option.id, value, position: index })),
  );
  await insertValues(db, values);
}

/** A value of an option as it is stored. */
export type NewValue = {
  id: string;
  optionId: string;
  value: string;
  position: number;
};

export async function insertValues(db: TenantDatabase, values: readonly NewValue[]): Promise<void> {
  await db.insertMany('product_option_values', values);
}

export async function changeValue(
  db: TenantDatabase,
  id: string,
  change: Pick<NewValue, 'value' | 'position'>,
): Promise<void> {
  await db.update('product_option_values', { id }, change);
}

export async function removeValues(db: TenantDatabase, ids: readonly string[]): Promise<void> {
  await db.remove('product_option_values', { id: ids });
}

export async function renameOption(db: TenantDatabase, id: string, name: string): Promise<void> {
  await db.update('product_options', { id }, { name });
}

/** Removes an option and its values, which no variant has any longer. */
export async function deleteOption(db: TenantDatabase, id: string): Promise<void> {
  await db.remove('product_option_values', { optionId: id });
  await db.remove('product_options', { id });
}
