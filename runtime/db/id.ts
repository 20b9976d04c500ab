/**
 * Identifiers: UUID version 7 (RFC 9562, section 5.7), made by the application, so that rows made later sort later.
 */
import { randomBytes } from 'node:crypto';

let lastMilliseconds = 0;
let counter = 0;

/** A new identifier; within one process each is greater than the one before. */
export function newId(): string {
  const now = Date.now();
  if (now > lastMilliseconds) {
    lastMilliseconds = now;
    counter = randomBytes(2).readUInt16BE() & 0x07ff;
  } else if (++counter > 0x0fff) {
    // More than the counter holds in one millisecond: borrow the next one (RFC 9562, section 6.2).
    lastMilliseconds++;
    counter = 0;
  }
  const bytes = randomBytes(16);
  bytes.writeUIntBE(lastMilliseconds, 0, 6);
  bytes.writeUInt16BE(0x7000 | counter, 6);
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Less than every identifier made at that moment or later, greater than those made before. */
export function firstIdAt(moment: Date): string {
  const hex = moment.getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}
