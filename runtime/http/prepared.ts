/**
 * An answer that is the same for everybody: made when it is first asked for, compressed once, kept.
 */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Context } from 'koa';

type Encoding = 'br' | 'gzip' | 'identity';

/** One form of the body. */
export interface Representation {
  encoding: Encoding;
  bytes: Buffer;
  /** Strong, so each form has its own (RFC 9110, section 8.8.3.3). */
  etag: string;
}

/** A body in all its forms. */
export class PreparedBody {
  readonly #forms: readonly Representation[];

  private constructor(forms: readonly Representation[]) {
    this.#forms = forms;
  }

  /** Compresses off the main thread. */
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

  /** The smallest form that the caller takes. */
  formFor(ctx: Context): Representation {
    const taken = this.#forms.find(({ encoding }) => ctx.acceptsEncodings(encoding) === encoding);
    return taken ?? (this.#forms.at(-1) as Representation);
  }

  toString(): string {
    return (this.#forms.at(-1) as Representation).bytes.toString();
  }
}

/** The body that `make` makes, made at the first call; what fails is tried again at the next. */
export function prepareOnce(make: () => Promise<string>): () => Promise<PreparedBody> {
  let prepared: Promise<PreparedBody> | undefined;
  return () => {
    prepared ??= make().then(PreparedBody.of);
    prepared.catch(() => {
      prepared = undefined;
    });
    return prepared;
  };
}
