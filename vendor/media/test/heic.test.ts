/**
 * HEIC pictures, as phones take them: how they are stored, and which are refused.
 */
import { createTestBox } from '@carton/runtime/testing';
import sharp from 'sharp';
import t, { type Test } from 'tap';
import { box as boxOf, codedItem, exif, fixture, grid, heif, mirroring, phonePicture, rotation, size } from './heif.ts';
import { download, packages, picture, upload } from './helpers.ts';

const box = await createTestBox(t, {
  packages,
  tier: 'basic',
  environment: { MEDIA_PICTURE_MEGAPIXELS: '10' },
});

type Colour = 'red' | 'green' | 'blue' | 'white' | 'other';

/** A colour of the fixtures, about. */
function colourOf([red = 0, green = 0, blue = 0]: Uint8Array): Colour {
  const isNear = (...wanted: number[]) =>
    wanted.every((value, at) => Math.abs(value - ([red, green, blue][at] ?? 0)) < 45);
  if (isNear(220, 30, 30)) return 'red';
  if (isNear(30, 180, 30)) return 'green';
  if (isNear(30, 30, 220)) return 'blue';
  return isNear(240, 240, 240) ? 'white' : 'other';
}

/** The colours in the corners, by rows. */
async function cornersOf(bytes: Buffer): Promise<Colour[]> {
  const { data, info } = await sharp(bytes).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const at = (x: number, y: number) => {
    const offset = (y * info.width + x) * info.channels;
    return colourOf(data.subarray(offset, offset + 3));
  };
  const [right, bottom] = [info.width - 6, info.height - 6];
  return [at(5, 5), at(right, 5), at(5, bottom), at(right, bottom)];
}

/** The pixel near the first corner. */
const pixelOf = (bytes: Buffer) => sharp(bytes).extract({ left: 9, top: 9, width: 1, height: 1 }).raw().toBuffer();

async function uploaded(t: Test, content: Buffer) {
  const { status, body } = await upload(box, content, 'IMG_0001.HEIC');
  t.equal(status, 201, body.detail);
  const { bytes, headers } = await download(box.visitor(), `${box.url}${body.url}`);
  t.equal(headers.get('content-type'), body.mediaType);
  return { body, bytes };
}

t.test('a HEIC picture is stored as JPEG, with the variants of any picture', async (t) => {
  const { body, bytes } = await uploaded(t, await fixture('phone'));
  t.match(body, { kind: 'picture', mediaType: 'image/jpeg', fileName: 'IMG_0001.HEIC', width: 400, height: 300 });
  t.match(body.url, /\/original\.jpg$/);
  t.match(await sharp(bytes).metadata(), { format: 'jpeg', width: 400, height: 300 });
  t.strictSame(await cornersOf(bytes), ['red', 'green', 'blue', 'white']);
  const names = body.variants.map(({ url }: { url: string }) => url.replace(`/media/${body.id}/`, ''));
  t.strictSame(names, ['160.webp', '160.avif', '320.webp', '320.avif']);
  for (const { url, mediaType, width, height } of body.variants) {
    const variant = await download(box.visitor(), `${box.url}${url}`);
    t.equal(variant.headers.get('content-type'), mediaType);
    t.match(await sharp(variant.bytes).metadata(), { width, height });
    t.strictSame(await cornersOf(variant.bytes), ['red', 'green', 'blue', 'white'], url);
  }
});

t.test('place and device are removed, and colours are converted from the profile', async (t) => {
  const content = await fixture('phone');
  const tagged = await sharp(content).metadata();
  t.ok(tagged.exif?.includes('SpyCam') && tagged.icc, 'the test has something to remove');
  const { bytes } = await uploaded(t, content);
  const { exif, xmp, iptc, icc, orientation } = await sharp(bytes).metadata();
  t.strictSame([exif, xmp, iptc, icc, orientation], [undefined, undefined, undefined, undefined, undefined]);
  t.notOk(bytes.includes('SpyCam'));
  // The same red has other numbers in Display P3: 203, 54, 45.
  const [red = 0, green = 0] = await pixelOf(bytes);
  t.ok(Math.abs(red - 220) < 8 && Math.abs(green - 30) < 8, `it is ${red}, ${green}`);
});

t.test('the turns of the container are applied once, those of Exif are not', async (t) => {
  const cases: [what: string, transformations: Buffer[], size: number[], corners: Colour[]][] = [
    ['none', [], [1000, 700], ['red', 'green', 'blue', 'white']],
    ['a quarter', [rotation(1)], [700, 1000], ['green', 'white', 'red', 'blue']],
    ['a half', [rotation(2)], [1000, 700], ['white', 'blue', 'green', 'red']],
    ['three quarters', [rotation(3)], [700, 1000], ['blue', 'red', 'white', 'green']],
    ['upside down', [mirroring('vertical')], [1000, 700], ['blue', 'white', 'red', 'green']],
    ['left to right', [mirroring('horizontal')], [1000, 700], ['green', 'red', 'white', 'blue']],
    ['both', [rotation(1), mirroring('horizontal')], [700, 1000], ['white', 'green', 'blue', 'red']],
  ];
  for (const [what, transformations, [width, height], corners] of cases) {
    const { body, bytes } = await uploaded(t, await phonePicture([1000, 700], transformations, 6));
    t.match(body, { width, height, mediaType: 'image/jpeg' }, what);
    t.strictSame(await cornersOf(bytes), corners, what);
  }
});

t.test('transparent pictures are WebP, others JPEG', async (t) => {
  const clear = await uploaded(t, await fixture('clear'));
  t.match(clear.body, { mediaType: 'image/webp', width: 400, height: 300 });
  t.match(await sharp(clear.bytes).metadata(), { format: 'webp', hasAlpha: true });
  t.strictSame(await cornersOf(clear.bytes), ['red', 'green', 'blue', 'white']);
  const opaque = await uploaded(t, await fixture('opaque'));
  t.match(opaque.body, { mediaType: 'image/jpeg' });
  t.strictSame(await cornersOf(opaque.bytes), ['red', 'green', 'blue', 'white']);
  // Half the colour is the whole colour at half the opacity.
  const { bytes } = await uploaded(t, await fixture('premultiplied'));
  const [red = 0, green = 0] = await pixelOf(bytes);
  t.ok(red > 250 && Math.abs(green - 60) < 12, `it is ${red}, ${green}`);
});

t.test('10 bits become 8', async (t) => {
  t.equal((await sharp(await fixture('deep')).metadata()).bitsPerSample, 10);
  const { bytes } = await uploaded(t, await fixture('deep'));
  t.strictSame(await cornersOf(bytes), ['red', 'green', 'blue', 'white']);
});

t.test('the primary picture of several is stored', async (t) => {
  const items = await Promise.all(
    (['red', 'blue', 'green'] as const).map(async (name) => {
      const { properties = [], ...item } = codedItem(await fixture(name));
      return { ...item, properties: [...properties, size(512, 512)] };
    }),
  );
  const { body, bytes } = await uploaded(t, heif(items, { primary: 2 }));
  t.match(body, { width: 512, height: 512 });
  t.strictSame(await cornersOf(bytes), ['blue', 'blue', 'blue', 'blue']);
});

t.test('what encodes a picture says what it is, not the brand of its container', async (t) => {
  for (const brand of ['heic', 'heix', 'heim', 'hevc', 'mif1', 'msf1']) {
    const content = Buffer.from(await fixture('phone'));
    content.write(brand, 8, 'latin1');
    const { body } = await uploaded(t, content);
    t.match(body, { kind: 'picture', mediaType: 'image/jpeg' }, brand);
  }
  const avif = await picture(200, 100).avif().toBuffer();
  avif.write('mif1', 8, 'latin1');
  const { body, bytes } = await uploaded(t, avif);
  t.match(body, { mediaType: 'image/avif', width: 200, height: 100 });
  t.match(await sharp(bytes).metadata(), { format: 'heif', compression: 'av1' });
});

const red = codedItem(await fixture('red'));
const withSize = (width: number, height: number) => ({
  ...red,
  properties: [...(red.properties ?? []), size(width, height)],
});
const huge = codedItem(await fixture('huge'));

t.test('a picture with too many pixels is refused by its header, which says how many it may have', async (t) => {
  for (const [content, detail] of [
    [heif([withSize(4000, 3000)]), '4000 × 3000 pixels, 12.0 million'],
    [heif([withSize(65_535, 65_535)]), '65535 × 65535 pixels, 4294.8 million'],
    [await phonePicture([8064, 6048], [rotation(3)]), '6048 × 8064 pixels, 48.8 million'],
  ] as const) {
    t.match(await upload(box, content, 'IMG_0001.HEIC'), {
      status: 413,
      body: { code: 'picture_too_many_pixels', detail: `It has ${detail}; the maximum is 10 million.` },
    });
  }
});

const phone = await fixture('phone');
const grids = await phonePicture([1000, 700]);
const lastTile = codedItem(await fixture('white')).data.length;
const script = Buffer.from('<script>alert(1)</script>');
const brandBox = (brand: string) => boxOf('ftyp', Buffer.from(`${brand}\0\0\0\0mif1${brand}`, 'latin1'));
const refused: [what: string, content: Buffer][] = [
  ...[0.05, 0.3, 0.6, 0.9].map((part): [string, Buffer] => [
    `${100 * part} % of a picture`,
    phone.subarray(0, phone.length * part),
  ]),
  ...[1, 100, 300].map((bytes): [string, Buffer] => [
    `a grid without its last ${bytes} bytes`,
    grids.subarray(0, -bytes),
  ]),
  ['a grid with a tile of zeros', Buffer.concat([grids.subarray(0, -lastTile), Buffer.alloc(lastTile)])],
  ['zeros in place of the picture', heif([{ ...withSize(512, 512), data: Buffer.alloc(500) }])],
  [
    'a picture that is much larger than its header says',
    heif([{ ...huge, properties: [...(huge.properties ?? []), size(16, 16)] }]),
  ],
  ['a picture that is smaller than its header says', heif([withSize(3000, 3000)])],
  ['a header of no pixels', heif([withSize(0, 10)])],
  ['a header of the most pixels', heif([withSize(0xffffffff, 0xffffffff)])],
  ['a picture without a size', heif([red])],
  ['a picture without parameters of its decoder', heif([{ ...red, properties: [size(512, 512)] }])],
  ['a grid of itself', heif([grid(1, 1, [512, 512], [1])])],
  ['a grid without tiles', heif([grid(2, 2, [1000, 700], []), withSize(512, 512)])],
  ['a grid of more tiles than there are', heif([grid(256, 256, [1000, 700], [2]), withSize(512, 512)])],
  ['a grid of one tile many times', heif([grid(6, 6, [3072, 3072], Array(36).fill(2)), withSize(512, 512)])],
  ['Exif in place of a picture', heif([exif(1, 1)])],
  ['a primary picture that is missing', heif([withSize(512, 512)], { primary: 9 })],
  ['brands and a script', Buffer.concat([brandBox('heic'), script])],
  ...['heic', 'hevc', 'msf1', 'miaf', 'MiHB', 'heis'].map((brand): [string, Buffer] => [
    `a film with the brand ${brand}`,
    Buffer.concat([brandBox(brand), boxOf('mdat', Buffer.alloc(1000)), boxOf('moov', script)]),
  ]),
];

for (const [what, content] of refused) {
  t.test(`${what} is refused`, async (t) => {
    const { status, body } = await upload(box, content, 'IMG_0001.HEIC');
    t.match({ status, body }, { status: 400, body: { code: 'picture_unreadable', detail: String } });
    t.comment(body.detail);
    t.strictSame(await box.db.query(`select id from media_files where tenant_id = $1 and asset_id is null`), []);
  });
}
