/**
 * TypeScript sources as syntax trees, with the places of their nodes.
 */
import { type Module, parse } from '@swc/core';

export interface SyntaxNode {
  type: string;
  span: { start: number; end: number };
  [property: string]: unknown;
}

export interface ParsedSource {
  /** The statements of the file. */
  body: SyntaxNode[];
  /** The text between two offsets of nodes. */
  slice(start: number, end: number): string;
  /** The line of an offset, from 1. */
  lineAt(start: number): number;
}

/** @throws Error if it does not parse */
export async function parseSource(content: string): Promise<ParsedSource> {
  // Offsets are of bytes, and continue from one parsed source to the next: the empty statement shows where these begin.
  const code = `;${content}`;
  const bytes = Buffer.from(code);
  const { body } = (await parse(code, { syntax: 'typescript', target: 'esnext' })) as Module;
  const first = body[0]?.span.start ?? 0;
  const slice = (start: number, end: number) => bytes.subarray(start - first, end - first).toString();
  return {
    body: body.slice(1) as unknown as SyntaxNode[],
    slice,
    lineAt: (start) => slice(first, start).split('\n').length,
  };
}
