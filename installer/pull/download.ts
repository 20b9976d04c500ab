/**
 * A tarball on its way to a file. One whose connection breaks is continued where it ended, if the registry offers that
 * (RFC 9110, section 14): on a slow line the largest package would otherwise never arrive. What has arrived in parts is
 * trusted no more than the rest: the digest of the whole decides.
 */
import { createHash, type Hash } from 'node:crypto';
import { open } from 'node:fs/promises';

export interface Download {
  /** Whether everything has arrived; a connection may break right after that. */
  readonly isWhole: boolean;
  /** Whether it was continued: its parts may be of different tarballs. */
  readonly isJoined: boolean;
  /** The headers of the next request. */
  headers(): Record<string, string>;
  /** Writes the body of a response: from the start, or with status 206 what was missing. */
  receive(body: AsyncIterable<Uint8Array>, headers: Headers, status: number): Promise<void>;
  /** Returns the digest of what has arrived, `sha512-…`. */
  digest(): string;
  /** Forgets what has arrived. */
  restart(): void;
}

/** @param onBytes called with the bytes received so far and, if the registry says, those of the whole tarball */
export function beginDownload(file: string, onBytes: (bytes: number, total: number | undefined) => void): Download {
  let hash: Hash;
  let bytes: number;
  let total: number | undefined;
  let isJoined: boolean;
  /** What the next request may continue: `tag` is the entity tag, empty without one. */
  let continued: { tag: string } | undefined;
  const restart = () => {
    hash = createHash('sha512');
    bytes = 0;
    total = undefined;
    isJoined = false;
    continued = undefined;
  };
  restart();
  return {
    get isWhole() {
      return continued !== undefined && bytes > 0 && bytes === total;
    },
    get isJoined() {
      return isJoined;
    },
    headers() {
      if (!continued || bytes === 0) return {};
      return { range: `bytes=${bytes}-`, ...(continued.tag && { 'if-range': continued.tag }) };
    },
    async receive(body, headers, status) {
      if (status === 206) isJoined = true;
      else restart();
      const length = Number(headers.get('content-length') ?? 'none');
      total = length > 0 ? bytes + length : undefined;
      continued = continuationOf(headers);
      const handle = await open(file, bytes === 0 ? 'w' : 'a', 0o600);
      try {
        for await (const chunk of body) {
          hash.update(chunk);
          await handle.writeFile(chunk);
          bytes += chunk.length;
          onBytes(bytes, total);
        }
      } finally {
        await handle.close();
      }
    },
    digest: () => `sha512-${hash.copy().digest('base64')}`,
    restart,
  };
}

/** Whether a response can be continued. `If-Range` needs a strong entity tag (RFC 9110, section 13.1.5). */
function continuationOf(headers: Headers): { tag: string } | undefined {
  if (headers.get('content-encoding')) return undefined;
  if (headers.get('accept-ranges') !== 'bytes' && !headers.has('content-range')) return undefined;
  const tag = headers.get('etag') ?? '';
  return { tag: tag.startsWith('"') ? tag : '' };
}
