/**
 * Pictures: checks and decodes those that are uploaded, and makes sized variants, with libvips (sharp).
 *
 * The size in pixels is read from the header and limited before anything is decoded; libvips checks it again while it
 * decodes. Only the decoders of the accepted types are enabled: what claims to be another type inside is not opened.
 * Of HEIC it reads the header alone (`heic.ts`).
 */
import { readFile, rm } from 'node:fs/promises';
import { type Problem, type TenantDatabase, Turns, unavailable } from '@carton/runtime';
import type sharpFunction from 'sharp';
import type { Metadata, Sharp, SharpOptions } from 'sharp';
import { pictureTooManyPixels, pictureUnreadable } from '../problems.ts';
import { maximumMegapixels } from '../settings.ts';
import { heic, type MediaType, type UploadType } from '../types.ts';
import { decodeHeic } from './heic.ts';
import { jpegSizeOf, withEndMarker } from './jpeg.ts';
import { storedTypeOf } from './variants.ts';

/** Seconds for one picture. */
const deadline = 60;

/**
 * Two at a time, in each worker of the box, bound the memory; libvips uses threads of its own that Node.js shares with
 * file access. One is the most for a tenant, so that the pictures of another wait for one picture and not for all.
 */
const turns = new Turns({ slots: 2, waiting: 100 });

let loaded: Promise<typeof sharpFunction> | undefined;

/** Loads the library with the first picture. */
function loadSharp() {
  loaded ??= import('sharp').then(({ default: sharp }) => {
    sharp.cache(false);
    sharp.concurrency(1);
    sharp.block({ operation: ['VipsForeignLoad'] });
    sharp.unblock({ operation: decoders });
    return sharp;
  });
  return loaded;
}

const decoders = [
  'VipsForeignLoadJpeg',
  'VipsForeignLoadPng',
  'VipsForeignLoadWebp',
  'VipsForeignLoadNsgif',
  'VipsForeignLoadHeif',
];

/** The formats of libvips. */
const formats: Partial<Record<UploadType, Metadata['format']>> = {
  'image/jpeg': 'jpeg',
  'image/png': 'png',
  'image/webp': 'webp',
  'image/gif': 'gif',
  'image/avif': 'heif',
  [heic]: 'heif',
};

export interface Dimensions {
  /** Pixels. */
  width: number;
  height: number;
  frames: number;
  opaque: boolean;
}

/** A picture that can be stored. */
interface CleanPicture extends Dimensions {
  mediaType: MediaType;
}

/**
 * Decodes a picture completely and writes it to another file: upright, in sRGB, without metadata such as the place where
 * it was taken, and without anything that followed the picture in the file. HEIC becomes JPEG, or WebP where it is
 * transparent.
 * @param pixels the most pixels, over all frames
 * @throws picture_too_many_pixels (413), picture_unreadable (400), unavailable (503) while too many of the tenant wait
 */
export function cleanPicture(
  db: TenantDatabase,
  from: string,
  to: string,
  { type, pixels }: { type: UploadType; pixels: number },
): Promise<CleanPicture> {
  return turns.run(db.tenantId, busy, async () => {
    const sharp = await loadSharp();
    if (type === heic) return cleanHeic(db, sharp, from, to, pixels);
    const clean = (source: string | Buffer) => cleanWith(sharp, source, to, { type, pixels });
    try {
      return await clean(from);
    } catch (error) {
      if (type !== 'image/jpeg') throw problemOf(error as Error);
      const bytes = await readFile(from);
      if (/maximum supported image dimension/i.test((error as Error).message)) rejectSize(jpegSizeOf(bytes), pixels);
      for (const ended of withEndMarker(bytes)) {
        const picture = await clean(ended).catch(() => null);
        if (picture) return picture;
      }
      throw problemOf(error as Error);
    }
  });
}

async function cleanWith(
  sharp: typeof sharpFunction,
  source: string | Buffer,
  to: string,
  { type, mediaType = type, pixels }: { type: MediaType; mediaType?: MediaType; pixels: number },
): Promise<CleanPicture> {
  const options = { limitInputPixels: pixels, failOn: 'warning', animated: true } satisfies SharpOptions;
  // Nothing is decoded yet, so the limit is not needed: with it, the size would not be known that exceeds it.
  const header = await sharp(source, { ...options, limitInputPixels: false }).metadata();
  rejectHeader(header, type, pixels);
  const frames = header.pages ?? 1;
  const picture = sharp(source, options).timeout({ seconds: deadline });
  const upright = frames === 1 ? picture.autoOrient() : picture;
  const written = await encode(upright, mediaType).toFile(to);
  const { isOpaque } = header.hasAlpha ? await sharp(to, options).stats() : { isOpaque: true };
  const { width, pageHeight: height = written.height } = written;
  return { width, height, frames, opaque: isOpaque, mediaType };
}

/** HEIC is decoded to a PNG, and that is stored as another type. */
async function cleanHeic(
  db: TenantDatabase,
  sharp: typeof sharpFunction,
  from: string,
  to: string,
  pixels: number,
): Promise<CleanPicture> {
  const decoded = `${to}.png`;
  try {
    // Of the primary picture alone.
    const header = await sharp(from, { limitInputPixels: false }).metadata().catch(throwProblem);
    rejectHeader({ ...header, pages: 1 }, heic, pixels);
    const { width, height, hasAlpha, icc: profile } = header;
    await decodeHeic(db, { from, to: decoded }, { pixels: width * height, seconds: deadline, profile });
    const opaque = !hasAlpha || (await sharp(decoded, { limitInputPixels: pixels }).stats()).isOpaque;
    const mediaType = storedTypeOf({ width, height, opaque });
    return await cleanWith(sharp, decoded, to, { type: 'image/png', mediaType, pixels }).catch(throwProblem);
  } finally {
    await rm(decoded, { force: true });
  }
}

/**
 * Makes a sized variant of a stored picture.
 * @throws unavailable (503) while too many of the tenant wait
 */
export function resizePicture(
  db: Pick<TenantDatabase, 'tenantId'>,
  picture: () => Promise<Buffer>,
  to: string,
  { width, height, mediaType }: { width: number; height: number; mediaType: MediaType },
): Promise<void> {
  return turns.run(db.tenantId, busy, async () => {
    const sharp = await loadSharp();
    const animated = mediaType === 'image/webp';
    // Pictures that were accepted under a higher limit stay readable: this is the highest that can be set.
    const options = { limitInputPixels: maximumMegapixels * 1_000_000, animated } satisfies SharpOptions;
    const sized = sharp(await picture(), options)
      .timeout({ seconds: deadline })
      .resize(width, height, { fit: 'fill' });
    await encodeVariant(sized, mediaType).toFile(to);
  });
}

function encodeVariant(picture: Sharp, type: MediaType): Sharp {
  switch (type) {
    case 'image/webp':
      return picture.webp({ quality: 80 });
    case 'image/avif':
      return picture.avif({ quality: 55, effort: 2 });
    case 'image/png':
      return picture.png();
    default:
      return picture.jpeg({ quality: 82, mozjpeg: true });
  }
}

/** @throws picture_too_many_pixels (413), picture_unreadable (400) */
function rejectHeader(
  { format, width, height, pageHeight, pages = 1 }: Metadata,
  type: UploadType,
  limit: number,
): void {
  if (format !== formats[type]) throw pictureUnreadable(`Its header is not that of ${type}.`);
  rejectSize({ width, height: pageHeight ?? height, frames: pages }, limit);
}

/** @throws picture_too_many_pixels (413) */
function rejectSize({ width, height, frames }: Pick<Dimensions, 'width' | 'height' | 'frames'>, limit: number): void {
  const pixels = width * height * frames;
  if (pixels <= limit) return;
  const size = `${width} × ${height} pixels${frames === 1 ? '' : ` in ${frames} frames`}`;
  throw pictureTooManyPixels(
    `It has ${size}, ${(pixels / 1_000_000).toFixed(1)} million; the maximum is ${limit / 1_000_000} million.`,
  );
}

function encode(picture: Sharp, type: MediaType): Sharp {
  switch (type) {
    case 'image/jpeg':
      return picture.jpeg({ quality: 92 });
    case 'image/png':
      return picture.png();
    case 'image/webp':
      return picture.webp({ quality: 92 });
    case 'image/gif':
      return picture.gif();
    default:
      return picture.avif({ quality: 75, effort: 2 });
  }
}

function throwProblem(error: Error): never {
  throw problemOf(error);
}

function problemOf(error: Error): Error {
  if ('type' in error) return error;
  if (/pixel limit/i.test(error.message)) return pictureTooManyPixels('Its header does not tell its size.');
  if (/unsupported image format/i.test(error.message)) return pictureUnreadable('Its header is not that of a picture.');
  if (/timeout/i.test(error.message)) return pictureUnreadable(`Decoding takes longer than ${deadline} s.`);
  return pictureUnreadable('It is truncated or damaged.');
}

function busy(): Problem {
  return unavailable('Too many pictures of this store wait to be decoded.', { headers: { 'Retry-After': '10' } });
}
