/**
 * Writes files in HEIF box by box (ISO/IEC 23008-12), from pictures that were encoded before: as phones write them, and as
 * nobody should.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** One of the pictures in `heic/`. */
export const fixture = (name: string): Promise<Buffer> => readFile(join(import.meta.dirname, 'heic', `${name}.heic`));

const big16 = (...values: number[]) => Buffer.from(values.flatMap((value) => [value >> 8, value & 0xff]));
function big32(...values: number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [at, value] of values.entries()) bytes.writeUInt32BE(value, 4 * at);
  return bytes;
}
const text = (value: string) => Buffer.from(value, 'latin1');

export function box(type: string, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([big32(body.length + 8), text(type), body]);
}
const fullBox = (type: string, version: number, ...content: Buffer[]) => flaggedBox(type, version, 0, ...content);
const flaggedBox = (type: string, version: number, flags: number, ...content: Buffer[]) =>
  box(type, Buffer.from([version, 0, 0, flags]), ...content);

export const size = (width: number, height: number) => fullBox('ispe', 0, big32(width, height));
/** Quarter turns against the clock. */
export const rotation = (quarters: number) => box('irot', Buffer.from([quarters]));
/** Upside down, or left to right. */
export const mirroring = (axis: 'vertical' | 'horizontal') => box('imir', Buffer.from([axis === 'vertical' ? 0 : 1]));

export interface Item {
  type: string;
  data: Buffer;
  properties?: Buffer[];
  /** Numbers of items, from 1, by the type of the reference. */
  references?: Record<string, number[]>;
  /** Whether it is not a picture by itself. */
  isHidden?: boolean;
}

/** The bytes of a box in a file, from its size to its end. */
function boxIn(file: Buffer, type: string): Buffer {
  const at = file.indexOf(type, 0, 'latin1') - 4;
  return file.subarray(at, at + file.readUInt32BE(at));
}

/** What encodes the only picture of a file that heif-enc has written: an item without its size. */
export function codedItem(file: Buffer): Item {
  const data = boxIn(file, 'mdat').subarray(8);
  return { type: 'hvc1', data, properties: [boxIn(file, 'hvcC')] };
}

/** An item that joins others, in rows (ISO/IEC 23008-12, 6.6.2.3). */
export function grid(columns: number, rows: number, [width, height]: [number, number], tiles: number[]): Item {
  const data = Buffer.concat([Buffer.from([0, 1, rows - 1, columns - 1]), big32(width, height)]);
  return { type: 'grid', data, properties: [size(width, height)], references: { dimg: tiles } };
}

/** Exif data with an orientation, that describe an item. */
export function exif(orientation: number, item: number): Item {
  const entry = Buffer.concat([big16(1), big16(0x0112, 3), big32(1), big16(orientation, 0), big32(0)]);
  return {
    type: 'Exif',
    data: Buffer.concat([big32(0), text('MM\0*'), big32(8), entry]),
    references: { cdsc: [item] },
  };
}

/** A file with these items, of which one is the primary. */
export function heif(items: Item[], { primary = 1, brand = 'heic' } = {}): Buffer {
  const properties = items.flatMap(({ properties = [] }) => properties);
  const associations = items.map(({ properties: own = [] }, index) => {
    const numbers = own.map((property) => 0x80 | (properties.indexOf(property) + 1));
    return Buffer.concat([big16(index + 1), Buffer.from([numbers.length, ...numbers])]);
  });
  const references = items.flatMap(({ references = {} }, index) =>
    Object.entries(references).map(([type, to]) => box(type, big16(index + 1, to.length, ...to))),
  );
  const infos = items.map(({ type, isHidden }, index) =>
    flaggedBox('infe', 2, isHidden ? 1 : 0, big16(index + 1, 0), text(`${type}\0`)),
  );
  const start = box('ftyp', text(brand), big32(0), text(`mif1${brand}`));
  const metaOf = (first: number) => {
    let offset = first;
    const locations = items.map(({ data }, index) => {
      const location = Buffer.concat([big16(index + 1, 0, 1), big32(offset, data.length)]);
      offset += data.length;
      return location;
    });
    return fullBox(
      'meta',
      0,
      fullBox('hdlr', 0, big32(0), text('pict'), Buffer.alloc(13)),
      fullBox('pitm', 0, big16(primary)),
      fullBox('iloc', 0, Buffer.from([0x44, 0]), big16(items.length), ...locations),
      fullBox('iinf', 0, big16(items.length), ...infos),
      ...(references.length > 0 ? [fullBox('iref', 0, ...references)] : []),
      box('iprp', box('ipco', ...properties), fullBox('ipma', 0, big32(items.length), ...associations)),
    );
  };
  const first = start.length + metaOf(0).length + 8;
  return Buffer.concat([start, metaOf(first), box('mdat', ...items.map(({ data }) => data))]);
}

/** A picture as phones write it: a grid of tiles of 512 pixels, red, green, blue and white, of which a part is shown. */
export async function phonePicture(
  [width, height]: [number, number],
  transformations: Buffer[] = [],
  orientation = 1,
): Promise<Buffer> {
  const files = await Promise.all(['red', 'green', 'blue', 'white'].map(fixture));
  const tiles = files.map((file) => {
    const { properties = [], ...tile } = codedItem(file);
    return { ...tile, isHidden: true, properties: [...properties, size(512, 512)] };
  });
  const { properties = [], ...joined } = grid(2, 2, [width, height], [3, 4, 5, 6]);
  return heif([{ ...joined, properties: [...properties, ...transformations] }, exif(orientation, 1), ...tiles]);
}
