/**
 * Reads a stream in pieces of chosen sizes.
 */
export class ByteReader {
  readonly #iterator: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.#iterator = source[Symbol.asyncIterator]();
  }

  /** Whether nothing follows. */
  async isAtEnd(): Promise<boolean> {
    while (this.#rest.length === 0) if (!(await this.#more())) return true;
    return false;
  }

  /** Returns so many bytes, or fewer at the end of the stream. */
  async upTo(bytes: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    let missing = bytes;
    while (missing > 0 && !(await this.isAtEnd())) {
      const part = this.#rest.subarray(0, missing);
      this.#rest = this.#rest.subarray(part.length);
      missing -= part.length;
      parts.push(part);
    }
    return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
  }

  /** Yields so many bytes as they come, or fewer at the end of the stream. */
  async *parts(bytes: number): AsyncGenerator<Buffer> {
    for (let missing = bytes; missing > 0 && !(await this.isAtEnd()); ) {
      const part = this.#rest.subarray(0, missing);
      this.#rest = this.#rest.subarray(part.length);
      missing -= part.length;
      yield part;
    }
  }

  /** Returns a line without its end; undefined if it is longer, or the stream ends before. */
  async line(mostBytes: number): Promise<string | undefined> {
    let line = Buffer.alloc(0);
    for (;;) {
      if (await this.isAtEnd()) return undefined;
      const end = this.#rest.indexOf(10);
      const part = end === -1 ? this.#rest : this.#rest.subarray(0, end);
      line = Buffer.concat([line, part]);
      if (line.length > mostBytes) return undefined;
      this.#rest = this.#rest.subarray(end === -1 ? part.length : end + 1);
      if (end !== -1) return line.toString('latin1');
    }
  }

  /** Ends the stream. */
  async end(): Promise<void> {
    await this.#iterator.return?.();
  }

  async #more(): Promise<boolean> {
    const { done, value } = await this.#iterator.next();
    if (!done) this.#rest = value;
    return !done;
  }
}
