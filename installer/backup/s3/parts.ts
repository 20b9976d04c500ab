/**
 * The parts of an upload. Services take 10,000 at most, of 5 MiB or more and all of one size but the last.
 */
const mebibyte = 1024 * 1024;
const smallestPart = 8 * mebibyte;
const mostParts = 10_000;

/** Returns the size of parts for a backup of about so many bytes, which may become half as large again. */
export function partBytesFor(bytes: number): number {
  return Math.max(smallestPart, Math.ceil((bytes * 1.5) / mostParts / mebibyte) * mebibyte);
}

/** Yields the source in parts of one size; the last may be smaller. An empty source has one empty part. */
export async function* partsOf(source: AsyncIterable<Buffer>, size: number): AsyncGenerator<Buffer> {
  let part = Buffer.allocUnsafe(size);
  let filled = 0;
  let count = 0;
  for await (const chunk of source) {
    for (let at = 0; at < chunk.length; ) {
      const copied = chunk.copy(part, filled, at);
      at += copied;
      filled += copied;
      if (filled < size) continue;
      yield part;
      count += 1;
      part = Buffer.allocUnsafe(size);
      filled = 0;
    }
  }
  if (filled > 0 || count === 0) yield part.subarray(0, filled);
}
