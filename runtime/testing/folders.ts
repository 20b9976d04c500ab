/**
 * Temporary folders for tests and measurements.
 */
import { chmod, mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sourceRoot } from './packages.ts';

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

/**
 * Creates a folder in the project, which the caller removes: a box whose lock file is in it finds the packages of the
 * project. Unlike tap's `testdir`, it stays until the caller has ended what runs in it.
 */
export async function folderInProject(prefix: string): Promise<string> {
  const parent = join(sourceRoot, '..', '.tap', 'fixtures');
  await mkdir(parent, { recursive: true });
  return temporaryFolder(prefix, parent);
}
