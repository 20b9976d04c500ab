/**
 * `npm run new -- package <name>`: creates a package that passes all checks.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { tiers } from '../runtime/box/tier.ts';
import { sourceRoot } from '../runtime/testing/packages.ts';
import { vendor } from '../runtime/vendor.ts';
import { namesOf, nextTimestamp, writeNewPackage } from './new/package.ts';

const root = join(sourceRoot, '..');

const help = `npm run new -- package <name> [options]

Creates vendor/<name>: a resource that staff list, create, read, change and
delete, with a table, an event and a test. Then links it, and brings the
documentation up to date.

  <name>            singular, in lower case: gift-message
  --plural <nouns>  if the plural is irregular: "gift boxes"
  --tier <tier>     the lowest tier that includes it: ${tiers.join(', ')} (basic)
  --help            this text

Exit codes: 0 created, 1 could not be created, 2 wrong usage.
`;

class UsageError extends Error {}

function read(words: string[]) {
  try {
    return parseArgs({
      args: words,
      allowPositionals: true,
      options: {
        plural: { type: 'string' },
        tier: { type: 'string', default: 'basic' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function run(...command: [string, ...string[]]): void {
  const [program, ...parameters] = command;
  const { status } = spawnSync(program, parameters, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`${command.join(' ')} exited with ${status}`);
}

async function main(): Promise<void> {
  const { values, positionals } = read(process.argv.slice(2));
  if (values.help) {
    process.stdout.write(help);
    return;
  }
  const [what, name, ...rest] = positionals;
  if (what !== 'package' || !name || rest.length > 0) throw new UsageError('pass what to create, and its name');
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name)) {
    throw new UsageError(`${name} is not a valid package name: use lower-case words joined by hyphens`);
  }
  const tier = tiers.find((each) => each === values.tier);
  if (!tier) throw new UsageError(`unknown tier ${values.tier}: use one of ${tiers.join(', ')}`);
  if (existsSync(join(root, 'vendor', name))) throw new Error(`vendor/${name} already exists`);

  const names = namesOf(name, values.plural);
  const timestamp = await nextTimestamp(root);
  const files = await writeNewPackage(root, { names, tier, version: vendor.version, timestamp });
  for (const file of files) process.stdout.write(`wrote ${file}\n`);
  process.stdout.write('linking it\n');
  run('npm', 'install', '--ignore-scripts', '--prefer-offline');
  run('npx', 'biome', 'check', '--write', join('vendor', name));
  process.stdout.write('bringing the documentation up to date\n');
  run('npm', 'run', 'documentation');
  process.stdout.write(
    `\nNext: describe it in vendor/${name}/README.md, then npm run check and npm test -- vendor/${name}/test/*\nTwo tests of all packages ask for what only you know: see CONTRIBUTING.md.\n`,
  );
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n${error instanceof UsageError ? `\n${help}` : ''}`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
