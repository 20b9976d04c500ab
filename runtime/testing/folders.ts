/**
 * Temporary folders for tests and measurements.
 */
import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Creates a folder, which the caller removes. All users may enter it: an embedded PostgreSQL that root starts in it
 * runs as another user, and would otherwise store its data outside the folder.
 * @param parent default: the system's temporary folder
 */
export async function temporaryFolder(prefix: string, parent = tmpdir()): Promise<string> {
  const folder = await mkdtemp(join(parent, prefix));
  await chmod(folder, 0o711);
  return folder;
}
