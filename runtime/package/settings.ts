/**
 * Settings of packages. A package declares the environment variables that it uses, and the box reads them once, at its
 * start. The values belong to the box: its database handle carries them, like contributions to extension points.
 */
import { type Contribution, extensionPoint, gatherExtensions, type HasExtensions } from '../extension/extension.ts';
import { object, type Static, type TObject, type TProperties } from '../http/schemas.ts';
import { readSettings } from '../settings.ts';

/** The settings of a package; `Values` is the type that its code gets. */
export interface PackageSettings<Values = unknown> {
  /** The schemas with defaults and descriptions, for the README. */
  readonly properties: TProperties;
  /** Reads and validates the settings. @throws Error naming an invalid setting and what it must be */
  read(environment: NodeJS.ProcessEnv): Contribution;
  /** Checks what depends on other packages of the box. @throws Error naming an invalid setting */
  check(box: HasExtensions): void;
  /** The settings of a box, read at its start. @throws Error when the package is not mounted */
  of(box: HasExtensions): Values;
}

/**
 * Declares the settings of a package, for `definePackage({ settings })`.
 * @param properties by the name of the environment variable, in capitals
 * @param transform converts the values for the package's code, and throws an Error naming a setting that is invalid for
 * reasons a schema cannot express
 * @param check throws an Error naming a setting that is invalid in a box, such as for what its other packages contribute
 * @example export const mailSettings = packageSettings({ MAIL_FROM: Type.String({ description: 'Sender' }) });
 *          const { MAIL_FROM } = mailSettings.of(db);
 */
export function packageSettings<Properties extends TProperties, Values = Static<TObject<Properties>>>(
  properties: Properties,
  transform: (values: Static<TObject<Properties>>) => Values = (values) => values as unknown as Values,
  check: (values: Values, box: HasExtensions) => void = () => {},
): PackageSettings<Values> {
  const schema = object<TProperties>(properties);
  const point = extensionPoint<Values>('settings');
  const of = (box: HasExtensions) => {
    const [values] = point.of(box);
    if (values === undefined) throw new Error(`no mounted package declares ${Object.keys(properties).join(', ')}`);
    return values;
  };
  return {
    properties,
    read(environment) {
      const values = readSettings(schema, environment);
      return naming(() => point.with(transform(values as Static<TObject<Properties>>)));
    },
    check: (box) => naming(() => check(of(box), box)),
    of,
  };
}

function naming<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new Error(`invalid setting: ${(error as Error).message}`);
  }
}

/** A package as far as its settings are read and checked. */
interface WithSettings {
  fullName: string;
  settings?: PackageSettings;
  extends?: readonly Contribution[];
}

/**
 * Reads the settings of all packages.
 * @param reserved names of the box's own settings
 * @throws Error naming an invalid setting, or one that is declared twice
 */
export function readPackageSettings(
  packages: readonly WithSettings[],
  environment: NodeJS.ProcessEnv,
  reserved: readonly string[],
): Contribution[] {
  const owners = new Map(reserved.map((name) => [name, 'the box']));
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

/**
 * Checks the settings of all packages against each other.
 * @param contributed what the box has besides the contributions of its packages, their settings among it
 * @param checked those whose settings are checked
 * @throws Error naming an invalid setting
 */
export function checkPackageSettings(
  packages: readonly WithSettings[],
  contributed: readonly Contribution[],
  checked = packages,
): void {
  const contributions = packages.flatMap((loaded) => loaded.extends ?? []);
  const box = { extensions: gatherExtensions([...contributions, ...contributed]) };
  for (const { settings } of checked) settings?.check(box);
}
