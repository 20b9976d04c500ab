/**
 * `npm run new -- package <name>`: creates a package that passes all checks.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { tiers } from '../../runtime/box/tier.ts';
import { sourceRoot } from '../../runtime/testing/packages.ts';
import { vendor } from '../../runtime/vendor.ts';
import { runCommand, UsageError } from '../../tools/command-line.ts';
import { readTables } from '../checks/shape/rules.ts';
import { faultOfField, faultOfTable, type Names, namesOf, singularOf } from '../new-package/names.ts';
import { nextTimestamp, type Parts, writeNewPackage } from '../new-package/package.ts';

const root = join(sourceRoot, '..');

const help = `Usage: npm run new -- package <name> [options]

Creates vendor/<name>: a resource that staff list, create, read, change and
delete, with a table, an event and a test. Then links it, and brings the
documentation up to date.

  <name>            singular, in lower case: gift-message
  --plural <nouns>  if the plural is irregular: "gift boxes"
  --tier <tier>     the lowest tier that includes it: ${tiers.join(', ')} (basic)
  --shopper         shoppers list and read what staff have published
  --filter <field>  a text by which the list of staff is filtered: occasion
  --sort <field>    a number by which the list of staff is sorted: position
  --search          staff, and shoppers, find them by the words of their titles
  --extension-point other packages can refuse a deletion while they need it
  --help            this text

Exit codes: 0 created, 1 could not be created, 2 wrong usage.
`;

const flag = { type: 'boolean', default: false } as const;
const options = {
  plural: { type: 'string' },
  tier: { type: 'string', default: 'basic' },
  shopper: flag,
  filter: { type: 'string' },
  sort: { type: 'string' },
  search: flag,
  'extension-point': flag,
} as const;

function run(...command: [string, ...string[]]): void {
  const [program, ...parameters] = command;
  const { status } = spawnSync(program, parameters, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`${command.join(' ')} exited with ${status}`);
}

/** @throws UsageError for a table or a field whose name cannot be used */
function refuseFaults({ table, words }: Names, search: boolean, fields: readonly (string | null)[]): void {
  const tables = readTables(root);
  const named = fields.filter((field) => field !== null);
  const faults = named.map((field) => faultOfField(field, new Map([...tables, [table, 'this package']])));
  const ofWords = search ? faultOfTable(words, tables) : null;
  const [fault] = [faultOfTable(table, tables), ofWords, ...faults].filter((each) => each !== null);
  if (fault !== undefined) throw new UsageError(fault);
  if (new Set(named).size < named.length) throw new UsageError('--filter and --sort take different fields');
}

/** What tests of all packages ask of the author, and how to run them. */
function nextSteps({ package: name, snake, table, path }: Names, { filter, shopper }: Parts): string {
  const items = ['First', 'Second'].map((title) => {
    const fields = [`title: '${title}'`, filter && `${filter}: '${title}'`, shopper && 'published: true'];
    return `      { ${fields.filter(Boolean).join(', ')} },`;
  });
  return `
Next: describe it in vendor/${name}/README.md. Then add what tests of all packages ask for:
  scripts/test/event-names.test.ts    ...each('${snake}', ''),  with the fields of its events, in the order of names
  tools/plans/full-tenant.ts          in fillTenant:
    for (const body of [
${items.join('\n')}
    ]) {
      await requireSuccess(tenant.staff.post('/admin/${path}', body));
    }
  scripts/test/personal-data.test.ts  ${table}: ['metadata'],  in the list of columns that are not personal; those that are
                                      belong into vendor/${name}/persons.ts
and run:
  npm run check
  npm test -- vendor/${name}/test scripts/test/{event-names,personal-data,integration-lists,plans,json-columns}.test.ts
  CONTRACT_PATHS=/${path},/admin/${path} npm test -- scripts/test/contract-suite-enterprise.test.ts
CONTRIBUTING.md has the rest.
`;
}

await runCommand({ name: 'npm run new', help, options, most: 2 }, async ({ values, positionals }) => {
  const [what, name] = positionals;
  if (what !== 'package' || !name) throw new UsageError('pass what to create, and its name');
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name)) {
    throw new UsageError(`${name} is not a valid package name: use lower-case words joined by hyphens`);
  }
  const tier = tiers.find((each) => each === values.tier);
  if (!tier) throw new UsageError(`unknown tier ${values.tier}: use one of ${tiers.join(', ')}`);
  const plural = values.plural;
  if (plural !== undefined && !/^[a-z][a-z0-9]*( [a-z0-9]+)*$/.test(plural)) {
    throw new UsageError(`${plural} is not a valid plural: use lower-case words`);
  }
  if (existsSync(join(root, 'vendor', name))) throw new Error(`vendor/${name} already exists`);
  const singular = plural === undefined ? singularOf(name) : null;
  if (singular !== null) {
    throw new UsageError(
      `${name} looks like a plural: pass the singular, ${singular}, or state the plural of ${name} with --plural`,
    );
  }
  const names = namesOf(name, plural);
  const parts = {
    shopper: values.shopper,
    filter: values.filter ?? null,
    sort: values.sort ?? null,
    search: values.search,
    extensionPoint: values['extension-point'],
  };
  refuseFaults(names, parts.search, [parts.filter, parts.sort]);

  const timestamp = await nextTimestamp(root);
  const files = await writeNewPackage(root, { names, parts, tier, version: vendor.version, timestamp });
  for (const file of files) process.stdout.write(`wrote ${file}\n`);
  process.stdout.write('linking it\n');
  run('npm', 'install', '--ignore-scripts', '--prefer-offline');
  run('npx', 'biome', 'check', '--write', join('vendor', name));
  process.stdout.write('bringing the documentation up to date\n');
  run('npm', 'run', 'documentation');
  process.stdout.write(nextSteps(names, parts));
  return 0;
});
