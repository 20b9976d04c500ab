/**
 * Reads what the shape of a source is judged by: its texts, each as one literal, and what it calls.
 */
import { parse } from '@swc/core';

/** A string or template of a source; each expression inside it is written as a blank. */
export interface Literal {
  text: string;
  line: number;
}

export interface SourceParts {
  literals: Literal[];
  /** Functions and methods that are called, with the first argument if it is a string. */
  calls: { name: string; argument: string | undefined; line: number }[];
  /** Names of the properties of object literals, each with the line of the first. */
  properties: Map<string, number>;
}

interface Node {
  type: string;
  span?: { start: number };
  [property: string]: unknown;
}

/** Reads a TypeScript source. @throws Error if it does not parse */
export async function readParts(code: string): Promise<SourceParts> {
  // Offsets are of bytes, and continue from one parsed source to the next.
  const bytes = Buffer.from(code);
  const module = (await parse(code, { syntax: 'typescript', target: 'esnext' })) as unknown as Node;
  const first = firstOffset(module, bytes);
  const lineOf = ({ span }: Node) => {
    const before = bytes.subarray(0, Math.max(0, (span?.start ?? first) - first));
    return before.toString().split('\n').length;
  };
  const parts: SourceParts = { literals: [], calls: [], properties: new Map() };
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const each of value) visit(each);
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return;
    const node = value as Node;
    if (node.type === 'ImportDeclaration' || node.type === 'ExportNamedDeclaration' || node.type === 'TsImportType')
      return;
    if (node.type === 'StringLiteral') parts.literals.push({ text: node.value as string, line: lineOf(node) });
    if (node.type === 'TemplateLiteral') {
      const quasis = (node.quasis ?? []) as { raw: string }[];
      parts.literals.push({ text: quasis.map(({ raw }) => raw).join(' '), line: lineOf(node) });
    }
    if (node.type === 'CallExpression') {
      const callee = node.callee as Node;
      const name = callee.value ?? (callee.property as Node | undefined)?.value;
      const [first] = node.arguments as { expression: Node }[];
      const argument = first?.expression.type === 'StringLiteral' ? (first.expression.value as string) : undefined;
      if (typeof name === 'string') parts.calls.push({ name, argument, line: lineOf(node) });
    }
    if (node.type === 'KeyValueProperty') {
      const key = node.key as Node;
      if (typeof key.value === 'string' && !parts.properties.has(key.value))
        parts.properties.set(key.value, lineOf(key));
    }
    if (node.type === 'ObjectExpression') {
      // A property in short form: `{ $id }`.
      for (const each of node.properties as Node[])
        if (each.type === 'Identifier' && !parts.properties.has(each.value as string))
          parts.properties.set(each.value as string, lineOf(each));
    }
    for (const [property, each] of Object.entries(node)) if (property !== 'span') visit(each);
  };
  visit(module);
  return parts;
}

/** The offset at which this source begins: that of the module, less what is before its first statement. */
function firstOffset(module: Node, bytes: Buffer): number {
  const start = module.span?.start ?? 1;
  // The module begins at its first token: comments and blanks before it do not count.
  return start - bytes.length + Buffer.from(withoutLeading(bytes.toString())).length;
}

/** A source from its first token on. */
function withoutLeading(code: string): string {
  return code.replace(/^(?:\s+|\/\*[\s\S]*?\*\/|\/\/[^\n]*\n)+/, '');
}
