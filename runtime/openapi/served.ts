/**
 * The document of a service. Both the document and the code that generates it are loaded at the first request, to keep
 * the start fast and the memory small.
 */
import { type PreparedBody, prepareOnce } from '../http/prepared.ts';
import type { DocumentOptions } from './document.ts';

export interface ServedDocument {
  /** Generates a new document at each call. @throws Error when two different schemas have the same `$id` */
  make(): Promise<Record<string, unknown>>;
  /** Its JSON, generated once. */
  prepared(): Promise<PreparedBody>;
}

/** @param describe returns the options of the document; called when it is generated */
export function serveDocument(describe: () => DocumentOptions): ServedDocument {
  const make = async () => (await import('./document.ts')).createDocument(describe());
  return { make, prepared: prepareOnce(async () => JSON.stringify(await make())) };
}
