/**
 * Store settings of other packages. Each package declares a group with schemas and defaults; core stores, validates,
 * documents and serves them.
 */
import {
  extensionPoint,
  type HasExtensions,
  nullable,
  oneOf,
  type StaffCaller,
  type Static,
  type TObject,
  type TProperties,
  type TSchema,
  Type,
  withOptions,
} from '@carton/runtime';

/** The settings that were set, by group. A setting that was never set is absent. */
export type StoredSettings = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** A group of settings of one package. */
export interface StoreSettingsGroup<Values = unknown> {
  /** Its property of `settings`; by convention the name of the package. */
  readonly name: string;
  readonly properties: TProperties;
  /** The schemas in a box: where packages contribute what can be chosen, one of their names. */
  propertiesIn(box: HasExtensions): TProperties;
  /**
   * The values in effect in a store that `findStore` has read: those set, else the defaults.
   * @param box without it, changed defaults are left out
   */
  of(store: StoreWithSettings, box?: HasExtensions): Values;
}

export interface StoreWithSettings {
  readonly settings: StoredSettings;
  /** The version of the defaults that the store was created with. */
  readonly defaultVersion?: number;
}

/** The version of the defaults of new stores. A box of the former release gives its stores the one that it knows. */
export const newestDefaults = 3;

export const storeSettingsGroups = extensionPoint<StoreSettingsGroup>('core.store-settings');

/**
 * Declares settings of the store, for the package to contribute. Each must have a default, for stores that are older
 * than the setting. `/admin/store` reads and changes them as `settings.<name>`.
 * @param changed defaults that depend on the box, or have changed: new stores have them, by `defaultVersion`
 * @param choices of settings that hold a name, or null: the names that packages of the box contribute
 * @throws Error if a setting has no default
 * @example export const taxSettings = storeSettings('tax', {
 *            roundPer: oneOf(['line', 'total'], { default: 'line', description: 'Where taxes are rounded' }) });
 *          definePackage({ extends: [storeSettingsGroups.with(taxSettings)] });
 *          const { roundPer } = taxSettings.of(await findStore(db));
 */
export function storeSettings<Properties extends TProperties>(
  name: string,
  properties: Properties,
  changed?: (defaultVersion: number, box: HasExtensions) => Partial<Static<TObject<Properties>>>,
  choices?: (box: HasExtensions) => { readonly [Setting in keyof Properties]?: readonly string[] },
): StoreSettingsGroup<Static<TObject<Properties>>> {
  const defaults = Object.fromEntries(
    Object.entries(properties).map(([setting, schema]) => {
      if (schema.default === undefined) throw new Error(`the setting ${name}.${setting} of the store has no default`);
      return [setting, schema.default];
    }),
  );
  type Settings = Static<TObject<Properties>>;
  const complete = ({ settings, defaultVersion = 1 }: StoreWithSettings, box?: HasExtensions) =>
    ({ ...defaults, ...(box && changed?.(defaultVersion, box)), ...settings[name] }) as Settings;
  /** By the settings of stores that are shared among requests. */
  const known = new WeakMap<StoreWithSettings, Settings>();
  return {
    name,
    properties,
    propertiesIn: (box) => ({ ...properties, ...(choices && chosenFrom(properties, choices(box))) }),
    of(store, box) {
      // What has changed belongs to a box.
      if (box && changed) return complete(store, box);
      const found = known.get(store);
      if (found) return found;
      const settings = complete(store);
      if (Object.isFrozen(store)) known.set(store, Object.freeze(settings) as Settings);
      return settings;
    },
  };
}

function chosenFrom(properties: TProperties, choices: Readonly<Record<string, readonly string[] | undefined>>) {
  const schemas = Object.entries(choices).map(([setting, names = []]) => {
    const { default: value, description } = properties[setting] as TSchema;
    return [setting, nullable(oneOf(names, { default: value, description }))];
  });
  return Object.fromEntries(schemas) as TProperties;
}

/**
 * A setting with the address of a page that mails link to, with `{token}` in place of a token. Only callers with the
 * permission for what the token opens change it: another address would get the tokens.
 */
export function linkPage(opens: string, { example, description }: { example: string; description: string }) {
  const address = Type.String({
    pattern: '^https?://[^\\s{}]+\\{token\\}[^\\s{}]*$',
    maxLength: 2000,
    examples: [example],
  });
  return reservedSetting(opens, withOptions(nullable(address), { default: null, description }));
}

/**
 * A setting that only callers with a further permission change, as it decides who gets what the permission protects: a
 * recipient of mails reads them.
 */
export function reservedSetting<Schema extends TSchema>(permission: string, schema: Schema): Schema {
  return withOptions(schema, { [permissionKeyword]: permission });
}

/** Keyword of the schema of a setting that needs a permission besides that for the store. */
export const permissionKeyword = 'x-permission';

/** A property of the store itself that needs a permission, since a package sends what it protects there. */
export interface ReservedStoreField {
  readonly field: string;
  readonly permission: string;
}

export const reservedStoreFields = extensionPoint<ReservedStoreField>('core.reserved-store-fields');

/** Whether a caller has a permission. Contributed by the package with staff accounts. */
export type StaffPermits = (staff: StaffCaller, permission: string) => boolean;

export const staffPermits = extensionPoint<StaffPermits>('core.staff-permits');
