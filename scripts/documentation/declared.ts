/**
 * What packages declare and export, read from the declarations that they are published with.
 */
import { dirname, join, relative } from 'node:path';
import { withDeclarations } from '../../tools/packages/declarations.ts';
import { entryPoints, type Source, type Workspace } from '../../tools/packages/sources.ts';
import type { PackageFiles } from '../../tools/packages/tarball.ts';
import { parseSource, type SyntaxNode } from '../sources/parsed-source.ts';

/** The compiler writes no declarations of some sources. */
export class DeclarationFaults extends Error {
  constructor(errors: readonly string[]) {
    const isUnnamed = errors.some((error) => error.includes('cannot be named'));
    const hint = isUnnamed ? ['The type of a schema that is spread has no name: use withOptions(schema, { … })'] : [];
    super(['declarations of packages:', ...errors, ...hint].join('\n'));
  }
}

/** A name in a module: a file of declarations (`@carton/order/dist/index.d.ts`), or an entry point (`@carton/order`). */
export interface Place {
  module: string;
  name: string;
}

/** One statement that declares a name; an overloaded function has several. */
export interface Declaration {
  node: SyntaxNode;
  /** The text between two offsets of nodes. */
  slice: (start: number, end: number) => string;
}

export interface EntryPoint {
  /** As it is imported: `@carton/order`. */
  module: string;
  /** All that it exports but the default, sorted, each with where it is declared, or the module that declares it. */
  exported: Map<string, Place>;
  /** Where the default export is declared; null for none. */
  byDefault: Place | null;
}

export interface PackageExports {
  source: Source;
  entries: EntryPoint[];
}

export interface Exports {
  /** The engine and all packages. */
  packages: PackageExports[];
  /** The declarations of a place; none for a module that is no file of them. */
  declarationsOf(place: Place): Promise<readonly Declaration[]>;
  /** Where a name that a file of declarations uses is declared. */
  lookUp(file: string, name: string): Promise<Place>;
  /** Where a name that a file of declarations exports is declared; of another module, the name itself. */
  find(file: string, name: string): Promise<Place>;
}

/** What a file has under a local name. */
type Named = Declaration | Place;

interface Declared {
  names: Map<string, Named[]>;
  /** Local names by the name that other files see. */
  exported: Map<string, string>;
  /** Files of `export *`. */
  all: string[];
}

/**
 * Reads the declarations of the engine and of all packages, and passes what they export to `use`.
 * @throws Error for a type that the compiler cannot name: it writes no declarations for the file
 */
export function withExports<Result>(
  workspace: Workspace,
  out: string,
  use: (exports: Exports) => Promise<Result>,
): Promise<Result> {
  const sources = [workspace.runtime, ...workspace.packages].filter((each) => each !== undefined);
  return withDeclarations(workspace, sources, out, async ({ of, errors }) => {
    if (errors.length > 0) throw new DeclarationFaults(errors);
    const files: PackageFiles = new Map();
    for (const source of sources)
      for (const [path, file] of await of(source)) files.set(join(source.manifest.name, path), file);
    return use(await readExports(sources, files));
  });
}

async function readExports(sources: readonly Source[], files: PackageFiles): Promise<Exports> {
  const read = new Map<string, Promise<Declared>>();
  const declaredIn = (file: string): Promise<Declared> => {
    const known = read.get(file) ?? readDeclared(file, files);
    read.set(file, known);
    return known;
  };
  const namesOf = async (file: string): Promise<string[]> => {
    const { exported, all } = await declaredIn(file);
    return [...exported.keys(), ...(await Promise.all(all.map(namesOf))).flat()];
  };
  const find = async (file: string, seen: string): Promise<Place> => {
    if (!isFile(file)) return { module: file, name: seen };
    const { exported, all } = await declaredIn(file);
    const local = exported.get(seen);
    if (local !== undefined) return lookUp(file, local);
    for (const other of all) if ((await namesOf(other)).includes(seen)) return find(other, seen);
    throw new Error(`${file} does not export ${seen}`);
  };
  const lookUp = async (file: string, name: string): Promise<Place> => {
    const [first] = (await declaredIn(file)).names.get(name) ?? [];
    return first && 'module' in first ? find(first.module, first.name) : { module: file, name };
  };

  const packages = await Promise.all(
    sources.map(async (source) => ({
      source,
      entries: await Promise.all(
        entryPoints(source).map(async ({ subpath, source: file }) => {
          const entry = join(source.manifest.name, 'dist', relative(source.folder, file)).replace(/\.ts$/, '.d.ts');
          const names = [...new Set(await namesOf(entry))].sort();
          const exported = new Map<string, Place>();
          for (const name of names) exported.set(name, await find(entry, name));
          const byDefault = exported.get('default') ?? null;
          exported.delete('default');
          return { module: join(source.manifest.name, subpath), exported, byDefault };
        }),
      ),
    })),
  );
  const declarationsOf = async ({ module, name }: Place) => {
    if (!isFile(module)) return [];
    const found = (await declaredIn(module)).names.get(name) ?? [];
    return found.filter((each) => 'node' in each);
  };
  return { packages, declarationsOf, lookUp, find };
}

const isFile = (module: string) => module.endsWith('.d.ts');

async function readDeclared(file: string, files: PackageFiles): Promise<Declared> {
  const declarations = files.get(file);
  if (declarations === undefined || !('content' in declarations)) throw new Error(`no declarations: ${file}`);
  const { body, slice } = await parseSource(declarations.content.toString());
  const declared: Declared = { names: new Map(), exported: new Map(), all: [] };
  const add = (name: string, named: Named) => declared.names.set(name, [...(declared.names.get(name) ?? []), named]);
  const target = (source: unknown) => moduleOf(file, (source as SyntaxNode).value as string);

  for (const statement of body) {
    if (statement.type === 'ImportDeclaration') {
      for (const { local, imported } of statement.specifiers as { local: SyntaxNode; imported?: SyntaxNode }[])
        add(nameOf(local), { module: target(statement.source), name: nameOf(imported ?? local) });
    } else if (statement.type === 'ExportAllDeclaration') declared.all.push(target(statement.source));
    else if (statement.type === 'ExportNamedDeclaration') {
      for (const { orig, exported } of statement.specifiers as { orig: SyntaxNode; exported?: SyntaxNode }[]) {
        const shown = nameOf(exported ?? orig);
        // Names that only pass through get a local name that no declaration can have.
        const local = statement.source ? `${shown} of ${(statement.source as SyntaxNode).value}` : nameOf(orig);
        if (statement.source) add(local, { module: target(statement.source), name: nameOf(orig) });
        declared.exported.set(shown, local);
      }
    } else if (statement.type === 'ExportDefaultDeclaration') {
      add('default', { node: statement.decl as SyntaxNode, slice });
      declared.exported.set('default', 'default');
    } else if (statement.type === 'ExportDefaultExpression') {
      declared.exported.set('default', nameOf(statement.expression as SyntaxNode));
    } else {
      const isExported = statement.type === 'ExportDeclaration';
      const node = isExported ? (statement.declaration as SyntaxNode) : statement;
      for (const each of declarationsIn(node)) {
        const name = nameOf((each.id ?? each.identifier) as SyntaxNode);
        add(name, { node: each, slice });
        if (isExported) declared.exported.set(name, name);
      }
    }
  }
  return declared;
}

const nameOf = (node: SyntaxNode) => node.value as string;

/** What one statement declares: itself, or each variable of it. */
function declarationsIn(node: SyntaxNode): SyntaxNode[] {
  if (node.type === 'VariableDeclaration') return node.declarations as SyntaxNode[];
  return ((node.id ?? node.identifier) as SyntaxNode | undefined)?.type === 'Identifier' ? [node] : [];
}

/** The file of declarations that a module names, or the module itself if it is of another package. */
export function moduleOf(from: string, module: string): string {
  return module.startsWith('.') ? join(dirname(from), module.replace(/\.[jt]s$/, '.d.ts')) : module;
}
