/**
 * `npm run changelog`: prints what the next release would write into CHANGELOG.md of the files in changes/. With
 * `--check` it prints faults of these files alone.
 */
import { join } from 'node:path';
import { folderOf, runCommand } from '../../tools/command-line.ts';
import { readChanges } from './change-files.ts';
import { faultsOfDetails, headOf, sectionOf } from './changelog-text.ts';

const help = `Usage: npm run changelog -- [folder] [--check]

Prints the section of CHANGELOG.md that the next release makes of the files in
changes/, which changes/README.md describes.

  folder   another folder than the project's own
  --check  print only what is wrong with these files, or their number
  --help   this text

Exit codes: 0 success, 1 a file is wrong, 2 wrong usage.
`;

const options = { check: { type: 'boolean', default: false } } as const;

await runCommand({ name: 'npm run changelog', help, options, most: 1 }, ({ values, positionals }) => {
  const root = folderOf(positionals, join(import.meta.dirname, '../..'));
  const { changes, faults: faultsOfFiles } = readChanges(root);
  const faults = [...faultsOfFiles, ...faultsOfDetails(root, changes)];
  if (faults.length > 0) {
    process.stderr.write(`${faults.join('\n')}\nchanges/README.md says how to write a change\n`);
    return 1;
  }
  process.stdout.write(
    values.check
      ? `${changes.length} changes are described in changes/\n`
      : sectionOf({ title: 'Next release', head: headOf(root), packages: [], changes }),
  );
  return 0;
});
