/**
 * A response body that is the same for all callers: generated at the first request, compressed once and cached.
 */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Context } from 'koa';

type Encoding = 'br' | 'gzip' | 'identity';

/** The body in one content encoding. */
export interface Representation {
  encoding: Encoding;
  bytes: Buffer;
  /** Strong, so each encoding has its own (RFC 9110, section 8.8.3.3). */
  etag: string;
}

/** A body in all its encodings, smallest first. */
export class PreparedBody {
  readonly #representations: readonly Representation[];

  private constructor(representations: readonly Representation[]) {
    this.#representations = representations;
  }

  /** Compresses a text, off the main thread. */
  static async of(text: string): Promise<PreparedBody> {
    const identity = Buffer.from(text);
    const quality = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: identity.length };
    const [br, gzipped] = await Promise.all([
      promisify(brotliCompress)(identity, { params: quality }),
      promisify(gzip)(identity, { level: 9 }),
    ]);
    const version = createHash('sha256').update(identity).digest('base64url').slice(0, 27);
    return new PreparedBody([
      { encoding: 'br', bytes: br, etag: `"${version}-br"` },
      { encoding: 'gzip', bytes: gzipped, etag: `"${version}-gzip"` },
      { encoding: 'identity', bytes: identity, etag: `"${version}"` },
    ]);
  }

  /** Returns the smallest representation that the client accepts. */
  representationFor(ctx: Context): Representation {
    const accepted = this.#representations.find(({ encoding }) => ctx.acceptsEncodings(encoding) === encoding);
    return accepted ?? (this.#representations.at(-1) as Representation);
  }

  toString(): string {
    return (this.#representations.at(-1) as Representation).bytes.toString();
  }
}

/** Returns a function that generates the body at its first call and caches it; a failure is retried at the next call. */
export function prepareOnce(generate: () => Promise<string>): () => Promise<PreparedBody> {
  let prepared: Promise<PreparedBody> | undefined;
  return () => {
    prepared ??= generate().then(PreparedBody.of);
    prepared.catch(() => {
      prepared = undefined;
    });
    return prepared;
  };
}
