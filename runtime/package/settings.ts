/**
 * Settings of packages: a package declares which variables of the environment it reads, and the box reads them once, at
 * its start. The values belong to the box, and its database handle carries them like the contributions to extension
 * points.
 */
import { type Contribution, extensionPoint, type HasExtensions } from '../extension/extension.ts';
import { object, type Static, type TObject, type TProperties } from '../http/schemas.ts';
import { readSettings } from '../settings.ts';

/** The settings of a package, `Values` being what its code gets. */
export interface PackageSettings<Values = unknown> {
  /** Each with its schema, default and description, for the README. */
  readonly properties: TProperties;
  /** Reads and checks them. @throws Error naming the setting that is wrong and what it must be */
  read(environment: NodeJS.ProcessEnv): Contribution;
  /** As they were read at the start of this box. @throws Error when its package is not mounted */
  of(box: HasExtensions): Values;
}

/**
 * Declares settings of a package, for `definePackage({ settings })`.
 * @param properties by the name of the variable, in capitals
 * @param make what the package's code gets instead of the values as they stand; throws an Error that names the setting
 *   for what a schema cannot say
 * @example export const mailSettings = packageSettings({ MAIL_FROM: Type.String({ description: 'Sender' }) });
 *          const { MAIL_FROM } = mailSettings.of(db);
 */
export function packageSettings<Properties extends TProperties, Values = Static<TObject<Properties>>>(
  properties: Properties,
  make: (values: Static<TObject<Properties>>) => Values = (values) => values as unknown as Values,
): PackageSettings<Values> {
  const schema = object<TProperties>(properties);
  const point = extensionPoint<Values>('settings');
  return {
    properties,
    read(environment) {
      const values = readSettings(schema, environment);
      try {
        return point.with(make(values as Static<TObject<Properties>>));
      } catch (error) {
        throw new Error(`invalid setting: ${(error as Error).message}`);
      }
    },
    of(box) {
      const [values] = point.of(box);
      if (values === undefined) throw new Error(`no package has read ${Object.keys(properties).join(', ')}`);
      return values;
    },
  };
}

/**
 * Reads the settings of all packages.
 * @param taken names of the box's own settings
 * @throws Error naming the setting that is wrong, or that two declare
 */
export function readPackageSettings(
  packages: readonly { fullName: string; settings?: PackageSettings }[],
  environment: NodeJS.ProcessEnv,
  taken: readonly string[],
): Contribution[] {
  const owners = new Map(taken.map((name) => [name, 'the box']));
  return packages.flatMap(({ fullName, settings }) => {
    if (!settings) return [];
    for (const name of Object.keys(settings.properties)) {
      const owner = owners.get(name);
      if (owner) throw new Error(`the setting ${name} is declared by ${owner} and by ${fullName}`);
      owners.set(name, fullName);
    }
    return [settings.read(environment)];
  });
}
