/**
 * The document as a service has it: nothing of it exists before somebody asks, not even the code that makes it,
 * so that neither the start nor the memory of a service pays for it.
 */
import { type PreparedBody, prepareOnce } from '../http/prepared.ts';
import type { DocumentOptions } from './document.ts';

export interface ServedDocument {
  /** The document, made anew at each call. @throws Error when two schemas that differ have one `$id` */
  make(): Promise<Record<string, unknown>>;
  /** Its text, made once. */
  prepared(): Promise<PreparedBody>;
}

/** @param describe says what the document is of; called when it is made */
export function serveDocument(describe: () => DocumentOptions): ServedDocument {
  const make = async () => (await import('./document.ts')).createDocument(describe());
  return { make, prepared: prepareOnce(async () => JSON.stringify(await make())) };
}
