/**
 * Settings of the packages of a box: what a store has, what a change of it leads to, and who may change what.
 */
import { isDeepStrictEqual } from 'node:util';
import { forbidden, type HasExtensions, type StaffCaller, type TSchema } from '@carton/runtime';
import {
  permissionKeyword,
  reservedStoreFields,
  type StoredSettings,
  type StoreSettingsGroup,
  type StoreWithSettings,
  staffPermits,
  storeSettingsGroups,
} from './declaration.ts';

/**
 * Refuses changes of settings and properties of the store that need permissions which the caller lacks. A client may send
 * the values that are set.
 * @param before the locked store
 * @throws forbidden (403)
 */
export function refuseReserved(
  box: HasExtensions,
  staff: StaffCaller,
  before: StoreWithSettings,
  { settings = {}, ...own }: { readonly settings?: StoredSettings } & Readonly<Record<string, unknown>>,
): void {
  const refuse = (name: string, permission: string | undefined, value: unknown, present: unknown) => {
    if (permission === undefined || value === undefined || isDeepStrictEqual(value, present)) return;
    if (!staffPermits.of(box).some((permits) => permits(staff, permission)))
      throw forbidden(`The setting ${name} needs the permission ${permission}.`);
  };
  const stored = before as unknown as Readonly<Record<string, unknown>>;
  for (const { field, permission } of reservedStoreFields.of(box)) refuse(field, permission, own[field], stored[field]);
  for (const { name, properties, of } of groupsOf(box)) {
    const present = of(before, box) as Readonly<Record<string, unknown>>;
    for (const [setting, value] of Object.entries(settings[name] ?? {}))
      refuse(`${name}.${setting}`, properties[setting]?.[permissionKeyword], value, present[setting]);
  }
}

/** The groups of a box. @throws Error if two have the same name */
export function groupsOf(box: HasExtensions): readonly StoreSettingsGroup[] {
  const groups = storeSettingsGroups.of(box);
  const names = groups.map(({ name }) => name);
  const duplicate = names.find((name, position) => names.indexOf(name) !== position);
  if (duplicate !== undefined) throw new Error(`two packages declare the settings ${duplicate} of the store`);
  return groups;
}

/**
 * The values in effect in a store, by group, for the response. A name that no package of the box contributes any longer is
 * shown as null; it stays stored, for a box that has the package again.
 */
export function presentSettings(box: HasExtensions, store: StoreWithSettings): Record<string, unknown> {
  return Object.fromEntries(groupsOf(box).map((group) => [group.name, presentGroup(box, group, store)]));
}

function presentGroup(
  box: HasExtensions,
  { of, properties, propertiesIn }: StoreSettingsGroup,
  store: StoreWithSettings,
) {
  const schemas = propertiesIn(box);
  const values = Object.entries(of(store, box) as Readonly<Record<string, unknown>>).map(([setting, value]) => {
    const { enum: names } = schemas[setting] as TSchema & { enum?: unknown[] };
    const isChosen = schemas[setting] !== properties[setting];
    return [setting, isChosen && !names?.includes(value) ? null : value];
  });
  return Object.fromEntries(values);
}

/** The stored settings with a change applied. Settings of packages that are no longer mounted are kept. */
export function mergedSettings(stored: StoredSettings, change: StoredSettings): StoredSettings {
  const groups = Object.entries(change).map(([name, values]) => [name, { ...stored[name], ...values }]);
  return { ...stored, ...Object.fromEntries(groups) };
}
