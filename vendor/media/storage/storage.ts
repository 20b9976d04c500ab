/**
 * Where media files are stored. Files are named by the box and never change: a name is written once.
 */
import type { ByteRange, Chunks } from '@carton/runtime';

export interface MediaStorage {
  /** Stores a copy of a local file, durably. */
  put(key: string, path: string, mediaType: string): Promise<void>;
  /**
   * Reads a file, or a part of it.
   * @param size of the file, if it is known
   * @throws MissingFile
   */
  read(key: string, range?: ByteRange, size?: number): Chunks;
  /** Deletes a file; one that does not exist is deleted already. */
  remove(key: string): Promise<void>;
  /** Deletes files whose names begin with a folder; true if there are more. */
  removeFolder(folder: string): Promise<boolean>;
  /**
   * An address to which a client may send a file of this size, by PUT. Without it, clients send files to the box.
   * @param seconds for which it is valid
   */
  signUpload?(key: string, size: number, seconds: number): Promise<string>;
}

/** The storage has no file with the name. */
export class MissingFile extends Error {}

/** A bucket of Amazon S3 or a compatible service. */
export interface S3Settings {
  bucket: string;
  region: string;
  /** Null for Amazon's. */
  endpoint: string | null;
  /** Null to use the credentials of the machine, as Amazon's tools do. */
  credentials: { accessKeyId: string; secretAccessKey: string } | null;
}
