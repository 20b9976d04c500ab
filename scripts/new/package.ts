/**
 * Creates a package from the template beside this file: a resource with a table, routes, an event and a test. The template
 * is checked like all other code; only its nouns are replaced.
 */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { pluralOf } from '../../runtime/resource/plural.ts';
import { packageName, vendor } from '../../runtime/vendor.ts';

const template = join(import.meta.dirname, 'template');

/** The noun of a package in the forms that its code needs. */
export interface Names {
  /** Of the package: `gift-message`. */
  package: string;
  /** In sentences: `gift message`, `gift messages`. */
  noun: string;
  nouns: string;
}

/** @param nouns the plural, if it is irregular */
export function namesOf(name: string, nouns?: string): Names {
  const noun = name.replaceAll('-', ' ');
  return { package: name, noun, nouns: nouns ?? pluralOf(noun) };
}

const joined = (noun: string, by: string) => noun.replaceAll(' ', by);
const camel = (noun: string) => noun.replaceAll(/ (\w)/g, (_, letter: string) => letter.toUpperCase());
const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Marks "thing" inside inserted words such as `plaything`, so that it is not replaced again. */
const mark = '\0';
const marked = (text: string) => text.replaceAll('thing', `t${mark}hing`);

/** Returns a text of the template with the nouns of a package. */
export function replaceWords(text: string, plain: Names): string {
  const names = { package: marked(plain.package), noun: marked(plain.noun), nouns: marked(plain.nouns) };
  const isRegular = plain.nouns === pluralOf(plain.noun);
  const withPlural = isRegular ? text : text.replace("  noun: 'thing',", `$&\n  plural: '${names.nouns}',`);
  const lines = withPlural.split('\n').map((line) => {
    // Prose: comments, headings, summaries and test names.
    const isProse = /^\s*(\*|\/\/|\/\*)|^#|^[A-Z]|^\s*(tag|summary):|^t\.test/.test(line);
    return line
      .replaceAll(/@carton\/(\$\{)?/g, (found, open) => (open ? found : `${vendor.scope}/`))
      .replaceAll(`${vendor.scope}/thing`, packageName(names.package))
      .replaceAll("'thing'].map", `'${names.package}'].map`)
      .replaceAll("noun: 'thing'", `noun: '${names.noun}'`)
      .replaceAll('/things', `/${joined(names.nouns, '-')}`)
      .replaceAll(/(?<=table: '|`|table |on |drop table )things\b|\bthings(?=_)/g, joined(names.nouns, '_'))
      .replaceAll(/(?<=type: ')thing|(?<=`)thing(?=\.)/g, joined(names.noun, '_'))
      .replaceAll('Things', isProse ? capital(names.nouns) : capital(camel(names.nouns)))
      .replaceAll('Thing', capital(camel(names.noun)))
      .replaceAll('things', isProse ? names.nouns : camel(names.nouns))
      .replaceAll('thing', isProse ? names.noun : camel(names.noun));
  });
  return lines.join('\n').replaceAll(mark, '');
}

/** Returns the path of a template file in the package's folder. */
function placeOf(file: string, names: Names, timestamp: string): string {
  const snake = joined(names.package, '_').replaceAll('-', '_');
  if (file === 'migrations/create.js') {
    return `migrations/${timestamp}_${snake}_create_${joined(names.nouns, '_')}.js`;
  }
  return file === 'test/rules.ts' ? `test/${joined(names.nouns, '-')}.test.ts` : file;
}

export interface NewPackage {
  names: Names;
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
  { names, tier, version, timestamp }: NewPackage,
): Promise<string[]> {
  const folder = join(root, 'vendor', names.package);
  await mkdir(folder);
  const needed = await Promise.all(
    ['vendor/core', 'runtime'].map(async (place) =>
      JSON.parse(await readFile(new URL(`../../${place}/package.json`, import.meta.url), 'utf8')),
    ),
  );
  const files = new Map([['package.json', manifestOf(names, tier, version, needed)]]);
  for (const entry of await readdir(template, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const place = placeOf(relative(template, path), names, timestamp);
    files.set(place, replaceWords(await readFile(path, 'utf8'), names));
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
    description: `${capital(names.nouns)} managed by staff`,
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
