// The files of a registry, which any number of requests write at the same time.

import { randomUUID } from 'node:crypto';
import { replaceFile as replace } from '@carton/durable-files';

/** The end of the names of files that are not complete. A process that is killed leaves them behind. */
export const draftSuffix = '.draft';

/** Replaces a file atomically and durably: readers see the old content or the new. */
export function replaceFile(path: string, content: string | Uint8Array): Promise<void> {
  return replace(path, content, { temporary: `${path}.${randomUUID()}${draftSuffix}`, mode: 0o600 });
}
