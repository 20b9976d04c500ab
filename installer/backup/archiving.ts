/**
 * Whether the embedded database archives its write-ahead log (WAL), and whether that works.
 */
import type { BoxFolder } from '../box/folder.ts';
import { readSecrets } from '../box/settings.ts';
import { withDatabase } from './home.ts';

export interface Archiving {
  /** The folder of the archive. */
  folder: string;
  /** Whether the last attempt failed: WAL stays on the disk of the data until one succeeds. */
  failing: boolean;
  /** When a segment was archived last (ISO 8601); null before the first. */
  last: string | null;
  /** Bytes of the WAL beside the data. */
  walBytes: number;
}

/** Returns the state of archiving; undefined if the box archives nothing, or its database does not run. */
export async function readArchiving(folder: BoxFolder): Promise<Archiving | undefined> {
  const { WAL_ARCHIVE_FOLDER: archive, DATABASE_URL } = await readSecrets(folder);
  if (!archive || DATABASE_URL) return undefined;
  try {
    return await withDatabase(folder, async (client) => {
      const { rows } = await client.query(
        `select current_setting('archive_mode') <> 'on'
                or coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) as failing,
                last_archived_time as last, (select coalesce(sum(size), 0)::float8 from pg_ls_waldir()) as bytes
           from pg_stat_archiver`,
      );
      const [{ failing, last, bytes }] = rows;
      return { folder: archive, failing, last: (last as Date | null)?.toISOString() ?? null, walBytes: bytes };
    });
  } catch {
    return undefined; // other checks say that the database does not run
  }
}
