/**
 * Uploads as a route declares them: the files of a multipart/form-data body (RFC 7578) beside its text fields, which
 * are the route's `body`. Files are streamed, to a temporary folder or to the handler, and never held whole in memory.
 */
import type { Readable } from 'node:stream';

/** The files that one field of the form may carry. */
export interface FileDeclaration {
  /** Largest size of a file in bytes. */
  size: number;
  /** Most files under this name; 1 unless told. */
  count?: number;
  /** A form without it is taken. */
  optional?: boolean;
  /** The Content-Types that are taken: `image/png`; any unless told. It is what the sender says: look at the bytes too. */
  mediaTypes?: readonly string[];
  description?: string;
  /** A file that the route takes, for tests that know of it only what is declared; some bytes unless given. */
  example?: string | Uint8Array;
}

export interface UploadDeclaration {
  files: Readonly<Record<string, FileDeclaration>>;
  /**
   * The handler is given the files as they arrive, with nothing of them on the disk: it is called as soon as the first
   * file begins, so the fields have to stand before the files.
   */
  streamed?: boolean;
}

/** What is said of a file. The name and type are the sender's own words; the name has no path and no control characters. */
export interface FileDescription {
  /** The field it came under. */
  field: string;
  name: string;
  mediaType: string;
}

/** A file on the disk, there until the request has been answered. A handler that wants to keep it moves or copies it. */
export interface UploadedFile extends FileDescription {
  path: string;
  /** In bytes. */
  size: number;
  /** In hexadecimal. */
  sha256: string;
}

/**
 * A file that is arriving. Its content has to be read, or destroyed, before the next one comes; reading it throws what
 * the route refuses: body_too_large (413), malformed_form (400), request_timeout (408).
 */
export interface ArrivingFile extends FileDescription {
  content: Readable;
}

/**
 * What a handler is given as `files`: by name, or with `onward` one after another. Those that are `onward` have all
 * arrived only when the loop over them has ended without an error: nothing is to be kept before.
 */
export type FilesOf<Upload> = Upload extends { streamed: true }
  ? AsyncIterable<ArrivingFile>
  : Upload extends UploadDeclaration
    ? { [field in keyof Upload['files']]: UploadedFile[] }
    : Record<never, never>;

/** Bytes of the fields and of what stands around the parts. */
const besidesFiles = 1024 * 1024;
/** Bytes of one text field. */
export const maxFieldBytes = 64 * 1024;
/** Text fields of one form. */
export const maxFields = 100;

/** Largest body of an upload in bytes, unless its route tells another. */
export function uploadLimit({ files }: UploadDeclaration): number {
  const sizes = Object.values(files).map(({ size, count = 1 }) => size * count);
  return sizes.reduce((sum, size) => sum + size, besidesFiles);
}
