/**
 * Creates a package from the Liquid templates beside this file: a resource with a table, routes, an event and a test, and the
 * parts that options ask for. A test generates packages and runs all checks on them, since templates are not checked
 * themselves.
 */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { Liquid } from 'liquidjs';
import { packageName, vendor } from '../../runtime/vendor.ts';
import { columnOf, type Names } from './names.ts';

const template = join(import.meta.dirname, 'template');

/** A line that has only a tag leaves none; a name that does not exist is an error. */
const liquid = new Liquid({ trimTagRight: true, greedy: false, strictVariables: true, strictFilters: true });

/** The parts that a package has beside the smallest one. */
export interface Parts {
  /** Shoppers list and read what is published. */
  shopper: boolean;
  /** A field of text by which the list is filtered. */
  filter: string | null;
  /** A field of whole numbers by which the list is sorted. */
  sort: string | null;
  /** Lists are searched by the words of titles. */
  search: boolean;
  /** Other packages can refuse a deletion. */
  extensionPoint: boolean;
}

/** Returns the path of a template file in the package's folder. */
function placeOf(file: string, names: Names, timestamp: string): string {
  const place = file.replace(/\.liquid$/, '');
  if (place === 'migrations/create.js') return `migrations/${timestamp}_${names.snake}_create_${names.table}.js`;
  return place === 'test/rules.ts' ? `test/${names.path}.test.ts` : place;
}

export interface NewPackage {
  names: Names;
  parts: Parts;
  tier: 'basic' | 'growth' | 'enterprise';
  /** Its first version. */
  version: string;
  /** Fourteen digits of its first migration, later than all others. */
  timestamp: string;
}

/**
 * Writes the package into a checkout; returns the paths of its files.
 * @throws Error (EEXIST) if a package of this name exists
 */
export async function writeNewPackage(
  root: string,
  { names, parts, tier, version, timestamp }: NewPackage,
): Promise<string[]> {
  const folder = join(root, 'vendor', names.package);
  await mkdir(folder);
  const needed = await Promise.all(
    ['vendor/core', 'runtime'].map(async (place) =>
      JSON.parse(await readFile(new URL(`../../${place}/package.json`, import.meta.url), 'utf8')),
    ),
  );
  const files = new Map([['package.json', manifestOf(names, tier, version, needed)]]);
  const scope = {
    ...names,
    ...parts,
    filterColumn: parts.filter && columnOf(parts.filter),
    /** In quotes: what the words have of the resource, since lists are limited to it. */
    copies: [parts.filter, parts.shopper && 'published']
      .filter((property) => property)
      .map((property) => `'${property}'`)
      .join(', '),
    sortColumn: parts.sort && columnOf(parts.sort),
    scope: vendor.scope,
    packageName: packageName(names.package),
    tier,
  };
  for (const entry of await readdir(template, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const place = placeOf(relative(template, path), names, timestamp);
    const content: string = await liquid.parseAndRender(await readFile(path, 'utf8'), scope);
    // A file that none of the options asks for.
    if (content.trim() !== '') files.set(place, content);
  }
  for (const [place, content] of files) {
    await mkdir(dirname(join(folder, place)), { recursive: true });
    await writeFile(join(folder, place), content);
  }
  return [...files.keys()].sort().map((place) => relative(root, join(folder, place)));
}

function manifestOf(
  names: Names,
  tier: string,
  version: string,
  needed: readonly { name: string; version: string }[],
): string {
  const manifest = {
    name: packageName(names.package),
    version,
    description: `${names.Nouns} managed by staff`,
    license: 'SEE LICENSE IN LICENSE',
    type: 'module',
    exports: {
      '.': { 'workspace-source': './index.ts', default: './dist/index.js' },
      './package.json': './package.json',
    },
    dependencies: Object.fromEntries(needed.map((each) => [each.name, `^${each.version}`])),
    [vendor.name]: { tier },
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** Returns fourteen digits of the current time (UTC), or the latest migration's plus one, whichever is later. */
export async function nextTimestamp(root: string, now = new Date()): Promise<string> {
  const digits = now.toISOString().replaceAll(/\D/g, '').slice(0, 14);
  const used = [];
  const packages = (await readdir(join(root, 'vendor'))).map((name) => join(root, 'vendor', name));
  for (const folder of [join(root, 'runtime'), ...packages]) {
    const migrations = await readdir(join(folder, 'migrations')).catch(() => []);
    used.push(...migrations.map((file) => file.slice(0, 14)).filter((stamp) => /^\d{14}$/.test(stamp)));
  }
  const latest = String(Number(used.sort().at(-1) ?? 0) + 1);
  return latest > digits ? latest : digits;
}
