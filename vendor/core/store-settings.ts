/**
 * Settings of the store that other packages add: each declares a group of them, with schemas and defaults, and core
 * keeps, checks, documents and answers them without knowing what they are for.
 */
import {
  changeOf,
  extensionPoint,
  type HasExtensions,
  object,
  type Static,
  type TObject,
  type TProperties,
  type TSchema,
} from '@carton/runtime';

/** What was set of each group, by its name; a setting that was never set is not there. */
export type StoredSettings = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** A group of settings of one package. */
export interface StoreSettingsGroup<Values = unknown> {
  /** The property of `settings` it stands under: by custom the name of its package. */
  readonly name: string;
  readonly properties: TProperties;
  /** What holds in a store: what was set there, else the defaults. Reads nothing: `findStore` has brought it along. */
  of(store: { readonly settings: StoredSettings }): Values;
}

/** Where packages add settings to the store. */
export const storeSettingsGroups = extensionPoint<StoreSettingsGroup>('core.store-settings');

/**
 * Declares settings of the store, to be contributed by the same package. Each has a default, so that a store that is
 * older than the setting has it too. They are read and changed by `/admin/store`, as `settings.<name>`.
 * @throws Error when a setting has no default
 * @example export const taxSettings = storeSettings('tax', {
 *            roundPer: oneOf(['line', 'total'], { default: 'line', description: 'Where taxes are rounded' }) });
 *          definePackage({ extends: [storeSettingsGroups.with(taxSettings)] });
 *          const { roundPer } = taxSettings.of(await findStore(db));
 */
export function storeSettings<Properties extends TProperties>(
  name: string,
  properties: Properties,
): StoreSettingsGroup<Static<TObject<Properties>>> {
  const defaults = Object.fromEntries(
    Object.entries(properties).map(([setting, schema]) => {
      if (schema.default === undefined) throw new Error(`the setting ${name}.${setting} of the store has no default`);
      return [setting, schema.default];
    }),
  );
  return {
    name,
    properties,
    of: ({ settings }) => ({ ...defaults, ...settings[name] }) as Static<TObject<Properties>>,
  };
}

/** The groups of a box, by name. @throws Error when two packages declare one */
function groupsOf(box: HasExtensions): readonly StoreSettingsGroup[] {
  const groups = storeSettingsGroups.of(box);
  const names = groups.map(({ name }) => name);
  const twice = names.find((name, position) => names.indexOf(name) !== position);
  if (twice !== undefined) throw new Error(`two packages declare the settings ${twice} of the store`);
  return groups;
}

/** What holds in a store, group by group, as it is answered. */
export function presentSettings(box: HasExtensions, store: { settings: StoredSettings }): Record<string, unknown> {
  return Object.fromEntries(groupsOf(box).map((group) => [group.name, group.of(store)]));
}

/** The settings of a box's stores as they are answered. */
export function settingsSchema(box: HasExtensions): TSchema {
  return object(Object.fromEntries(groupsOf(box).map(({ name, properties }) => [name, object(properties)])), {
    $id: 'StorePackageSettings',
    description: 'Settings that packages of this box add',
  });
}

/**
 * A change of them: any of each group; null where no package of the box adds any. Without defaults, which would set
 * what a caller leaves out.
 */
export function changeSettingsSchema(box: HasExtensions): TSchema | null {
  const withoutDefault = ({ default: _, ...schema }: TSchema) => schema as TSchema;
  const changes = groupsOf(box).map(({ name, properties }) => {
    const settable = Object.entries(properties).map(([setting, schema]) => [setting, withoutDefault(schema)]);
    return [name, changeOf(Object.fromEntries(settable))];
  });
  return changes.length === 0 ? null : changeOf(Object.fromEntries(changes), { $id: 'ChangeStorePackageSettings' });
}

/** What is stored after a change: settings that it leaves out stay, those of a package that has left too. */
export function mergedSettings(stored: StoredSettings, change: StoredSettings): StoredSettings {
  const groups = Object.entries(change).map(([name, values]) => [name, { ...stored[name], ...values }]);
  return { ...stored, ...Object.fromEntries(groups) };
}
