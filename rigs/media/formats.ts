/**
 * Writes files of picture formats byte by byte, with whatever should not be in them.
 */
import { crc32, deflateSync } from 'node:zlib';

const text = (value: string) => Buffer.from(value, 'latin1');

function big32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function little16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

function little32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

export const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

export function pngChunk(type: string, content: Uint8Array): Buffer {
  const typed = Buffer.concat([text(type), content]);
  return Buffer.concat([big32(content.length), typed, big32(crc32(typed))]);
}

/**
 * A PNG picture in shades of grey, or whatever the pixels are.
 * @param chunks written before the pixels
 */
export function png(
  {
    width,
    height,
    bits = 8,
    interlaced = false,
  }: { width: number; height: number; bits?: 1 | 8; interlaced?: boolean },
  { chunks = [], pixels = deflateSync(Buffer.alloc(1000)) }: { chunks?: readonly Buffer[]; pixels?: Buffer } = {},
): Buffer {
  const header = Buffer.concat([big32(width), big32(height), Buffer.from([bits, 0, 0, 0, interlaced ? 1 : 0])]);
  const end = pngChunk('IEND', Buffer.alloc(0));
  return Buffer.concat([pngSignature, pngChunk('IHDR', header), ...chunks, pngChunk('IDAT', pixels), end]);
}

/** Inserts chunks after the header of a PNG picture. */
export function withPngChunks(picture: Buffer, chunks: readonly Buffer[]): Buffer {
  const afterHeader = 8 + 25;
  return Buffer.concat([picture.subarray(0, afterHeader), ...chunks, picture.subarray(afterHeader)]);
}

export function jpegSegment(marker: number, content: Uint8Array): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(content.length + 2);
  return Buffer.concat([Buffer.from([0xff, marker]), length, content]);
}

/** Inserts segments at the start of a JPEG picture. */
export function withJpegSegments(picture: Buffer, segments: readonly Buffer[]): Buffer {
  return Buffer.concat([picture.subarray(0, 2), ...segments, picture.subarray(2)]);
}

/** A header of a JPEG picture of this size, without a picture. */
export function jpegHeader(width: number, height: number): Buffer {
  const frame = Buffer.alloc(15);
  frame[0] = 8;
  frame.writeUInt16BE(height, 1);
  frame.writeUInt16BE(width, 3);
  frame.set([3, 1, 0x22, 0, 2, 0x11, 0, 3, 0x11, 0], 5);
  return Buffer.concat([Buffer.from([0xff, 0xd8]), jpegSegment(0xc0, frame)]);
}

/** Segments of an ICC profile, which has 255 of them at most. */
export function iccSegments(profile: Buffer): Buffer[] {
  const size = 65_000;
  const count = Math.ceil(profile.length / size);
  return Array.from({ length: count }, (_, at) => {
    const number = Buffer.from([at + 1, count]);
    return jpegSegment(
      0xe2,
      Buffer.concat([text('ICC_PROFILE\0'), number, profile.subarray(at * size, (at + 1) * size)]),
    );
  });
}

/** A GIF picture with so many frames of the same size, all of one colour; extensions are written before them. */
export function gif(width: number, height: number, frames: number, extensions: readonly Buffer[] = []): Buffer {
  const screen = Buffer.concat([little16(width), little16(height), Buffer.from([0x80, 0, 0]), Buffer.alloc(6, 0x55)]);
  const place = Buffer.concat([Buffer.alloc(4), little16(Math.min(width, 8)), little16(Math.min(height, 8))]);
  const pixels = lzw(Math.min(width, 8) * Math.min(height, 8));
  const delay = Buffer.from([0x21, 0xf9, 4, 0, 1, 0, 0, 0]);
  const frame = Buffer.concat([delay, text(','), place, Buffer.from([0]), pixels]);
  return Buffer.concat([text('GIF89a'), screen, ...extensions, ...Array<Buffer>(frames).fill(frame), text(';')]);
}

/** So many pixels of colour 0, as codes of three bits with a reset before the codes get longer. */
function lzw(pixels: number): Buffer {
  const codes: number[] = [];
  for (let pixel = 0; pixel < pixels; pixel++) codes.push(...(pixel % 2 === 0 ? [4] : []), 0);
  codes.push(5);
  const bytes = Buffer.alloc(Math.ceil((codes.length * 3) / 8));
  for (const [at, code] of codes.entries()) {
    for (let bit = 0; bit < 3; bit++) {
      const place = at * 3 + bit;
      if ((code >> bit) & 1) bytes[place >> 3] = (bytes[place >> 3] as number) | (1 << (place & 7));
    }
  }
  return Buffer.concat([Buffer.from([2]), subBlocks(bytes), Buffer.from([0])]);
}

function subBlocks(content: Uint8Array): Buffer {
  const parts: Uint8Array[] = [];
  for (let at = 0; at < content.length; at += 255) {
    const part = content.subarray(at, at + 255);
    parts.push(Buffer.from([part.length]), part);
  }
  return Buffer.concat(parts);
}

export function gifComment(content: string): Buffer {
  return Buffer.concat([Buffer.from([0x21, 0xfe]), subBlocks(text(content)), Buffer.from([0])]);
}

/** XMP in a GIF picture. */
export function gifXmp(content: string): Buffer {
  const name = Buffer.concat([Buffer.from([0x21, 0xff, 11]), text('XMP DataXMP')]);
  return Buffer.concat([name, subBlocks(text(content)), Buffer.from([0])]);
}

function riffChunk(type: string, content: Uint8Array): Buffer {
  return Buffer.concat([text(type), little32(content.length), content, Buffer.alloc(content.length % 2)]);
}

const riff = (content: Buffer) => Buffer.concat([text('RIFF'), little32(content.length + 4), text('WEBP'), content]);

/** The header of a WebP picture of this size, without a picture. */
export function webpHeader(width: number, height: number): Buffer {
  const size = Buffer.alloc(10);
  size.writeUIntLE(width - 1, 4, 3);
  size.writeUIntLE(height - 1, 7, 3);
  return riff(Buffer.concat([riffChunk('VP8X', size), riffChunk('VP8 ', Buffer.alloc(10))]));
}

/** Adds chunks at the end of a WebP picture, inside its container. */
export function withWebpChunks(picture: Buffer, chunks: Readonly<Record<string, string>>): Buffer {
  const added = Object.entries(chunks).map(([type, content]) => riffChunk(type, text(content)));
  return riff(Buffer.concat([picture.subarray(12), ...added]));
}

/** The first box of an MP4 film or an AVIF picture. */
export function brandBox(brand: string): Buffer {
  return Buffer.concat([big32(24), text(`ftyp${brand}\0\0\x02\0${brand}iso2`)]);
}

/** A ZIP archive with one file, not compressed. */
export function zip(name: string, content: string): Buffer {
  const bytes = text(content);
  const [crc, size] = [little32(crc32(bytes)), little32(bytes.length)];
  // No flags, no compression, no time.
  const about = Buffer.concat([Buffer.alloc(8), crc, size, size, little16(name.length), little16(0)]);
  const local = Buffer.concat([text('PK\x03\x04\x0a\0'), about, text(name), bytes]);
  const entry = Buffer.concat([text('PK\x01\x02\x0a\0\x0a\0'), about, Buffer.alloc(14), text(name)]);
  const counts = [little16(0), little16(0), little16(1), little16(1)];
  const end = [text('PK\x05\x06'), ...counts, little32(entry.length), little32(local.length), little16(0)];
  return Buffer.concat([local, entry, ...end]);
}
