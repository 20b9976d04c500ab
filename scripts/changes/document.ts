/**
 * Reading an OpenAPI 3 document from a file or an address, and finding what a reference in it points to.
 */
import { readFile } from 'node:fs/promises';

/** A part of a document, whatever it is: documents come from outside, so nothing is taken for granted. */
// biome-ignore lint/suspicious/noExplicitAny: see above.
export type Node = any;

export interface OpenApiDocument {
  openapi: string;
  paths: Record<string, Record<string, Node>>;
  /** What is told of events, each by a POST. */
  webhooks?: Record<string, Node>;
  components?: Record<string, Record<string, Node>>;
}

/**
 * Reads a document. The address of a box or control plane alone stands for its `/docs/json`.
 * @throws Error with one line saying what is wrong with the place or with what is there
 */
export async function readDocument(place: string): Promise<OpenApiDocument> {
  const text = /^https?:\/\//.test(place) ? await fetchText(place) : await readFile(place, 'utf8');
  let document: Node;
  try {
    document = JSON.parse(text);
  } catch {
    throw new Error(`${place} holds no JSON`);
  }
  if (!/^3\./.test(document?.openapi) || typeof document.paths !== 'object') {
    throw new Error(`${place} holds no OpenAPI 3 document`);
  }
  return document;
}

async function fetchText(place: string): Promise<string> {
  const url = new URL(place);
  if (url.pathname === '/') url.pathname = '/docs/json';
  const response = await fetch(url).catch((error: Error) => {
    throw new Error(`${url} does not answer: ${(error.cause as Error | undefined)?.message ?? error.message}`);
  });
  if (!response.ok) throw new Error(`${url} answers ${response.status}`);
  return response.text();
}

/** What a node stands for, references followed. @throws Error for a reference that leads nowhere */
export function resolve(document: OpenApiDocument, node: Node): Node {
  let current = node;
  for (let steps = 0; typeof current?.$ref === 'string'; steps++) {
    const words = (current.$ref as string).slice(2).split('/');
    const target = words
      .map((word) => decodeURIComponent(word).replaceAll('~1', '/').replaceAll('~0', '~'))
      .reduce((part: Node, word) => part?.[word], document);
    if (target === undefined || steps > 100) throw new Error(`the reference ${current.$ref} leads nowhere`);
    current = target;
  }
  return current;
}

/** The last word of a reference: the name of what it points to. */
export function nameOf(node: Node): string | undefined {
  return typeof node?.$ref === 'string' ? node.$ref.split('/').at(-1) : undefined;
}
