/**
 * The settings of a box and of its packages, and those of the control plane and of the registry, as tables.
 */
import type { TProperties } from '@carton/runtime';
import { settings as ofControlPlane, requiredSettings } from '../../control-plane/config.ts';
import { settings as ofRegistry, requiredSettings as requiredOfRegistry } from '../../control-plane/registry/config.ts';
import { settings } from '../../runtime/config.ts';
import type { LoadedPackage } from '../../runtime/package/load.ts';

export function settingsTable(packages: readonly LoadedPackage[]): string {
  const all: TProperties = Object.assign({}, settings, ...packages.map((loaded) => loaded.settings?.properties));
  return tableOf(all, []);
}

export function controlPlaneSettingsTable(): string {
  return tableOf(ofControlPlane, requiredSettings);
}

export function registrySettingsTable(): string {
  return tableOf(ofRegistry, requiredOfRegistry);
}

function tableOf(all: TProperties, required: readonly string[]): string {
  const rows = Object.entries(all).map(([name, schema]) => {
    const defaultValue = schema.default === undefined ? '' : `\`${schema.default}\``;
    return `| \`${name}\` | ${required.includes(name) ? 'required' : defaultValue} | ${schema.description} |`;
  });
  return ['| setting | default | |', '| --- | --- | --- |', ...rows].join('\n');
}
