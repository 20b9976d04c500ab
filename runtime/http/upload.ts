/**
 * Declarations of uploads: the files of a multipart/form-data body (RFC 7578), whose text fields are the route's `body`.
 * Files are streamed to a temporary folder or to the handler, never held in memory.
 */
import type { Readable } from 'node:stream';

/** The files of one field of the form. */
export interface FileDeclaration {
  /** Largest size of a file in bytes. */
  size: number;
  /** Largest number of files; defaults to 1. */
  count?: number;
  /** The form may omit it. */
  optional?: boolean;
  /** Accepted Content-Types: `image/png`; defaults to any. The client chooses this header: check the bytes as well. */
  mediaTypes?: readonly string[];
  description?: string;
  /** A valid file, for tests that know only the declaration; defaults to some bytes. */
  example?: string | Uint8Array;
}

export interface UploadDeclaration {
  files: Readonly<Record<string, FileDeclaration>>;
  /**
   * The handler gets the files as streams while they arrive, without storing them on disk. It is called when the first
   * file starts, so the fields have to precede the files.
   */
  streamed?: boolean;
  /**
   * The body is the single declared file itself, of any media type, instead of a form. There are no fields, and the name of
   * the file is empty.
   */
  raw?: true;
  /**
   * Decides about an upload before a byte of it is read, once its caller is authenticated: refuses, with the problem that
   * the handler would have, what the handler would refuse anyway. Called with what the handler gets besides the body.
   * @param announced bytes of the body; null if they are not known
   * @returns the most bytes of files that are received; null for as many as declared
   */
  admit?(input: never, announced: number | null): Promise<number | null>;
}

/** The description of a file. The client chooses name and type; the name has no path and no control characters. */
export interface FileDescription {
  /** The form field. */
  field: string;
  name: string;
  mediaType: string;
}

/** A file on disk, deleted after the response. To keep it, the handler moves or copies it. */
export interface UploadedFile extends FileDescription {
  path: string;
  /** In bytes. */
  size: number;
  /** In hexadecimal. */
  sha256: string;
}

/**
 * A file that is being received. Its content has to be read or destroyed before the next file follows. Reading it may
 * throw body_too_large (413), malformed_form (400) and request_timeout (408).
 */
export interface ArrivingFile extends FileDescription {
  content: Readable;
}

/**
 * The `files` of a handler: by field, or with `streamed` one after another. Streamed files are complete only when the
 * loop over them has ended without an error: nothing must be stored permanently before.
 */
export type FilesOf<Upload> = Upload extends { streamed: true }
  ? AsyncIterable<ArrivingFile>
  : Upload extends UploadDeclaration
    ? { [field in keyof Upload['files']]: UploadedFile[] }
    : Record<never, never>;

/** Bytes for fields, part headers and boundaries. */
export const maxBytesBesidesFiles = 1024 * 1024;
/** Largest text field in bytes. */
export const maxFieldBytes = 64 * 1024;
/** Largest number of text fields in a form. */
export const maxFields = 100;

/** The default limit for the body of an upload, in bytes. */
export function uploadLimit({ files }: UploadDeclaration): number {
  const sizes = Object.values(files).map(({ size, count = 1 }) => size * count);
  return sizes.reduce((sum, size) => sum + size, maxBytesBesidesFiles);
}
