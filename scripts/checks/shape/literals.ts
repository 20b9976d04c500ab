/**
 * Reads what the shape of a source is judged by: its texts, each as one literal, and what it calls.
 */
import { parseSource, type SyntaxNode } from '../../sources/parsed-source.ts';

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

/** What has names of modules in quotes, and nothing else that counts. */
const skipped = new Set(['ImportDeclaration', 'ExportNamedDeclaration', 'TsImportType']);

/** Reads a TypeScript source. @throws Error if it does not parse */
export async function readParts(code: string): Promise<SourceParts> {
  const { body, lineAt } = await parseSource(code);
  const parts: SourceParts = { literals: [], calls: [], properties: new Map() };
  const addProperty = ({ value, span }: SyntaxNode) => {
    if (typeof value === 'string' && !parts.properties.has(value)) parts.properties.set(value, lineAt(span.start));
  };
  const addCall = (node: SyntaxNode) => {
    const callee = node.callee as SyntaxNode;
    const name = callee.value ?? (callee.property as SyntaxNode | undefined)?.value;
    const [first] = node.arguments as { expression: SyntaxNode }[];
    const argument = first?.expression.type === 'StringLiteral' ? (first.expression.value as string) : undefined;
    if (typeof name === 'string') parts.calls.push({ name, argument, line: lineAt(node.span.start) });
  };
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const each of value) visit(each);
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return;
    const node = value as SyntaxNode;
    if (skipped.has(node.type)) return;
    const addLiteral = (text: string) => parts.literals.push({ text, line: lineAt(node.span.start) });
    if (node.type === 'StringLiteral') addLiteral(node.value as string);
    if (node.type === 'TemplateLiteral') addLiteral((node.quasis as { raw: string }[]).map(({ raw }) => raw).join(' '));
    if (node.type === 'CallExpression') addCall(node);
    if (node.type === 'KeyValueProperty') addProperty(node.key as SyntaxNode);
    // A property in short form: `{ $id }`.
    if (node.type === 'ObjectExpression')
      for (const each of node.properties as SyntaxNode[]) if (each.type === 'Identifier') addProperty(each);
    for (const [property, each] of Object.entries(node)) if (property !== 'span') visit(each);
  };
  visit(body);
  return parts;
}
