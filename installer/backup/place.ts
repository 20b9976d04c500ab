/**
 * What a place of backups is: a folder of this machine, or a bucket of an S3-compatible service. Whatever it is, a backup has
 * its name there only once it is complete.
 */

/** A backup that was verified after it was written. */
export interface CatalogueEntry {
  /** Name in the folder or bucket. */
  file: string;
  /** Id of the release, when it was taken (ISO 8601), its size, and its SHA-256. */
  release: string;
  time: string;
  bytes: number;
  digest: string;
  encrypted: boolean;
  /** The first segment of the WAL that a recovery to a later time needs; absent for a dump or a stopped database. */
  segment?: string | undefined;
  /** The installation it is of. */
  installation: string | undefined;
  /** When it was last restored aside by `doctor --backup` (ISO 8601). */
  restored?: string;
}

export interface BackupPlace {
  /** Path of the folder, or `s3://bucket/prefix`. */
  readonly address: string;
  /** Returns the path or address of a backup in it. */
  addressOf(name: string): string;
  has(name: string): Promise<boolean>;
  /** Prepares for a backup of about this many bytes, and removes what killed ones have left. @throws Failure disk_full */
  prepare(bytes: number): Promise<void>;
  /**
   * Stores a backup; nothing is left after an error.
   * @param bytes its size, about
   */
  write(name: string, source: AsyncIterable<Buffer>, bytes: number): Promise<void>;
  read(name: string): Promise<AsyncIterable<Buffer>>;
  remove(name: string): Promise<void>;
  /** The backups that were verified and are as they were written, oldest first. */
  entries(): Promise<CatalogueEntry[]>;
  /** Records that a backup was verified. */
  record(entry: CatalogueEntry): Promise<void>;
}

/** A backup by its place and name. */
export interface PlacedBackup {
  place: BackupPlace;
  name: string;
}

/** What a place in a bucket needs besides its address. */
export interface PlaceOptions {
  /** Variables that set the access to a bucket; the environment's go before them. */
  variables: Record<string, string | undefined>;
  /** File of the box that names an upload in progress, so that the next backup removes what a killed one has left. */
  journal?: string | undefined;
  signal?: AbortSignal | undefined;
}
