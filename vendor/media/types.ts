/**
 * The types of files that are accepted, told from their bytes. The name and the declared type of an upload are claims of
 * its sender and are ignored.
 */
import { open } from 'node:fs/promises';
import { unsupportedFileType } from '@carton/runtime';
import type { FileTypeResult } from 'file-type';

export const kinds = ['picture', 'video', 'document'] as const;
export type Kind = (typeof kinds)[number];

interface FileType {
  kind: Kind;
  extension: string;
}

const types = {
  'image/jpeg': { kind: 'picture', extension: 'jpg' },
  'image/png': { kind: 'picture', extension: 'png' },
  'image/webp': { kind: 'picture', extension: 'webp' },
  'image/gif': { kind: 'picture', extension: 'gif' },
  'image/avif': { kind: 'picture', extension: 'avif' },
  'video/mp4': { kind: 'video', extension: 'mp4' },
  'video/quicktime': { kind: 'video', extension: 'mov' },
  'video/webm': { kind: 'video', extension: 'webm' },
  'application/pdf': { kind: 'document', extension: 'pdf' },
} as const satisfies Record<string, FileType>;

export type MediaType = keyof typeof types;
/** A picture in HEIC is stored as another type, since most browsers do not show it. */
export const heic = 'image/heic';
export type UploadType = MediaType | typeof heic;
type PictureType = {
  [Type in MediaType]: (typeof types)[Type]['kind'] extends 'picture' ? Type : never;
}[MediaType];
export const mediaTypes = Object.keys(types) as [MediaType, ...MediaType[]];

export function kindOf(type: MediaType): Kind {
  return types[type].kind;
}

export function isPicture(type: UploadType): type is PictureType | typeof heic {
  return type === heic || kindOf(type) === 'picture';
}

export function extensionOf(type: MediaType): string {
  return types[type].extension;
}

const accepted =
  'Accepted are JPEG, PNG, WebP, GIF, AVIF and HEIC pictures, MP4, MOV and WebM videos, and PDF documents.';

/** The brands of files with pictures in HEIF (ISO/IEC 23008-12) that are encoded in HEVC. */
const heicBrands: ReadonlySet<string> = new Set([
  ...['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'hevm', 'hevs'],
  ...['MiHA', 'MiHB', 'MiHE', 'MiPr'],
]);
/** Those that leave open what encodes a picture: it is AV1 if the file has the brand of AVIF, too. */
const openBrands: ReadonlySet<string> = new Set(['mif1', 'mif2', 'msf1', 'miaf']);

/**
 * Tells the type of a file from its bytes.
 * @throws unsupported_file_type (415)
 */
export async function detectType(path: string): Promise<UploadType> {
  const start = await startOf(path);
  const heif = heifTypeOf(start);
  if (heif) return heif;
  const found = await readType(path);
  if (found && Object.hasOwn(types, found.mime)) return found.mime as MediaType;
  if (looksLikeSvg(start)) {
    throw unsupportedFileType(`The file is an SVG document, which can contain scripts. ${accepted}`);
  }
  throw unsupportedFileType(
    found ? `The content of the file is ${found.mime}. ${accepted}` : `The content of the file is unknown. ${accepted}`,
  );
}

/**
 * The type of a picture in HEIF; null for other files. file-type knows few of its brands: it takes other pictures for
 * videos, which are stored with the place and whatever else is in them.
 */
function heifTypeOf(start: string): UploadType | null {
  if (!start.startsWith('ftyp', 4)) return null;
  const brand = start.slice(8, 12);
  if (heicBrands.has(brand)) return heic;
  if (!openBrands.has(brand)) return null;
  const end = Buffer.from(start.slice(0, 4), 'latin1').readUInt32BE();
  const compatible: readonly string[] = start.slice(16, end).match(/.{4}/gs) ?? [];
  return compatible.includes('avif') ? 'image/avif' : heic;
}

/** As `fileTypeFromFile` of file-type, which imports its reader in a way that cannot be bundled. */
async function readType(path: string): Promise<FileTypeResult | undefined> {
  const [{ fileTypeFromTokenizer }, { fromFile }] = await Promise.all([import('file-type'), import('strtok3')]);
  const tokenizer = await fromFile(path);
  try {
    return await fileTypeFromTokenizer(tokenizer);
  } finally {
    await tokenizer.close();
  }
}

/** For a clearer message only: a file that is no accepted type is rejected whatever it is. */
function looksLikeSvg(start: string): boolean {
  return /<svg[\s>]/i.test(start.replaceAll('\0', ''));
}

/** The first bytes of a file, as a character each. */
async function startOf(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4096), 0, 4096, 0);
    return buffer.toString('latin1', 0, bytesRead);
  } finally {
    await file.close();
  }
}
