/**
 * The embedded PostgreSQL of a box in a bare system, as this machine reaches it.
 */
import { join } from 'node:path';
import { readLocation, readPassword } from '../../runtime/db/embedded/cluster.ts';
import { readPostmaster } from '../../runtime/db/embedded/server.ts';
import { connectionUrl } from '../../runtime/db/embedded.ts';
import { vendor } from '../../runtime/vendor.ts';

/**
 * Returns its URL.
 * @param root the root directory of the system
 * @param dir the box's folder within the system
 * @throws Error if it does not run
 */
export async function databaseUrlIn(root: string, dir: string): Promise<string> {
  const folder = join(dir, 'data/postgresql');
  const home = join(root, (await readLocation(join(root, folder))) ?? folder);
  const password = await readPassword(home);
  const postmaster = readPostmaster(join(home, 'data'));
  if (password === null || postmaster === null) throw new Error(`no PostgreSQL runs in ${home}`);
  return connectionUrl(vendor.name, password, join(root, postmaster.socketFolder));
}
