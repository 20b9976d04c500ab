/**
 * Checks the shape of packages (CONTRIBUTING.md, The shape of a package), and the locks of the control plane: exits 1 and
 * lists what is elsewhere.
 *
 * Names of packages may be passed as arguments; only these are checked then.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { openLocksIn } from './shape/locks.ts';
import { faultsOf, readTables } from './shape/rules.ts';

const root = join(import.meta.dirname, '../..');
const all = readdirSync(join(root, 'vendor')).sort();
const chosen = process.argv.slice(2);
const unknown = chosen.filter((name) => !all.includes(name));
if (unknown.length > 0) throw new Error(`no package: ${unknown.join(', ')}`);
const tables = readTables(root);
const names = chosen.length > 0 ? chosen : all;
const faults = (await Promise.all(names.map((name) => faultsOf(root, name, tables)))).flat();
for (const { rule, place, line, advice } of faults)
  console.log(`${place}${line ? `:${line}` : ''}: ${rule}: ${advice}`);
const locks = chosen.length > 0 ? [] : await openLocksIn(root, 'control-plane');
for (const place of locks) console.log(`${place}: lock: a function that locks takes a Knex.Transaction`);
process.exitCode = faults.length + locks.length > 0 ? 1 : 0;
