/**
 * Checks a file that the box has stored, without the libraries of the box: it is of its type, and a picture has nothing in
 * it but the picture.
 */

/** What the parts of a picture may be. JPEG: markers; GIF: labels of extensions. */
const allowed = {
  'image/jpeg': [0xe0, 0xdb, 0xc0, 0xc1, 0xc2, 0xc4, 0xda, 0xdd],
  'image/png': ['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND', 'pHYs', 'sBIT', 'bKGD', 'gAMA', 'cHRM', 'sRGB'],
  'image/webp': ['VP8X', 'VP8 ', 'VP8L', 'ALPH', 'ANIM', 'ANMF'],
  'image/gif': ['graphic control', 'NETSCAPE2.0', 'frame'],
  'image/avif': ['ftyp', 'meta', 'mdat', 'free'],
} as const;
type PictureType = keyof typeof allowed;

const partsOf: Record<PictureType, (bytes: Buffer) => (string | number)[]> = {
  'image/jpeg': jpegParts,
  'image/png': pngParts,
  'image/webp': webpParts,
  'image/gif': gifParts,
  'image/avif': avifParts,
};

const forbiddenTexts = ['canary', '<script', '<?php', 'onload=', 'adobe', 'Photoshop', 'ICC_PROFILE', 'PK\x03\x04'];

/** The media type by the first bytes; null if they are of none that is accepted. */
export function typeOf(bytes: Buffer): string | null {
  const start = bytes.toString('latin1', 0, 16);
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (start.startsWith('GIF89a')) return 'image/gif';
  if (start.startsWith('RIFF') && start.slice(8, 12) === 'WEBP') return 'image/webp';
  if (start.startsWith('%PDF-')) return 'application/pdf';
  if (start.startsWith('\x1a\x45\xdf\xa3')) return 'video/webm';
  if (start.slice(4, 8) === 'ftyp')
    return start.startsWith('avif', 8) ? 'image/avif' : start.startsWith('qt  ', 8) ? 'video/quicktime' : 'video/mp4';
  return null;
}

/** What is wrong with a stored file. */
export function faultsOfFile(bytes: Buffer, mediaType: string): string[] {
  if (typeOf(bytes) !== mediaType) return [`its bytes are ${typeOf(bytes)}, and it is stored as ${mediaType}`];
  if (!Object.hasOwn(allowed, mediaType)) return [];
  const type = mediaType as PictureType;
  const content = bytes.toString('latin1').toLowerCase();
  const texts = forbiddenTexts.filter((text) => content.includes(text.toLowerCase()));
  return [...texts.map((text) => `it contains ${text}`), ...faultsOfParts(bytes, type)];
}

function faultsOfParts(bytes: Buffer, type: PictureType): string[] {
  try {
    const known = new Set<string | number>(allowed[type]);
    const others = [...new Set(partsOf[type](bytes))].filter((part) => !known.has(part));
    return others.map((part) => `it has a part ${part}`);
  } catch (error) {
    return [`it is malformed: ${(error as Error).message}`];
  }
}

function requireEnd(bytes: Buffer, end: number): void {
  if (end !== bytes.length) throw new Error(`${bytes.length - end} bytes follow its end`);
}

function jpegParts(bytes: Buffer): number[] {
  const parts: number[] = [];
  let at = 2;
  for (;;) {
    if (bytes[at] !== 0xff) throw new Error(`no marker at ${at}`);
    const marker = bytes[at + 1] as number;
    if (marker === 0xd9) break;
    parts.push(marker);
    at += 2 + bytes.readUInt16BE(at + 2);
    if (marker === 0xda) at = endOfScan(bytes, at);
  }
  requireEnd(bytes, at + 2);
  return parts;
}

/** In a scan, a byte 0xff is followed by 0 or the number of a restart. */
function endOfScan(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(0xff, from); at !== -1; at = bytes.indexOf(0xff, at + 2)) {
    const next = bytes[at + 1] as number;
    if (next !== 0 && (next < 0xd0 || next > 0xd7)) return at;
  }
  throw new Error('it has no end');
}

function pngParts(bytes: Buffer): string[] {
  const parts: string[] = [];
  let at = 8;
  while (parts.at(-1) !== 'IEND') {
    parts.push(bytes.toString('latin1', at + 4, at + 8));
    at += 12 + bytes.readUInt32BE(at);
  }
  requireEnd(bytes, at);
  return parts;
}

function webpParts(bytes: Buffer): string[] {
  requireEnd(bytes, bytes.readUInt32LE(4) + 8);
  const parts: string[] = [];
  for (let at = 12; at < bytes.length; ) {
    parts.push(bytes.toString('latin1', at, at + 4));
    const size = bytes.readUInt32LE(at + 4);
    at += 8 + size + (size % 2);
  }
  return parts;
}

function gifParts(bytes: Buffer): string[] {
  const parts: string[] = [];
  const tableAt = (at: number) => ((bytes[at] as number) & 0x80 ? 3 * 2 ** (((bytes[at] as number) & 7) + 1) : 0);
  const afterBlocks = (from: number) => {
    let at = from;
    while (bytes.readUInt8(at) !== 0) at += 1 + (bytes[at] as number);
    return at + 1;
  };
  let at = 13 + tableAt(10);
  while (bytes.readUInt8(at) !== 0x3b) {
    if (bytes[at] === 0x2c) {
      parts.push('frame');
      at = afterBlocks(at + 11 + tableAt(at + 9));
    } else {
      const isApplication = bytes[at + 1] === 0xff;
      const name = isApplication ? bytes.toString('latin1', at + 3, at + 14) : `extension ${bytes[at + 1]}`;
      parts.push(bytes[at + 1] === 0xf9 ? 'graphic control' : name);
      at = afterBlocks(at + 2);
    }
  }
  requireEnd(bytes, at + 1);
  return parts;
}

function avifParts(bytes: Buffer): string[] {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const size = bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (size < 8) throw new Error(`a box ${type} of ${size} bytes`);
    parts.push(type);
    // Items with metadata are declared in the box of metadata.
    if (type === 'meta') {
      const items = bytes.toString('latin1', at, at + size);
      parts.push(...['Exif', 'mime', 'uri '].filter((item) => items.includes(item)));
    }
    at += size;
  }
  return parts;
}
