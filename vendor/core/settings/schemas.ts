/**
 * Schemas of the settings of the packages of a box.
 */
import { changeOf, type HasExtensions, object, type TProperties, type TSchema } from '@carton/runtime';
import { reservedSetting, reservedStoreFields } from './declaration.ts';
import { groupsOf } from './service.ts';

/** The schema of the settings in responses. */
export function settingsSchema(box: HasExtensions): TSchema {
  return object(Object.fromEntries(groupsOf(box).map(({ name, propertiesIn }) => [name, object(propertiesIn(box))])), {
    $id: 'StorePackageSettings',
    description: 'Settings of the packages of this box',
  });
}

/**
 * The schema of a change of any settings; null if no package of the box has any. It has no defaults, which would set the
 * settings that a caller omits.
 */
export function changeSettingsSchema(box: HasExtensions): TSchema | null {
  const withoutDefault = ({ default: _, ...schema }: TSchema) => schema as TSchema;
  const changes = groupsOf(box).map(({ name, propertiesIn }) => {
    const settable = Object.entries(propertiesIn(box)).map(([setting, schema]) => [setting, withoutDefault(schema)]);
    return [name, changeOf(Object.fromEntries(settable))];
  });
  return changes.length === 0 ? null : changeOf(Object.fromEntries(changes), { $id: 'ChangeStorePackageSettings' });
}

/** The properties of a change of the store, with the permissions that packages of the box require for some. */
export function withPermissions(box: HasExtensions, properties: TProperties): TProperties {
  const reserved = reservedStoreFields.of(box).flatMap(({ field, permission }) => {
    const schema = properties[field];
    if (!schema) throw new Error(`the store has no property ${field} to reserve`);
    return [[field, reservedSetting(permission, schema)]];
  });
  return { ...properties, ...Object.fromEntries(reserved) };
}
