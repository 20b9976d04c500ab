/**
 * What each package exports, for the exports.md beside its package.json: a change of what others may use is a difference
 * of that file. Signatures are those of the declarations that packages are published with.
 */
import { createHash } from 'node:crypto';
import { join, relative } from 'node:path';
import type { SyntaxNode } from '../sources/parsed-source.ts';
import type { Declaration, EntryPoint, Exports } from './declared.ts';

/** Characters of the longest object type that is written in full inside a signature. */
const longestObjectType = 200;

const exportsFile = 'exports.md';

/** The texts of the exports.md of all packages and the engine, by the path of the file from the root. */
export async function exportsTexts(root: string, exports: Exports): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for (const { source, entries } of exports.packages) {
    const sections: string[] = [];
    for (const entry of entries) {
      const lines = await signaturesOf(entry, exports);
      if (lines.length > 0) sections.push(`## ${entry.module}\n\n\`\`\`ts\n${lines.join('\n')}\n\`\`\`\n`);
    }
    const text = sections.length > 0 ? sections.join('\n') : 'Nothing besides its definition.\n';
    texts.set(
      join(relative(root, source.folder), exportsFile),
      `# What ${source.manifest.name} exports\n\nWritten by \`npm run documentation\`.\n\n${text}`,
    );
  }
  return texts;
}

/** The signatures of what an entry point exports, sorted by name; the default export aside. */
async function signaturesOf({ exported }: EntryPoint, { declarationsOf }: Exports): Promise<string[]> {
  const lines = [...exported].map(async ([shown, place]) => {
    const found = await declarationsOf(place);
    if (found.length > 0) return found.map((each) => signatureOf(each, shown));
    return [`export { ${place.name === shown ? shown : `${place.name} as ${shown}`} } from '${place.module}';`];
  });
  return (await Promise.all(lines)).flat();
}

type Slice = Declaration['slice'];

/** A declaration on one line, under the name with which it is exported. */
function signatureOf({ node, slice }: Declaration, name: string): string {
  if (node.type === 'VariableDeclarator') {
    const id = node.id as SyntaxNode;
    const annotation = id.typeAnnotation as SyntaxNode | null;
    const rest = annotation ? shortened(annotation, slice) : clean(slice(id.span.end, node.span.end));
    return `const ${name}${annotation && !rest.startsWith(':') ? ': ' : ''}${rest};`;
  }
  const id = (node.id ?? node.identifier) as SyntaxNode;
  const before = clean(slice(node.span.start, id.span.start)).replace(/^(?:export |declare )+/, '');
  const rest = shortened({ ...node, span: { start: id.span.end, end: node.span.end } }, slice);
  return `${before}${name}${rest.trimEnd()}`;
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
