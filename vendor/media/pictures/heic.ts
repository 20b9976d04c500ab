/**
 * HEIC pictures, as iPhones take them: decoded by a process of its own, since libvips does not decode HEVC here, and within
 * a budget of time and memory.
 */
import { computeAlone, type LargeComputeTask, Problem, type TenantDatabase, tooCostly } from '@carton/runtime';
import { pictureUnreadable } from '../problems.ts';
import type { Decoded, Decoding } from './heic-decoder.ts';

/** MiB of the process without a picture. */
const ownMegabytes = 192;
/** For each pixel: decoding takes 8, and 18 with transparency and 10 bits. */
const bytesPerPixel = 24;

const task = (pixels: number, seconds: number): LargeComputeTask<Decoding, Decoded> => ({
  name: 'Decoding the picture',
  module: import.meta.resolve('@carton/media/heic-decoder'),
  milliseconds: seconds * 1000,
  megabytes: ownMegabytes + Math.ceil((pixels * bytesPerPixel) / 1024 ** 2),
});

/**
 * Decodes a HEIC picture to a PNG, upright. The caller has its turn.
 * @param pixels those that its header tells
 * @throws picture_unreadable (400), unavailable (503)
 */
export async function decodeHeic(
  db: TenantDatabase,
  files: Pick<Decoding, 'from' | 'to'>,
  { pixels, seconds, profile }: { pixels: number; seconds: number; profile: Buffer | undefined },
): Promise<void> {
  // PNG has no profiles of other colour spaces with RGB, to which the pixels are decoded.
  const isRgb = profile?.toString('latin1', 16, 20) === 'RGB ';
  const decoding = { ...files, ...(profile && isRgb && { profile: new Uint8Array(profile) }) };
  const decoded = await computeAlone(db, task(pixels, seconds), decoding).catch((error: Error) => {
    const isCostly = error instanceof Problem && error.type.code === tooCostly.code;
    throw isCostly ? pictureUnreadable(error.message) : error;
  });
  if (decoded.kind === 'refused') throw pictureUnreadable(`It is truncated, damaged or not HEVC: ${decoded.message}.`);
}
