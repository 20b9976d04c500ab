/**
 * A program beside that of the box: prints the settings that the installed packages declare and what is wrong with those of
 * the environment, without a database and without listening. The installer runs it before it changes a setting.
 *
 * Standard output is one line of JSON, `SettingsReport`.
 */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { readConfig, settings } from './config.ts';
import type { Contribution } from './extension/extension.ts';
import type { TProperties } from './http/schemas.ts';
import { loadPackages } from './package/load.ts';
import { checkPackageSettings, readPackageSettings } from './package/settings.ts';

interface DeclaredSetting {
  name: string;
  /** As it is written in the environment; absent for none. */
  default?: string;
  description: string;
  /** Whether its value must not be shown. */
  secret: boolean;
}

interface SettingsReport {
  settings: DeclaredSetting[];
  /** What is wrong with the environment, a sentence each. */
  faults: string[];
}

async function report(environment: NodeJS.ProcessEnv): Promise<SettingsReport> {
  const faults: string[] = [];
  const check = (read: () => unknown): boolean => {
    try {
      read();
      return true;
    } catch (error) {
      faults.push((error as Error).message);
      return false;
    }
  };
  check(() => readConfig(environment));
  const lockFile = resolve(environment.BOX_PACKAGES ?? settings.BOX_PACKAGES.default);
  const names = Object.keys(JSON.parse(await readFile(lockFile, 'utf8')).packages);
  const packages = await loadPackages(names, lockFile);
  const reserved = Object.keys(settings);
  const read: Contribution[] = [];
  const unread = packages.filter(
    (loaded) => !check(() => read.push(...readPackageSettings([loaded], environment, reserved))),
  );
  // A package is not checked against what could not be read: the cause would be told as a fault of its own.
  const isRead = (name: string) => unread.every(({ fullName }) => fullName !== name);
  for (const loaded of packages.filter(({ fullName, dependencies }) => [fullName, ...dependencies].every(isRead))) {
    check(() => checkPackageSettings(packages, read, [loaded]));
  }
  const declared = [settings, ...packages.map((loaded) => loaded.settings?.properties ?? {})].flatMap(describe);
  return { settings: declared, faults };
}

function describe(properties: TProperties): DeclaredSetting[] {
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    ...(schema.default !== undefined && { default: String(schema.default) }),
    description: schema.description ?? '',
    secret: schema.writeOnly === true,
  }));
}

process.stdout.write(`${JSON.stringify(await report(process.env))}\n`);
