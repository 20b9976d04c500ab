/**
 * Hostile files: bombs, files of two types, scripts, personal data in pictures, damaged and mislabelled files. The same
 * seed gives the same files. Whatever must not be left in a stored picture has the word `canary` in it.
 */
import { deflateSync, gzipSync } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';
import type { Random } from '../../tools/seed/random.ts';
import * as formats from './formats.ts';

export interface HostileFile {
  /** What it is, for people. */
  what: string;
  /** File name and media type as its sender claims. */
  name: string;
  claimedType: string;
  content: Buffer;
}

type Maker = (random: Random, mark: string) => Promise<Omit<HostileFile, 'what'>> | Omit<HostileFile, 'what'>;

const types = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
  'image/gif': 'gif',
  'image/avif': 'avif',
  'video/mp4': 'mp4',
  'application/pdf': 'pdf',
  'image/svg+xml': 'svg',
  'text/html': 'html',
  'application/octet-stream': 'bin',
} as const;
type ClaimedType = keyof typeof types;
const claimedTypes = Object.keys(types) as ClaimedType[];
const pictureTypes = ['jpeg', 'png', 'webp', 'gif', 'avif'] as const;

const latin = (value: string) => Buffer.from(value, 'latin1');
const claim = (type: ClaimedType, content: Buffer, base = 'picture') => ({
  name: `${base}.${types[type]}`,
  claimedType: type,
  content,
});
const scriptOf = (mark: string) => `<script>alert("${mark}")</script>`;
const svgOf = (mark: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" onload="alert('${mark}')">${scriptOf(mark)}</svg>`;
const pdfOf = (mark: string) =>
  latin(
    '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R/OpenAction 3 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>' +
      `endobj\n3 0 obj<</S/JavaScript/JS(app.alert("${mark}"))>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n`,
  );

/** A picture with noise, so that it has bytes to damage. */
function noise(random: Random, width = random.between(40, 400), height = random.between(40, 400)): Sharp {
  const pixels = Buffer.alloc(width * height * 3);
  for (let at = 0; at < pixels.length; at += 4)
    pixels.writeUInt32LE(Math.floor(random.next() * 2 ** 32), Math.min(at, pixels.length - 4));
  return sharp(pixels, { raw: { width, height, channels: 3 } });
}

/** Nothing of the picture depends on time or threads, so its bytes are the same each time. */
const encoded = (random: Random, type: (typeof pictureTypes)[number]) => {
  const picture = noise(random);
  return (type === 'avif' ? picture.avif({ effort: 0 }) : picture.toFormat(type)).toBuffer();
};

const xmpOf = (mark: string) =>
  `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">` +
  `<rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/" dc:creator="${mark}">${scriptOf(mark)}` +
  '</rdf:Description></rdf:RDF></x:xmpmeta>';

const exifOf = (mark: string) => ({
  IFD0: { Make: mark, Artist: scriptOf(mark), Copyright: `${mark}' or 1=1; --` },
  IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '52/1 31/1 0/1', GPSLongitudeRef: 'E', GPSLongitude: '13/1 24/1 0/1' },
});

/** Decoded, each is a large multiple of its size; some are within the limit of pixels, and must be decoded. */
const bombs: Maker[] = [
  (random) => claim('image/png', formats.png({ width: random.between(20_000, 65_000), height: 65_000 })),
  (random) => claim('image/gif', formats.gif(65_535, random.between(60_000, 65_535), 1)),
  () => claim('image/jpeg', Buffer.concat([formats.jpegHeader(65_000, 65_000), Buffer.alloc(3000)])),
  () => claim('image/webp', formats.webpHeader(16_383, 16_383)),
  () => claim('image/webp', formats.webpHeader(2 ** 24, 2 ** 24)),
  // All pixels are black, and there are almost as many as allowed: one bit each, or in seven passes.
  (random) => {
    const size = { width: 7000, height: random.between(6900, 7100), bits: 1 as const };
    return claim('image/png', formats.png(size, { pixels: deflateSync(Buffer.alloc(876 * size.height)) }));
  },
  (random) => {
    const size = { width: 5000, height: random.between(4900, 5100), interlaced: true };
    return claim('image/png', formats.png(size, { pixels: deflateSync(Buffer.alloc(26_000_000), { level: 1 }) }));
  },
  // The header says little, and the pixels are many.
  (random) => {
    const pixels = deflateSync(Buffer.alloc(random.between(20, 60) * 1_000_000), { level: 1 });
    return claim('image/png', formats.png({ width: 10, height: 10 }, { pixels }));
  },
  (random) => claim('image/png', gzipSync(Buffer.alloc(random.between(10, 50) * 1_000_000), { level: 1 })),
];

/** Texts and profiles that are large once they are decompressed, or many. */
const metadataBombs: Maker[] = [
  async (random, mark) => {
    const content = Buffer.concat([latin(`${mark}\0\0`), deflateSync(Buffer.alloc(60_000_000), { level: 1 })]);
    return claim('image/png', formats.withPngChunks(await encoded(random, 'png'), [formats.pngChunk('zTXt', content)]));
  },
  async (random, mark) => {
    const profile = Buffer.concat([latin(`${mark}\0\0`), deflateSync(Buffer.alloc(60_000_000), { level: 1 })]);
    return claim('image/png', formats.withPngChunks(await encoded(random, 'png'), [formats.pngChunk('iCCP', profile)]));
  },
  async (random, mark) => {
    const profile = Buffer.alloc(random.between(100, 250) * 65_000, mark);
    const picture = await encoded(random, 'jpeg');
    return claim('image/jpeg', formats.withJpegSegments(picture, formats.iccSegments(profile)));
  },
  async (random, mark) => {
    const chunk = formats.pngChunk('tEXt', latin(`Comment\0${mark}`));
    const chunks = Array<Buffer>(random.between(1000, 100_000)).fill(chunk);
    return claim('image/png', formats.withPngChunks(await encoded(random, 'png'), chunks));
  },
];

const animations: Maker[] = [
  (random) => claim('image/gif', formats.gif(8, 8, random.between(2000, 20_000))),
  (random) => claim('image/gif', formats.gif(1, 1, random.between(50_000, 150_000))),
  (random) => claim('image/gif', formats.gif(1000, 1000, random.between(51, 2000))),
  (random) => claim('image/gif', formats.gif(700, 700, random.between(60, 100))),
];

const polyglots: Maker[] = [
  // A valid GIF, 10,799 pixels wide: as a script, its header is an identifier and a comment.
  (_, mark) => {
    const picture = formats.gif(0x2a2f, 8, 1, [formats.gifComment(`*/=1;alert("${mark}");/*`)]);
    return { name: 'script.js', claimedType: 'text/javascript', content: Buffer.concat([picture, latin('*/')]) };
  },
  (_, mark) => claim('image/gif', latin(`GIF89a/*\x01\x00*/=1;alert("${mark}");`)),
  (_, mark) => claim('text/html', Buffer.concat([pdfOf(mark), latin(scriptOf(mark))]), 'page'),
  (_, mark) => claim('application/pdf', Buffer.concat([latin(`<html>${scriptOf(mark)}`), pdfOf(mark)]), 'page'),
  async (random, mark) =>
    claim('image/jpeg', Buffer.concat([await encoded(random, 'jpeg'), formats.zip(`${mark}.html`, scriptOf(mark))])),
  async (random, mark) =>
    claim('image/png', Buffer.concat([await encoded(random, 'png'), formats.zip(`${mark}.html`, scriptOf(mark))])),
  async (random, mark) => claim('text/html', Buffer.concat([await encoded(random, 'webp'), latin(scriptOf(mark))])),
  async (random, mark) => {
    const comment = formats.jpegSegment(0xfe, latin(`*/=1;alert("${mark}");/*`));
    return claim('image/jpeg', formats.withJpegSegments(await encoded(random, 'jpeg'), [comment]), 'script');
  },
  async (random, mark) => {
    const phar = formats.jpegSegment(0xfe, latin(`<?php system("${mark}"); __HALT_COMPILER(); ?>`));
    return {
      name: 'picture.php',
      claimedType: 'application/x-php',
      content: formats.withJpegSegments(await encoded(random, 'jpeg'), [phar]),
    };
  },
  (_, mark) => claim('video/mp4', Buffer.concat([formats.brandBox('isom'), latin(scriptOf(mark))]), 'film'),
];

const svgs: Maker[] = [
  (random, mark) => claim(random.pick(claimedTypes), latin(svgOf(mark)), 'logo'),
  (random, mark) => claim(random.pick(claimedTypes), latin(`\xef\xbb\xbf<?xml version="1.0"?>${svgOf(mark)}`), 'logo'),
  (random, mark) => claim(random.pick(claimedTypes), Buffer.from(`\ufeff${svgOf(mark)}`, 'utf16le'), 'logo'),
  (random, mark) => claim(random.pick(claimedTypes), gzipSync(svgOf(mark)), 'logo'),
  (random, mark) => {
    const entities = `<!DOCTYPE svg [<!ENTITY a "${mark}"><!ENTITY b "&a;&a;&a;"><!ENTITY file SYSTEM "file:///etc/passwd">]>`;
    return claim(random.pick(claimedTypes), latin(`${entities}<svg>&b;&file;</svg>`), 'logo');
  },
];

const personal: Maker[] = [
  async (random, mark) =>
    claim('image/jpeg', await noise(random).withExif(exifOf(mark)).withXmp(xmpOf(mark)).jpeg().toBuffer(), 'holiday'),
  async (random, mark) =>
    claim('image/png', await noise(random).withExif(exifOf(mark)).withXmp(xmpOf(mark)).png().toBuffer(), 'holiday'),
  async (random, mark) =>
    claim('image/webp', await noise(random).withExif(exifOf(mark)).withXmp(xmpOf(mark)).webp().toBuffer(), 'holiday'),
  async (random, mark) => {
    const picture = noise(random).withExif(exifOf(mark)).withXmp(xmpOf(mark));
    return claim('image/avif', await picture.avif({ effort: 0 }).toBuffer(), 'holiday');
  },
  (_, mark) =>
    claim('image/gif', formats.gif(20, 20, 2, [formats.gifComment(scriptOf(mark)), formats.gifXmp(xmpOf(mark))])),
  async (random, mark) => {
    const iptc = latin(
      `Photoshop 3.0\x008BIM\x04\x04\0\0\0\0\0${String.fromCharCode(mark.length + 5)}\x1c\x02\x78\0${String.fromCharCode(mark.length)}${mark}`,
    );
    const segments = [
      formats.jpegSegment(0xed, iptc),
      formats.jpegSegment(0xe4, latin(mark)),
      formats.jpegSegment(0xfe, latin(mark)),
    ];
    return claim('image/jpeg', formats.withJpegSegments(await encoded(random, 'jpeg'), segments), 'holiday');
  },
  async (random, mark) => {
    const chunks = ['iTXt', 'tEXt'].map((type) =>
      formats.pngChunk(type, latin(`XML:com.adobe.xmp\0\0\0\0\0${xmpOf(mark)}`)),
    );
    chunks.push(formats.pngChunk('prVt', latin(scriptOf(mark))));
    return claim('image/png', formats.withPngChunks(await encoded(random, 'png'), chunks), 'holiday');
  },
  async (random, mark) => {
    const picture = formats.withWebpChunks(await encoded(random, 'webp'), { 'XMP ': xmpOf(mark), priv: mark });
    return claim('image/webp', picture, 'holiday');
  },
];

/** Valid pictures, cut or changed at random places. */
const damaged: Maker[] = pictureTypes.flatMap((type): Maker[] => [
  async (random) => {
    const picture = await encoded(random, type);
    return claim(`image/${type}`, picture.subarray(0, random.between(1, picture.length - 1)));
  },
  async (random) => {
    const picture = Buffer.from(await encoded(random, type));
    for (let change = random.between(1, 20); change > 0; change--) {
      picture[random.between(0, picture.length - 1)] = random.between(0, 255);
    }
    return claim(`image/${type}`, picture);
  },
]);

const mislabelled: Maker[] = [
  () => claim('image/jpeg', Buffer.alloc(0)),
  (random) => claim(random.pick(claimedTypes), Buffer.alloc(random.between(1, 64))),
  (random, mark) => claim('image/jpeg', latin(`\xff\xd8\xff${scriptOf(mark)}`), random.pick(['a', '..', 'x.php'])),
  (_, mark) => claim('image/png', Buffer.concat([formats.pngSignature, latin(scriptOf(mark))])),
  (_, mark) => claim('image/avif', Buffer.concat([formats.brandBox('avif'), latin(scriptOf(mark))])),
  (_, mark) => claim('image/avif', Buffer.concat([formats.brandBox('heic'), latin(scriptOf(mark))])),
  (_, mark) => claim('image/png', latin(`<html>${scriptOf(mark)}</html>`)),
  (_, mark) => claim('image/png', latin(`%!PS-Adobe-3.0\n(${mark}) run`)),
  (_, mark) => claim('image/png', latin(`push graphic-context\nimage over 0,0 0,0 'https://x.example/${mark}'`)),
  async (random) => {
    const content = await encoded(random, random.pick(pictureTypes));
    return {
      ...claim(random.pick(claimedTypes), content),
      name: random.pick(['film.mp4', '../../x.svg', 'a.pdf\0.jpg', 'con']),
    };
  },
  async (random) => claim('image/jpeg', await noise(random).tiff().toBuffer()),
];

const kinds: Readonly<Record<string, readonly Maker[]>> = {
  'pixel bomb': bombs,
  'metadata bomb': metadataBombs,
  animation: animations,
  polyglot: polyglots,
  svg: svgs,
  'personal data': personal,
  damaged,
  mislabelled,
};

/** The files, of every kind in turn. Bombs are fewer, since each takes seconds. */
export async function* hostileFiles(random: Random, count: number): AsyncGenerator<HostileFile> {
  const costly = new Set([kinds['pixel bomb'], kinds['metadata bomb'], kinds.animation]);
  const made = new Map<string, number>();
  for (let round = 0, number = 0; number < count; round++) {
    for (const [kind, makers] of Object.entries(kinds)) {
      if (number === count) return;
      const at = made.get(kind) ?? 0;
      if (costly.has(makers) && round % 3 > 0 && at >= makers.length) continue;
      made.set(kind, at + 1);
      number++;
      const mark = `canary-${number}-${random.hex(8)}`;
      const file = await (makers[at % makers.length] as Maker)(random, mark);
      yield { what: `${kind} ${at + 1} (file ${number}, ${file.name})`, ...file };
    }
  }
}
