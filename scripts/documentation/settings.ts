/**
 * The settings of a box and of its packages as a table.
 */
import type { TProperties } from '@carton/runtime';
import { settings } from '../../runtime/config.ts';
import type { LoadedPackage } from '../../runtime/package/load.ts';

export function settingsTable(packages: readonly LoadedPackage[]): string {
  const all: TProperties = Object.assign({}, settings, ...packages.map((loaded) => loaded.settings?.properties));
  const rows = Object.entries(all).map(([name, schema]) => {
    const defaultValue = schema.default === undefined ? '' : `\`${schema.default}\``;
    return `| \`${name}\` | ${defaultValue} | ${schema.description} |`;
  });
  return ['| setting | default | |', '| --- | --- | --- |', ...rows].join('\n');
}
