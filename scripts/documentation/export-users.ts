/**
 * The rule that each name which a package exports has a user outside of it, other than a test: what nobody uses is a
 * promise to partners that nobody needs.
 *
 * A name has a user if a source of another workspace imports it from that entry point, or if the declaration of a name
 * that has one names it, or that of the default export, which the engine loads. Extension points and events are for
 * packages of partners: they need none.
 */
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { vendor } from '../../runtime/vendor.ts';
import { namesOf } from '../new-package/names.ts';
import { writeNewPackage } from '../new-package/package.ts';
import { parseSource, type SyntaxNode } from '../sources/parsed-source.ts';
import { type Exports, moduleOf, type Place } from './declared.ts';

/** Names of one entry point that are kept without a user, and what partners need them for. */
export interface Kept {
  module: string;
  names: readonly string[];
  reason: string;
}

/** A source that may use what packages export. */
export interface UsingSource {
  /** From the root. */
  file: string;
  /** The package whose source it is; null for one of no workspace. */
  own: string | null;
  text: string;
}

/** The sources of the project and, rendered with all options, those of a new package. @param files from the root */
export async function sourcesOfUsers(root: string, files: readonly string[]): Promise<UsingSource[]> {
  const owners = new Map<string, string>();
  for (const file of files)
    if (basename(file) === 'package.json')
      owners.set(dirname(file), JSON.parse(await readFile(join(root, file), 'utf8')).name);
  const read = (file: string, place: string, own: string | null) =>
    readFile(join(place, file), 'utf8').then((text) => ({ file, own, text }));
  const sources = files.filter((file) => file.endsWith('.ts'));
  const all = await Promise.all(sources.map((file) => read(file, root, ownerOf(file, owners))));
  const folder = await mkdtemp(join(tmpdir(), 'new-package-'));
  try {
    await mkdir(join(folder, 'vendor'));
    const parts = { shopper: true, filter: 'mood', sort: 'place', search: true, extensionPoint: true };
    const options = {
      names: namesOf('note'),
      parts,
      tier: 'basic',
      version: '1.0.0',
      timestamp: '20260101000000',
    } as const;
    const made = (await writeNewPackage(folder, options)).filter((file) => file.endsWith('.ts'));
    all.push(...(await Promise.all(made.map((file) => read(file, folder, null)))));
  } finally {
    await rm(folder, { recursive: true });
  }
  return all.filter(({ text }) => text.includes(vendor.scope));
}

/** Folders of tests, and of what tests share. */
const isTest = (file: string) => /(?:^|\/)(?:test|testing|shipped)\/|\.test\.ts$/.test(file);

const keyOf = ({ module, name }: Place) => `${name} of ${module}`;

/**
 * The names that have no user, a sentence each, and kept names that need not be kept.
 */
export async function unusedExports(
  exports: Exports,
  sources: readonly UsingSource[],
  kept: readonly Kept[] = [],
): Promise<string[]> {
  const imported = await importsFrom(sources);
  const all: Exported[] = exports.packages.flatMap(({ entries }) =>
    entries.flatMap(({ module, exported }) => [...exported].map(([name, place]) => ({ module, name, place }))),
  );
  const first: Exported[] = [];
  for (const each of all) if (imported.has(keyOf(each)) || (await isForPartners(each, exports))) first.push(each);
  const used = await usedBy(first, all, exports);

  const isKept = new Set(kept.flatMap(({ module, names }) => names.map((name) => keyOf({ module, name }))));
  const keeping = all.filter((each) => isKept.has(keyOf(each)) && !used.has(each));
  const needed = await usedBy([...first, ...keeping], all, exports);
  const unused = all.filter((each) => !needed.has(each));
  for (const each of keeping) isKept.delete(keyOf(each));
  return [
    ...unused.map(
      ({ module, name }) => `${module} exports ${name}, which nothing outside of the package uses but tests`,
    ),
    ...[...isKept].map((key) => `${key} is kept without need: it has a user, or does not exist`),
  ];
}

/** A name of an entry point, with the place that declares it. */
interface Exported extends Place {
  place: Place;
}

/** What sources that are no tests import from packages other than their own. */
async function importsFrom(sources: readonly UsingSource[]): Promise<ReadonlySet<string>> {
  const imported = new Set<string>();
  for (const { file, own, text } of sources) {
    if (isTest(file)) continue;
    for (const place of await importsOf(text))
      if (place.module !== own && !place.module.startsWith(`${own}/`)) imported.add(keyOf(place));
  }
  return imported;
}

/** Types of what is for packages of partners. */
const typesForPartners = new Set(['ExtensionPoint', 'EventDefinition']);

async function isForPartners({ place }: Exported, { declarationsOf }: Exports): Promise<boolean> {
  const declarations = await declarationsOf(place);
  return declarations.some(({ node }) => {
    const annotation = (node.id as SyntaxNode | undefined)?.typeAnnotation as SyntaxNode | null | undefined;
    const [type] = namesIn(annotation?.typeAnnotation);
    return type !== undefined && typesForPartners.has(type.name);
  });
}

/** These and all that their declarations name: of the same entry point, or of others that the declarations import. */
async function usedBy(
  first: readonly Exported[],
  all: readonly Exported[],
  { packages, lookUp, find, declarationsOf }: Exports,
): Promise<ReadonlySet<Exported>> {
  const byName = new Map(all.map((each) => [keyOf(each), each]));
  const reached = new Set<string>();
  const loaded = packages.flatMap(({ entries }) =>
    entries.flatMap(({ module, byDefault }) => (byDefault ? { module, place: byDefault } : [])),
  );
  const open = [...loaded, ...first.map(({ module, place }) => ({ module, place }))];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { module, place } = next;
    if (reached.has(keyAt(module, place))) continue;
    reached.add(keyAt(module, place));
    const other = byName.get(keyOf(place));
    if (other) open.push(other);
    for (const { node } of await declarationsOf(place)) {
      for (const named of namesIn(node)) {
        const found =
          named.module === null
            ? lookUp(place.module, named.name)
            : find(moduleOf(place.module, named.module), named.name);
        open.push({ module, place: await found });
      }
    }
  }
  return new Set(all.filter(({ module, place }) => reached.has(keyAt(module, place))));
}

const keyAt = (module: string, place: Place) => `${keyOf(place)} at ${module}`;

/** The types and values that a declaration names, with the module for an `import()`. */
function namesIn(value: unknown): { module: string | null; name: string }[] {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  if (value === null || typeof value !== 'object') return [];
  const node = value as SyntaxNode;
  const named = node.typeName ?? node.exprName ?? (node.type === 'TsExpressionWithTypeArguments' && node.expression);
  const name = firstName(named || node.superClass);
  const imported = node.type === 'TsImportType' ? firstName(node.qualifier) : null;
  return [
    ...(name === null ? [] : [{ module: null, name }]),
    ...(imported === null ? [] : [{ module: (node.argument as SyntaxNode).value as string, name: imported }]),
    ...Object.values(node).flatMap(namesIn),
  ];
}

/** `a` of `a.b.c`. */
function firstName(value: unknown): string | null {
  const node = value as SyntaxNode | null | undefined;
  if (node?.type === 'Identifier') return node.value as string;
  return node?.type === 'TsQualifiedName' ? firstName(node.left) : null;
}

/** What a source imports from packages by name. `import()` of a package is not counted. */
async function importsOf(text: string): Promise<Place[]> {
  const { body } = await parseSource(text);
  return body.flatMap((statement) => {
    const module = (statement.source as SyntaxNode | null | undefined)?.value as string | undefined;
    if (module === undefined || module.startsWith('.')) return [];
    const specifiers = (statement.specifiers ?? []) as Record<string, SyntaxNode | null>[];
    return specifiers.flatMap(({ imported, orig, local }) => {
      const name = (imported ?? orig ?? local)?.value;
      return typeof name === 'string' ? { module, name } : [];
    });
  });
}

/** The package to whose folder a file belongs. @param owners names of packages by their folders */
function ownerOf(file: string, owners: ReadonlyMap<string, string>): string | null {
  const inside = [...owners.keys()].filter((folder) => file.startsWith(`${folder}/`));
  return owners.get(inside.sort((a, b) => b.length - a.length)[0] ?? '') ?? null;
}
