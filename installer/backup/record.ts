/**
 * What a backup says of its database, and where the parts of the database are in it.
 */
import type { Counts } from './counts.ts';
import type { BackedUpFile } from './sink.ts';

/** What a backup says of its database. */
export interface DatabaseRecord {
  /** Copied while it served, copied while it was stopped, or dumped. */
  kind: 'running' | 'stopped' | 'dump';
  /** Major version of PostgreSQL. */
  postgres: number;
  /** ISO 8601; every order that was acknowledged before is in the backup. */
  time: string;
  /** Place in the write-ahead log before which the recovery ends; for `running` only. */
  end?: string;
  /** The first segment of the WAL that its recovery needs, such as `000000010000000000000002`. */
  segment?: string;
  /** Rows by table at this place; for `running` only, since a stopped database cannot count. */
  counts?: Counts;
  /** Whether the recovery has exactly these rows, or may have some more. */
  exact?: boolean;
}

/** The content of `database.json` in a folder that `backUpDatabase` has written. */
export interface DatabaseFolder {
  record: DatabaseRecord;
  files: readonly BackedUpFile[];
  /** Also empty ones; absent in backups of earlier versions of the command. */
  folders?: readonly string[];
}

/** The file of a folder that is complete. */
export const recordFile = 'database.json';
export const passwordPath = 'database/password';
