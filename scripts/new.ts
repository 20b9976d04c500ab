/**
 * `npm run new -- package <name>`: writes a package that passes every check, for whoever builds the next one.
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

Writes vendor/<name>: a resource that staff list, create, read, change and
delete, with its table, its event and its test. Then links it, and brings the
documentation up to date.

  <name>            in the singular, in lower case: gift-message
  --plural <nouns>  where an s at the end is not enough: "gift boxes"
  --tier <tier>     the least that has it: ${tiers.join(', ')} (basic)
  --help            this text

Exit codes: 0 written, 1 could not be written, 2 wrong usage.
`;

class WrongUsage extends Error {}

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
    throw new WrongUsage((error as Error).message);
  }
}

function run(...command: [string, ...string[]]): void {
  const [program, ...parameters] = command;
  const { status } = spawnSync(program, parameters, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`${command.join(' ')} ended with ${status}`);
}

async function main(): Promise<void> {
  const { values, positionals } = read(process.argv.slice(2));
  if (values.help) {
    process.stdout.write(help);
    return;
  }
  const [what, name, ...rest] = positionals;
  if (what !== 'package' || !name || rest.length > 0) throw new WrongUsage('say what to write, and its name');
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name)) {
    throw new WrongUsage(`${name} is no name for a package: lower case words with hyphens between them`);
  }
  const tier = tiers.find((each) => each === values.tier);
  if (!tier) throw new WrongUsage(`there is no tier ${values.tier}: it is one of ${tiers.join(', ')}`);
  if (existsSync(join(root, 'vendor', name))) throw new Error(`vendor/${name} is there already`);

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
    `\nNext: say in vendor/${name} what it is about, then npm run check and npm test -- vendor/${name}/test/*\n`,
  );
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n${error instanceof WrongUsage ? `\n${help}` : ''}`);
  process.exitCode = error instanceof WrongUsage ? 2 : 1;
}
