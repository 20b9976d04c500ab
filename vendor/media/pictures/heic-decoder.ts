/**
 * Decodes HEIC pictures, in a compute process: libheif in WebAssembly, with libde265 for HEVC, which libvips does not have.
 */
import { readFile } from 'node:fs/promises';
import { type Pixels, writePng } from './png.ts';

export interface Decoding {
  /** The path of the picture. */
  from: string;
  /** The path of the PNG that is written: upright, and without metadata. */
  to: string;
  /** Its colour profile (ICC), which the PNG gets. */
  profile?: Uint8Array;
}

export type Decoded =
  | { kind: 'decoded' }
  /** The picture is damaged, or encoded in a way that is not read. */
  | { kind: 'refused'; message: string };

interface Decoder {
  decoder: unknown;
  decode(bytes: Uint8Array): Picture[];
}

interface Picture {
  handle: unknown;
  is_primary(): boolean;
  has_alpha_channel(): boolean;
  is_premultiplied_alpha(): boolean;
}

/** What is used of the library: its declarations are of its functions in C. */
interface Libheif {
  HeifDecoder: new () => Decoder;
  heif_colorspace: { heif_colorspace_RGB: unknown };
  heif_chroma: { heif_chroma_interleaved_RGB: unknown; heif_chroma_interleaved_RGBA: unknown };
  /** The data of its one channel are a view of the memory of WebAssembly. */
  heif_js_decode_image2(
    handle: unknown,
    colorspace: unknown,
    chroma: unknown,
  ): { code: unknown; message: string } | { image: { $$: { ptr: number } }; channels: [Omit<Pixels, 'hasAlpha'>] };
  /** How many there are, for no space to write them to. */
  _heif_image_get_decoding_warnings(image: number, first: 0, to: 0, space: 0): number;
}

/** Decodes the primary picture. libheif applies rotation, mirroring and clipping; an orientation in EXIF is not one of HEIC. */
export default async function decodeHeic({ from, to, profile }: Decoding): Promise<Decoded> {
  // @ts-expect-error: the module has no types.
  const { default: libheif } = (await import('libheif-js/wasm-bundle.js')) as { default: Libheif };
  const pixels = pixelsOf(libheif, await readFile(from));
  if (typeof pixels === 'string') return { kind: 'refused', message: pixels };
  await writePng(to, pixels, profile);
  return { kind: 'decoded' };
}

/** The pixels of the primary picture, or why there are none. */
function pixelsOf(libheif: Libheif, bytes: Buffer): Pixels | string {
  try {
    const picture = new libheif.HeifDecoder().decode(bytes).find((each) => each.is_primary());
    if (!picture) return 'it has no primary picture';
    const { heif_colorspace_RGB: rgb } = libheif.heif_colorspace;
    const { heif_chroma_interleaved_RGB: three, heif_chroma_interleaved_RGBA: four } = libheif.heif_chroma;
    const hasAlpha = picture.has_alpha_channel();
    const decoded = libheif.heif_js_decode_image2(picture.handle, rgb, hasAlpha ? four : three);
    if (!('channels' in decoded)) return decoded.message.replace(/[.\s]+$/, '');
    // It leaves out the tiles of a grid that it cannot decode.
    if (libheif._heif_image_get_decoding_warnings(decoded.image.$$.ptr, 0, 0, 0) > 0) return 'a part of it is missing';
    const pixels = { ...decoded.channels[0], hasAlpha };
    if (hasAlpha && picture.is_premultiplied_alpha()) divideByAlpha(pixels);
    return pixels;
  } catch {
    // What WebAssembly throws, such as the number of an exception, says nothing.
    return 'the decoder fails';
  }
}

/** Colours that are stored multiplied by their opacity become those that PNG has. */
function divideByAlpha({ width, height, stride, data }: Pixels): void {
  for (let row = 0; row < height; row++) {
    for (let at = row * stride; at < row * stride + 4 * width; at += 4) {
      const alpha = data[at + 3] as number;
      if (alpha === 0 || alpha === 255) continue;
      for (let channel = at; channel < at + 3; channel++) {
        data[channel] = Math.min(255, Math.round(((data[channel] as number) * 255) / alpha));
      }
    }
  }
}
