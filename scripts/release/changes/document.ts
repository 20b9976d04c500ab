/**
 * Reads an OpenAPI 3 document from a file or a URL, and resolves its references.
 */
import { readFile } from 'node:fs/promises';

/** Any part of a document. Documents are external input, so their shape is not assumed. */
// biome-ignore lint/suspicious/noExplicitAny: see above.
export type Node = any;

export interface OpenApiDocument {
  openapi: string;
  paths: Record<string, Record<string, Node>>;
  /** Events, each a POST. */
  webhooks?: Record<string, Node>;
  components?: Record<string, Record<string, Node>>;
}

/**
 * Reads a document. The base URL of a box or control plane means its `/docs/json`.
 * @throws Error with one line about the location or its content
 */
export async function readDocument(place: string): Promise<OpenApiDocument> {
  const text = /^https?:\/\//.test(place) ? await fetchText(place) : await readFile(place, 'utf8');
  let document: Node;
  try {
    document = JSON.parse(text);
  } catch {
    throw new Error(`${place} is not JSON`);
  }
  if (!/^3\./.test(document?.openapi) || typeof document.paths !== 'object') {
    throw new Error(`${place} is not an OpenAPI 3 document`);
  }
  return document;
}

async function fetchText(place: string): Promise<string> {
  const url = new URL(place);
  if (url.pathname === '/') url.pathname = '/docs/json';
  const response = await fetch(url).catch((error: Error) => {
    throw new Error(`${url} does not respond: ${(error.cause as Error | undefined)?.message ?? error.message}`);
  });
  if (!response.ok) throw new Error(`${url} returned ${response.status}`);
  return response.text();
}

/** Follows the references of a node. @throws Error for an unresolvable reference */
export function resolve(document: OpenApiDocument, node: Node): Node {
  let current = node;
  for (let steps = 0; typeof current?.$ref === 'string'; steps++) {
    const words = (current.$ref as string).slice(2).split('/');
    const target = words
      .map((word) => decodeURIComponent(word).replaceAll('~1', '/').replaceAll('~0', '~'))
      .reduce((part: Node, word) => part?.[word], document);
    if (target === undefined || steps > 100) throw new Error(`the reference ${current.$ref} cannot be resolved`);
    current = target;
  }
  return current;
}

/** Returns the name that a reference points to. */
export function nameOf(node: Node): string | undefined {
  return typeof node?.$ref === 'string' ? node.$ref.split('/').at(-1) : undefined;
}
