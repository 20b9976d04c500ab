/**
 * What each package exports, for the exports.md beside its package.json: a change of what others may use is a difference
 * of that file. Signatures are those of the declarations that packages are published with.
 */
import { createHash } from 'node:crypto';
import { dirname, join, relative } from 'node:path';
import { withDeclarations } from '../../tools/packages/declarations.ts';
import { entryPoints, type Source, type Workspace } from '../../tools/packages/sources.ts';
import type { PackageFiles } from '../../tools/packages/tarball.ts';
import { parseSource, type SyntaxNode } from '../parsed-source.ts';

/** Characters of the longest object type that is written in full inside a signature. */
const longestObjectType = 200;

const exportsFile = 'exports.md';

/** Something that a file declares or passes on. */
type Named =
  /** The declaration, with the name under which it is exported. */
  | { signature: (name: string) => string }
  /** A name of another file. */
  | { from: string; name: string };

interface Declared {
  /** Of each local name, in the order of the file: an overloaded function has several. */
  names: Map<string, Named[]>;
  /** Local names by the name that other files see. */
  exported: Map<string, string>;
  /** Files of `export *`. */
  all: string[];
}

/**
 * The texts of the exports.md of all packages and the engine, by the path of the file from the root.
 * @throws Error for a type that the compiler cannot name: it writes no declarations for the file
 */
export function exportsTexts(workspace: Workspace, out: string): Promise<Map<string, string>> {
  const sources = [workspace.runtime, ...workspace.packages].filter((each) => each !== undefined);
  return withDeclarations(workspace, sources, out, async ({ of, errors }) => {
    if (errors.length > 0) throw new Error(`declarations of packages:\n${errors.join('\n')}`);
    const texts = new Map<string, string>();
    for (const source of sources) {
      texts.set(
        join(relative(workspace.root, source.folder), exportsFile),
        await exportsText(source, await of(source)),
      );
    }
    return texts;
  });
}

async function exportsText(source: Source, files: PackageFiles): Promise<string> {
  const { name } = source.manifest;
  const sections: string[] = [];
  for (const { subpath, source: file } of entryPoints(source)) {
    const entry = join('dist', relative(source.folder, file)).replace(/\.ts$/, '.d.ts');
    const lines = await signaturesOf(files, entry);
    if (lines.length > 0) sections.push(`## ${join(name, subpath)}\n\n\`\`\`ts\n${lines.join('\n')}\n\`\`\`\n`);
  }
  const text = sections.length > 0 ? sections.join('\n') : 'Nothing besides its definition.\n';
  return `# What ${name} exports\n\nWritten by \`npm run documentation\`.\n\n${text}`;
}

/** The signatures of what a file of declarations exports, sorted by name; the default export aside. */
async function signaturesOf(files: PackageFiles, entry: string): Promise<string[]> {
  const read = new Map<string, Promise<Declared>>();
  const declaredIn = (file: string): Promise<Declared> => {
    const known = read.get(file) ?? readDeclared(file, files);
    read.set(file, known);
    return known;
  };
  const find = async (file: string, seen: string, shown: string): Promise<string[]> => {
    if (!file.startsWith('dist/'))
      return [`export { ${seen === shown ? seen : `${seen} as ${shown}`} } from '${file}';`];
    const { names, exported, all } = await declaredIn(file);
    const local = exported.get(seen);
    if (local === undefined) {
      for (const other of all) if ((await namesOf(other)).includes(seen)) return find(other, seen, shown);
      throw new Error(`${file} does not export ${seen}`);
    }
    const found = names.get(local) ?? [];
    const texts = found.map((each) => ('from' in each ? find(each.from, each.name, shown) : [each.signature(shown)]));
    return (await Promise.all(texts)).flat();
  };
  const namesOf = async (file: string): Promise<string[]> => {
    const { exported, all } = await declaredIn(file);
    return [...exported.keys(), ...(await Promise.all(all.map(namesOf))).flat()];
  };
  const names = [...new Set(await namesOf(entry))].filter((name) => name !== 'default').sort();
  return (await Promise.all(names.map((name) => find(entry, name, name)))).flat();
}

async function readDeclared(file: string, files: PackageFiles): Promise<Declared> {
  const declarations = files.get(file);
  if (declarations === undefined || !('content' in declarations)) throw new Error(`no declarations: ${file}`);
  const { body, slice } = await parseSource(declarations.content.toString());
  const declared: Declared = { names: new Map(), exported: new Map(), all: [] };
  const add = (name: string, named: Named) => declared.names.set(name, [...(declared.names.get(name) ?? []), named]);
  const target = (source: SyntaxNode) => fileOf(file, source.value as string);

  for (const statement of body) {
    if (statement.type === 'ImportDeclaration') {
      for (const { local, imported } of statement.specifiers as { local: SyntaxNode; imported?: SyntaxNode }[])
        add(nameOf(local), { from: target(statement.source as SyntaxNode), name: nameOf(imported ?? local) });
    } else if (statement.type === 'ExportAllDeclaration') declared.all.push(target(statement.source as SyntaxNode));
    else if (statement.type === 'ExportNamedDeclaration') {
      for (const { orig, exported } of statement.specifiers as { orig: SyntaxNode; exported?: SyntaxNode }[]) {
        const shown = nameOf(exported ?? orig);
        // Names that only pass through get a local name that no declaration can have.
        const local = statement.source ? `${shown} of ${(statement.source as SyntaxNode).value}` : nameOf(orig);
        if (statement.source) add(local, { from: target(statement.source as SyntaxNode), name: nameOf(orig) });
        declared.exported.set(shown, local);
      }
    } else {
      const isExported = statement.type === 'ExportDeclaration';
      const declaration = isExported ? (statement.declaration as SyntaxNode) : statement;
      for (const [name, signature] of signaturesIn(declaration, slice)) {
        add(name, { signature });
        if (isExported) declared.exported.set(name, name);
      }
    }
  }
  return declared;
}

const nameOf = (node: SyntaxNode) => node.value as string;

/** The file of declarations that a module names, or the module itself if it is of another package. */
function fileOf(from: string, module: string): string {
  return module.startsWith('.') ? join(dirname(from), module.replace(/\.[jt]s$/, '.d.ts')) : module;
}

type Slice = (start: number, end: number) => string;

/** What one statement declares: each name with its signature under a name. */
function signaturesIn(declaration: SyntaxNode, slice: Slice): [string, (name: string) => string][] {
  if (declaration.type === 'VariableDeclaration') {
    return (declaration.declarations as { id: SyntaxNode; span: SyntaxNode['span'] }[]).map(({ id, span }) => {
      const annotation = id.typeAnnotation as SyntaxNode | null;
      const rest = annotation ? shortened(annotation, slice) : clean(slice(id.span.end, span.end));
      return [nameOf(id), (name) => `const ${name}${annotation && !rest.startsWith(':') ? ': ' : ''}${rest};`];
    });
  }
  const id = (declaration.id ?? declaration.identifier) as SyntaxNode | undefined;
  if (id?.type !== 'Identifier') return [];
  const before = clean(slice(declaration.span.start, id.span.start)).replace(/^(?:export |declare )+/, '');
  const rest = shortened({ ...declaration, span: { start: id.span.end, end: declaration.span.end } }, slice);
  return [[nameOf(id), (name) => `${before}${name}${rest.trimEnd()}`]];
}

/** A declaration on one line, without comments; long object types are cut. The members of a type are never cut. */
function shortened(node: SyntaxNode, slice: Slice): string {
  const cuts = objectTypesIn(node, node.type === 'TsTypeAliasDeclaration')
    .filter(({ span }) => span.start >= node.span.start)
    .sort((a, b) => a.span.start - b.span.start);
  let text = '';
  let at = node.span.start;
  for (const { span } of cuts) {
    const object = clean(slice(span.start, span.end));
    text += slice(at, span.start) + (object.length > longestObjectType ? `{ … ${digestOf(object)} }` : object);
    at = span.end;
  }
  return clean(text + slice(at, node.span.end));
}

/** The outermost object types inside a node; with `inside`, those inside the outermost. */
function objectTypesIn(value: unknown, inside: boolean): SyntaxNode[] {
  if (Array.isArray(value)) return value.flatMap((each) => objectTypesIn(each, inside));
  if (value === null || typeof value !== 'object') return [];
  const node = value as SyntaxNode;
  if (node.type === 'TsTypeLiteral' && !inside) return [node];
  return Object.values(node).flatMap((each) => objectTypesIn(each, inside && node.type !== 'TsTypeLiteral'));
}

/** A change inside of what is cut changes this. */
const digestOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 8);

/** On one line, without comments and the modules of imported types; strings stay as they are. */
function clean(text: string): string {
  return text
    .replace(/\bimport\(("|')[^"']+\1\)\./g, '')
    .replace(
      /("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`)|\/\*[\s\S]*?\*\/|\/\/[^\n]*|\s+/g,
      (found, quoted) => quoted ?? (/^\s/.test(found) ? ' ' : ''),
    )
    .replace(/ {2,}/g, ' ');
}
