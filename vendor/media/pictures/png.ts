/**
 * Writes pixels as a PNG without compression, for libvips, which reads it piece by piece.
 */
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32, createDeflate, deflateSync } from 'node:zlib';

/** Decoded pixels: rows of RGB, or of RGBA, with 8 bits for each channel. */
export interface Pixels {
  width: number;
  height: number;
  hasAlpha: boolean;
  /** Bytes from the beginning of a row to that of the next. */
  stride: number;
  data: Uint8Array;
}

/** Bytes that are written at a time. */
const step = 1024 * 1024;
const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** @param profile the colour profile (ICC) of the pixels, if it is not sRGB */
export async function writePng(path: string, pixels: Pixels, profile?: Uint8Array): Promise<void> {
  await pipeline(Readable.from(partsOf(pixels, profile)), createWriteStream(path, { mode: 0o600 }));
}

async function* partsOf(pixels: Pixels, profile?: Uint8Array): AsyncGenerator<Buffer> {
  const { width, height, hasAlpha } = pixels;
  yield signature;
  yield chunk('IHDR', Buffer.concat([big32(width), big32(height), Buffer.from([8, hasAlpha ? 6 : 2, 0, 0, 0])]));
  if (profile) yield chunk('iCCP', Buffer.concat([Buffer.from('profile\0\0', 'latin1'), deflateSync(profile)]));
  const compressed = Readable.from(rowsOf(pixels)).pipe(createDeflate({ level: 0, chunkSize: step }));
  for await (const part of compressed) yield chunk('IDAT', part as Buffer);
  yield chunk('IEND', Buffer.alloc(0));
}

/** Many rows at a time, each with the number of its filter before it, which is none. */
function* rowsOf({ width, height, hasAlpha, stride, data }: Pixels): Generator<Buffer> {
  const length = width * (hasAlpha ? 4 : 3);
  const most = Math.max(1, Math.floor(step / (length + 1)));
  for (let first = 0; first < height; first += most) {
    const count = Math.min(most, height - first);
    const rows = Buffer.alloc(count * (length + 1));
    for (let row = 0; row < count; row++) {
      const at = (first + row) * stride;
      rows.set(data.subarray(at, at + length), row * (length + 1) + 1);
    }
    yield rows;
  }
}

/** A chunk of a PNG file (ISO/IEC 15948, 5.3). */
function chunk(type: string, content: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  return Buffer.concat([big32(content.length), typed, big32(crc32(typed))]);
}

function big32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
