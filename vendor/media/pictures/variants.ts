/**
 * The sized variants that a picture has. Only these can be requested, so their number, and the work and space that they
 * cost, are limited by the number of pictures.
 */
import { extensionOf, type MediaType } from '../types.ts';

/** Pixels. A picture has those that are not wider than itself. */
const widths = [160, 320, 640, 960, 1280, 1920, 2560] as const;

/** The most pixels that WebP and AVIF have in one direction. */
const maximumModern = 16_383;
/** The same for JPEG. */
const maximumJpeg = 65_535;

export interface Variant {
  /** The last part of the address. */
  name: string;
  width: number;
  height: number;
  mediaType: MediaType;
}

interface StoredPicture {
  /** In pixels; null unless it is a picture. */
  width: number | null;
  height: number | null;
  frames: number;
  /** Whether no pixel is transparent. */
  opaque: boolean;
}

/** The sized variants of a picture, from narrow to wide. */
export function variantsOf(picture: StoredPicture): Variant[] {
  const { width: fullWidth, height: fullHeight } = picture;
  if (fullWidth === null || fullHeight === null) return [];
  return widths
    .filter((width) => width <= fullWidth)
    .flatMap((width) => {
      const height = Math.max(1, Math.round((fullHeight * width) / fullWidth));
      return typesFor(picture, height).map((mediaType) => ({
        name: `${width}.${extensionOf(mediaType)}`,
        width,
        height,
        mediaType,
      }));
    });
}

/** WebP and AVIF; for pictures that are too long for these another type. AVIF has no animations here. */
function typesFor({ opaque, frames }: StoredPicture, height: number): MediaType[] {
  if (height > maximumModern) return opaque && height <= maximumJpeg ? ['image/jpeg'] : ['image/png'];
  return frames > 1 ? ['image/webp'] : ['image/webp', 'image/avif'];
}

/** The type in which a picture is stored whose own type browsers do not show: the smallest that has its size. */
export function storedTypeOf({ width, height, opaque }: { width: number; height: number; opaque: boolean }): MediaType {
  const longest = Math.max(width, height);
  if (opaque) return longest <= maximumJpeg ? 'image/jpeg' : 'image/png';
  return longest <= maximumModern ? 'image/webp' : 'image/png';
}
