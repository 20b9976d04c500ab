/**
 * Folders for a test or a measurement.
 */
import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Makes a new folder; whoever asks removes it. A PostgreSQL that is started in it keeps its data there: where this one is
 * root it runs as another user, who has to pass, and would keep them where nobody removes them.
 * @param parent the system's temporary folder unless given
 */
export async function temporaryFolder(prefix: string, parent = tmpdir()): Promise<string> {
  const folder = await mkdtemp(join(parent, prefix));
  await chmod(folder, 0o711);
  return folder;
}
