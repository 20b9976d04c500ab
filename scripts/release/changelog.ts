/**
 * `npm run changelog`: prints what the next release would write into CHANGELOG.md of the files in changes/. With
 * `--check` it prints faults of these files alone.
 *
 * Another folder than the project's own may be passed as an argument.
 */
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readChanges } from './change-files.ts';
import { sectionOf } from './changelog-text.ts';

const { values, positionals } = parseArgs({
  options: { check: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const root = resolve(positionals[0] ?? join(import.meta.dirname, '../..'));
const { changes, faults } = readChanges(root);
if (faults.length > 0) {
  process.stderr.write(`${faults.join('\n')}\nchanges/README.md says how to write a change\n`);
  process.exitCode = 1;
} else if (values.check) {
  process.stdout.write(`${changes.length} changes are described in changes/\n`);
} else {
  process.stdout.write(sectionOf('Next release', [], changes));
}
