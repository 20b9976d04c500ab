/**
 * Hostile files: each is refused with a problem that says why, or made harmless.
 */
import { randomBytes } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { createTestBox } from '@carton/runtime/testing';
import sharp from 'sharp';
import t from 'tap';
import { document, download, packages, picture, upload, video } from './helpers.ts';

const box = await createTestBox(t, {
  packages,
  tier: 'basic',
  environment: { MEDIA_PICTURE_MEGABYTES: '5', MEDIA_PICTURE_MEGAPIXELS: '10' },
});
const jpeg = await picture(400, 300).jpeg().toBuffer();
const png = await picture(400, 300).png().toBuffer();
const script = '<script>alert(1)</script>';

function crcOf(bytes: Buffer): number {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

function chunk(type: string, content: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type), content]);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(content.length);
  const crc = Buffer.alloc(4);
  crc.writeUInt32BE(crcOf(typed));
  return Buffer.concat([size, typed, crc]);
}

/** A PNG whose header has this size, whatever follows. */
function pngOf(width: number, height: number, content = deflateSync(Buffer.alloc(1000))): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', content), chunk('IEND', Buffer.alloc(0))]);
}

/** A GIF with many frames, each of another grey. */
function animation(frames: number, size: number) {
  const frame = size * size * 3;
  const pixels = Buffer.alloc(frame * frames);
  for (let at = 0; at < frames; at++) pixels.fill((at * 37) % 256, at * frame, (at + 1) * frame);
  return sharp(pixels, { raw: { width: size, height: size * frames, channels: 3, pageHeight: size } }).gif();
}

const svg = `<?xml version="1.0"?><!-- picture --><svg xmlns="http://www.w3.org/2000/svg">${script}</svg>`;
const wide = await sharp({ create: { width: 8000, height: 8000, channels: 3, background: 'white' } })
  .png()
  .toBuffer();
const bigFrames = await animation(100, 500).toBuffer();
const noisy = randomBytes(1900 * 1000 * 3);
const tooBig = await sharp(noisy, { raw: { width: 1900, height: 1000, channels: 3 } })
  .png()
  .toBuffer();

/** A JPEG whose frame header has this size, whatever follows. */
function jpegOf(width: number, height: number): Buffer {
  const bytes = Buffer.from(jpeg);
  const at = bytes.indexOf(Buffer.from([0xff, 0xc0]));
  bytes.writeUInt16BE(height, at + 5);
  bytes.writeUInt16BE(width, at + 7);
  return bytes;
}

const refused: [what: string, content: Buffer, status: number, code: string][] = [
  ['a bomb of plain pixels', wide, 413, 'picture_too_many_pixels'],
  ['a header of 4 gigapixels', pngOf(65_000, 65_000), 413, 'picture_too_many_pixels'],
  ['a header of the largest size', pngOf(0x7fffffff, 0x7fffffff), 400, 'picture_unreadable'],
  ['a JPEG header of 1.6 gigapixels', jpegOf(40_000, 40_000), 413, 'picture_too_many_pixels'],
  ['a JPEG header of the largest size', jpegOf(65_535, 65_535), 413, 'picture_too_many_pixels'],
  ['many frames', bigFrames, 413, 'picture_too_many_pixels'],
  ['a header without pixels', pngOf(100, 100), 400, 'picture_unreadable'],
  ['a picture over the size for pictures', tooBig, 413, 'body_too_large'],
  ['SVG', Buffer.from(svg), 415, 'unsupported_file_type'],
  ['SVG without a declaration', Buffer.from(`<svg onload="alert(1)"/>`), 415, 'unsupported_file_type'],
  ['SVG in UTF-16', Buffer.from(`\ufeff${svg}`, 'utf16le'), 415, 'unsupported_file_type'],
  ['HTML', Buffer.from(`<html>${script}`), 415, 'unsupported_file_type'],
  ['HTML with the first bytes of a JPEG', Buffer.from(`\xff\xd8\xff${script}`, 'latin1'), 400, 'picture_unreadable'],
  ['HTML with the first bytes of a GIF', Buffer.from(`GIF89a/*${script}*/`), 400, 'picture_unreadable'],
  ['a program', Buffer.from('\x7fELF\x02\x01\x01', 'latin1'), 415, 'unsupported_file_type'],
  ['text', Buffer.from('hello'), 415, 'unsupported_file_type'],
  ['nothing', Buffer.alloc(0), 415, 'unsupported_file_type'],
  ['TIFF', await picture(10, 10).tiff().toBuffer(), 415, 'unsupported_file_type'],
  ['a ZIP archive', Buffer.from('PK\x03\x04\x14\0\0\0', 'latin1'), 415, 'unsupported_file_type'],
];
for (const [format, whole] of [
  ['JPEG', jpeg],
  ['PNG', png],
  ['WebP', await picture(400, 300).webp().toBuffer()],
  ['GIF', await picture(400, 300).gif().toBuffer()],
  ['AVIF', await picture(400, 300).avif().toBuffer()],
] as const) {
  const half = whole.subarray(0, whole.length / 2);
  refused.push([`a truncated ${format}`, Buffer.from(half), 400, 'picture_unreadable']);
}

for (const [what, content, status, code] of refused) {
  t.test(`${what} is refused`, async (t) => {
    t.match(await upload(box, content, 'innocent.jpg'), { status, body: { code } });
    t.strictSame((await box.staff.get('/admin/media')).body.items, []);
    t.strictSame(await box.db.query('select id from media_files where tenant_id = $1'), []);
  });
}

t.test('the problem of a picture with too many pixels says how many it has and may have', async (t) => {
  for (const [content, size] of [
    [jpegOf(40_000, 40_000), '40000 × 40000 pixels, 1600.0 million'],
    [jpegOf(65_535, 65_535), '65535 × 65535 pixels, 4294.8 million'],
    [pngOf(65_000, 65_000), '65000 × 65000 pixels, 4225.0 million'],
    [wide, '8000 × 8000 pixels, 64.0 million'],
    [bigFrames, '500 × 500 pixels in 100 frames, 25.0 million'],
  ] as const) {
    const { body } = await upload(box, content, 'picture');
    t.equal(body.detail, `It has ${size}; the maximum is 10 million.`);
  }
});

t.test('a JPEG without the marker at its end is taken, and one whose data end early is not', async (t) => {
  const progressive = await picture(400, 300).jpeg({ progressive: true }).toBuffer();
  for (const [what, whole] of [
    ['baseline', jpeg],
    ['progressive', progressive],
  ] as const) {
    const cut = whole.subarray(0, -2);
    for (const [end, content] of [
      ['no marker', cut],
      ['half a marker', whole.subarray(0, -1)],
      ['zeros', Buffer.concat([cut, Buffer.alloc(100)])],
      ['a line end', Buffer.concat([cut, Buffer.from('\r\n')])],
      ['zeros behind the marker', Buffer.concat([whole, Buffer.alloc(100)])],
    ] as const) {
      const { status, body } = await upload(box, content, 'picture.jpg');
      t.match({ status, body }, { status: 201, body: { width: 400, height: 300 } }, `${what}: ${end}`);
      const stored = await download(box.visitor(), `${box.url}${body.url}`);
      t.equal((await sharp(stored.bytes, { failOn: 'warning' }).metadata()).format, 'jpeg', 'it is stored whole');
    }
    for (const part of [0.3, 0.6, 0.9]) {
      const early = Buffer.from(whole.subarray(0, whole.length * part));
      t.match(await upload(box, early, 'picture.jpg'), { status: 400, body: { code: 'picture_unreadable' } }, what);
    }
  }
});

t.test('MOV is a video, of phones and older ones, and is read in parts', async (t) => {
  const phone = video();
  phone.write('qt  ', 8, 'latin1');
  const older = ['mdat', 'moov', 'wide', 'free'].map((type) => {
    const film = video();
    film.write(type, 4, 'latin1');
    return film;
  });
  for (const mov of [phone, ...older]) {
    const { status, body } = await upload(box, mov, 'film.mov');
    t.match({ status, body }, { status: 201, body: { kind: 'video', mediaType: 'video/quicktime', width: null } });
    t.match(body.url, /\/original\.mov$/);
    const { headers, bytes } = await download(box.visitor(), `${box.url}${body.url}`);
    t.ok(bytes.equals(mov), 'as it is');
    t.equal(headers.get('content-type'), 'video/quicktime');
    t.match(headers.get('content-disposition'), /^inline; filename="film.mov"/);
    const part = await download(box.visitor(), `${box.url}${body.url}`, { range: 'bytes=4-7' });
    t.strictSame([part.status, part.bytes.toString()], [206, mov.toString('latin1', 4, 8)]);
  }
});

t.test('the problem of SVG says that it is SVG', async (t) => {
  const { body } = await upload(box, Buffer.from(svg), 'logo.svg');
  t.match(body.detail, /SVG/);
});

t.test('the name and the declared type are ignored', async (t) => {
  t.match(await upload(box, png, 'film.mp4'), { status: 201, body: { mediaType: 'image/png' } });
  t.match(await upload(box, video(), 'picture.svg'), { status: 201, body: { mediaType: 'video/mp4' } });
});

t.test('what follows a picture in its file is not stored', async (t) => {
  for (const whole of [jpeg, png]) {
    const { status, body } = await upload(box, Buffer.concat([whole, Buffer.from(script)]), 'x.html');
    t.equal(status, 201);
    const { bytes, headers } = await download(box.visitor(), `${box.url}${body.url}`);
    t.notOk(bytes.includes('script'));
    t.match(headers.get('content-type'), /^image\//);
  }
});

t.test('a document that is HTML too is saved as a document, never opened', async (t) => {
  const { body } = await upload(box, Buffer.concat([document, Buffer.from(script)]), 'page.html');
  const { headers } = await download(box.visitor(), `${box.url}${body.url}`);
  t.equal(headers.get('content-type'), 'application/pdf');
  t.equal(headers.get('x-content-type-options'), 'nosniff');
  t.match(headers.get('content-disposition'), /^attachment; filename="page.pdf"/);
  t.match(headers.get('content-security-policy'), /default-src 'none'.*sandbox$/);
});

t.test('place, device and profile are removed, and the picture is turned upright', async (t) => {
  const tagged = await picture(400, 300)
    .withExif({
      IFD0: { Make: 'SpyCam', Copyright: script },
      IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '52/1 31/1 0/1', GPSLongitudeRef: 'E', GPSLongitude: '13/1 24/1 0/1' },
    })
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer();
  t.ok((await sharp(tagged).metadata()).exif?.includes('SpyCam'), 'the test has something to remove');
  const { body } = await upload(box, tagged, 'holiday.jpg');
  t.match(body, { width: 300, height: 400 });
  const { bytes } = await download(box.visitor(), `${box.url}${body.url}`);
  const { exif, xmp, iptc, orientation, width, height } = await sharp(bytes).metadata();
  t.strictSame([exif, xmp, iptc, orientation, width, height], [undefined, undefined, undefined, undefined, 300, 400]);
  t.notOk(bytes.includes('SpyCam'));
  // The red side, left before, is at the top.
  const { data } = await sharp(bytes)
    .extract({ left: 150, top: 0, width: 1, height: 1 })
    .raw()
    .toBuffer({ resolveWithObject: true });
  t.ok((data[0] as number) > 200 && (data[2] as number) < 60, `the pixel at the top is ${[...data]}`);
});

t.test('an animation keeps its frames', async (t) => {
  const { status, body } = await upload(box, await animation(5, 200).toBuffer());
  t.equal(status, 201);
  t.match(body, { width: 200, height: 200, mediaType: 'image/gif' });
});

t.test('the box still serves after all of this', async (t) => {
  t.match(await upload(box, jpeg), { status: 201 });
});
