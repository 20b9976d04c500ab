/**
 * Checks the shape of packages (CONTRIBUTING.md, The shape of a package), and the locks of the control plane: exits 1 and
 * lists what is elsewhere.
 *
 * Names of packages may be passed as arguments; only these are checked then.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand, UsageError } from '../../tools/command-line.ts';
import { openLocksIn } from './shape/locks.ts';
import { faultsOf, readTables } from './shape/rules.ts';

const help = `Usage: npm run shape -- [package...]

Checks the files of packages, their folders and statements (CONTRIBUTING.md),
and the locks of the control plane, and lists what is elsewhere.

  package  checks only these packages of vendor/, without the locks
  --help   this text

Exit codes: 0 no fault, 1 faults, 2 wrong usage.
`;

await runCommand({ name: 'npm run shape', help, most: Infinity }, async ({ positionals: chosen }) => {
  const root = join(import.meta.dirname, '../..');
  const all = readdirSync(join(root, 'vendor')).sort();
  const unknown = chosen.filter((name) => !all.includes(name));
  if (unknown.length > 0) throw new UsageError(`no package: ${unknown.join(', ')}`);
  const tables = readTables(root);
  const names = chosen.length > 0 ? chosen : all;
  const faults = (await Promise.all(names.map((name) => faultsOf(root, name, tables)))).flat();
  for (const { rule, place, line, advice } of faults)
    console.log(`${place}${line ? `:${line}` : ''}: ${rule}: ${advice}`);
  const locks = chosen.length > 0 ? [] : await openLocksIn(root, 'control-plane');
  for (const place of locks) console.log(`${place}: lock: a function that locks takes a Knex.Transaction`);
  return faults.length + locks.length > 0 ? 1 : 0;
});
