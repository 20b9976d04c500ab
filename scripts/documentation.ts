/**
 * The parts of the README that say what the code says: written by `npm run documentation`, compared with `--check`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TProperties } from '@carton/runtime';
import { packagesOfTier, sourceRoot } from '@carton/runtime/testing';
import { settings } from '../runtime/config.ts';
import { loadPackages } from '../runtime/package/load.ts';

const file = join(sourceRoot, '../README.md');
const begin = '<!-- settings:begin -->';
const end = '<!-- settings:end -->';

const packages = await loadPackages(packagesOfTier('enterprise'), sourceRoot);
const all: TProperties = Object.assign({}, settings, ...packages.map((loaded) => loaded.settings?.properties));

function settingsTable(): string {
  const rows = Object.entries(all).map(([name, schema]) => {
    const usual = schema.default === undefined ? '' : `\`${schema.default}\``;
    return `| \`${name}\` | ${usual} | ${schema.description} |`;
  });
  return ['| setting | default | |', '| --- | --- | --- |', ...rows].join('\n');
}

const text = readFileSync(file, 'utf8');
const [before, after] = [text.slice(0, text.indexOf(begin) + begin.length), text.slice(text.indexOf(end))];
const written = `${before}\n${settingsTable()}\n${after}`;
if (!process.argv.includes('--check')) {
  writeFileSync(file, written);
} else if (written !== text) {
  console.error('README.md: the settings differ from those of the box and its packages: run `npm run documentation`');
  process.exit(1);
}
