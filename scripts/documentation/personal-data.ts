/**
 * What a box keeps of persons, as its packages declare it, for docs/personal-data.md.
 */
import { gatherExtensions } from '../../runtime/extension/extension.ts';
import type { LoadedPackage } from '../../runtime/package/load.ts';
import { personalDataOf } from '../../runtime/persons/rights.ts';

/** A table with a row for each table of the database that holds personal data. */
export function personalDataTable(packages: readonly LoadedPackage[]): string {
  const box = { extensions: gatherExtensions(packages.flatMap((loaded) => loaded.extends ?? [])) };
  // By name: the order in which packages start changes with their dependencies.
  const sections = personalDataOf(box).toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const rows = sections.flatMap(({ name, keeps }) =>
    keeps.map(
      ({ table, columns, reason, kept }) =>
        `| ${name} | \`${table}\`: ${columns.map((column) => `\`${column}\``).join(', ')} | ${reason} | ${kept} |`,
    ),
  );
  return ['| section | columns | what for | how long |', '| --- | --- | --- | --- |', ...rows].join('\n');
}
