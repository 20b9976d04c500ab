// Where the registry keeps what it publishes: packuments, tarballs and provenance, each under a key, such as
// `packages/@carton/cart/package.json`. Keys are paths of files below a folder, and names of objects in a bucket.

import type { Readable } from 'node:stream';

/** The first and the last byte of a part of a file, counted from 0. */
export type ByteRange = { first: number; last: number };

export type Stored = {
  content: Buffer;
  /** Differs whenever the content has been replaced. */
  tag: string;
};

/** The answer of a read that has named the current tag. */
export const unchanged = Symbol('unchanged');

/** When a write takes place: if the content has this tag, if there is none, or always. */
export type WriteCondition = { tag: string } | 'new' | 'always';

/** A file that has been opened to be read. */
export type StoredFile = {
  /** Bytes. */
  size: number;
  /** Resolves when the storage has begun to send the bytes. */
  read(range: ByteRange): Promise<Readable>;
  close(): Promise<void>;
};

/** All functions throw Refusal (503) while the storage cannot be reached. */
export type Storage = {
  /** Reads a whole object. @param knownTag with which `unchanged` is returned in place of the content */
  read(key: string, knownTag?: string): Promise<Stored | typeof unchanged | undefined>;
  /**
   * Writes an object, durably and at once: readers see the former content or the new.
   * Returns the new tag, or undefined if the condition is not met.
   */
  write(key: string, content: Buffer, condition: WriteCondition): Promise<string | undefined>;
  /** Opens an object that is read in parts; undefined if there is none. */
  open(key: string): Promise<StoredFile | undefined>;
  /** Removes an object; one that does not exist is removed already. */
  remove(key: string): Promise<void>;
  /** All keys that begin with `prefix`, which ends with a slash. */
  list(prefix: string): AsyncIterable<string>;
  close(): Promise<void>;
};
