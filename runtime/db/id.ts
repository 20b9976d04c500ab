/**
 * Identifiers: UUID version 7 (RFC 9562, section 5.7), made by the application, so that rows made later sort later.
 */
import { randomFillSync } from 'node:crypto';

let lastMilliseconds = 0;
let counter = 0;

/** Random bytes for the identifiers to come, drawn many at a time: each draw costs more than the rest of making one. */
const drawn = Buffer.alloc(4096);
/** What an identifier takes: its last eight bytes, and before them a counter to begin with. */
const taken = 10;
let next = drawn.length;

/** A new identifier; within one process each is greater than the one before. */
export function newId(): string {
  if (next + taken > drawn.length) {
    randomFillSync(drawn);
    next = 0;
  }
  const now = Date.now();
  if (now > lastMilliseconds) {
    lastMilliseconds = now;
    counter = drawn.readUInt16BE(next) & 0x07ff;
  } else if (++counter > 0x0fff) {
    // More than the counter holds in one millisecond: borrow the next one (RFC 9562, section 6.2).
    lastMilliseconds++;
    counter = 0;
  }
  drawn[next + 2] = ((drawn[next + 2] as number) & 0x3f) | 0x80;
  const random = drawn.toString('hex', next + 2, next + taken);
  next += taken;
  const time = hexOf(lastMilliseconds, 12);
  return `${time.slice(0, 8)}-${time.slice(8)}-${hexOf(0x7000 | counter, 4)}-${random.slice(0, 4)}-${random.slice(4)}`;
}

/** Less than every identifier made at that moment or later, greater than those made before. */
export function firstIdAt(moment: Date): string {
  const hex = hexOf(moment.getTime(), 12);
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

function hexOf(number: number, digits: number): string {
  return number.toString(16).padStart(digits, '0');
}
