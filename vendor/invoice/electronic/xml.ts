/**
 * Writes XML. Texts of people become texts of the document, whatever they contain.
 */

/** An element: its name, its attributes if it has any, and its text or its children. Others are left out. */
export type Xml = readonly [name: string, ...content: XmlContent[]] | null | false;
type XmlContent = string | { readonly [attribute: string]: string } | readonly Xml[];

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/**
 * What XML 1.0 has no form for (control characters, lone surrogates), and what changes the direction of the text around
 * it (U+202A to U+202E, U+2066 to U+2069): with it, a title could show amounts that are not there.
 */
const refused = /[^\P{Cc}\t\n\r]|[\u202a-\u202e\u2066-\u2069\ufffe\uffff]/gu;

/** A text without characters that documents cannot have, or must not. */
export function plainText(text: string): string {
  return text.toWellFormed().replaceAll(refused, '');
}

/** A carriage return would be read as the end of a line. */
const escaped = (text: string) =>
  plainText(text)
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[&<>"]/g, (sign) => entities[sign] as string);

function written(element: Xml, indent: string): string {
  if (!element) return '';
  const [name, ...contents] = element;
  let attributes = '';
  let inner = '';
  for (const content of contents) {
    if (typeof content === 'string') inner = escaped(content);
    else if (isChildren(content)) inner = content.map((child) => written(child, `${indent}  `)).join('');
    else attributes = Object.entries(content).reduce((all, [key, value]) => `${all} ${key}="${escaped(value)}"`, '');
  }
  if (contents.some(isChildren)) inner = `\n${inner}${indent}`;
  return `${indent}<${name}${attributes}>${inner}</${name}>\n`;
}

const isChildren = (content: XmlContent): content is readonly Xml[] => Array.isArray(content);

/** A document in UTF-8 with this root. */
export function xmlDocument(root: Xml): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${written(root, '')}`;
}
