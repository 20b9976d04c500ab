/**
 * What libvips does not say of JPEG files, or refuses in them though browsers show them.
 */

const endMarker = Buffer.from([0xff, 0xd9]);
/** What cameras and transfers leave at the end of a file: padding, and the first half of a marker. */
const padding = new Set([0x00, 0x0a, 0x0d, 0x20, 0xff]);

/**
 * A JPEG with the marker at its end that it lacks: behind its last byte, and in place of padding. Browsers show such a file
 * whole. One whose data end early is not complete with the marker either.
 */
export function withEndMarker(bytes: Buffer): Buffer[] {
  let end = bytes.length;
  while (end > 0 && padding.has(bytes[end - 1] as number)) end -= 1;
  if (bytes.subarray(end - endMarker.length, end).equals(endMarker)) return [];
  const ends = end === bytes.length ? [end] : [bytes.length, end];
  return ends.map((each) => Buffer.concat([bytes.subarray(0, each), endMarker]));
}

/** The size in the first frame header of a JPEG (ITU-T T.81, B.2.2); zero if there is none. */
export function jpegSizeOf(bytes: Buffer): { width: number; height: number; frames: number } {
  for (let at = 2; at + 9 <= bytes.length && bytes[at] === 0xff; ) {
    const marker = bytes[at + 1] as number;
    // SOF0 to SOF15, without the markers of tables among them (DHT, JPG, DAC).
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5), frames: 1 };
    at += marker === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2);
  }
  return { width: 0, height: 0, frames: 1 };
}
