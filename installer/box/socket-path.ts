/**
 * Paths of Unix sockets, which may not be long (unix(7)), in folders whose paths may be.
 */
import { openSync } from 'node:fs';
import { basename, dirname } from 'node:path';

/** In bytes, without the final zero. */
const longestPath = 107;
/** Descriptors of folders by their paths: a process has to do with the sockets of one or two. */
const openFolders = new Map<string, number>();

/** Returns a path by which this process can bind or reach a socket, however deep its folder is. The folder must exist. */
export function reachable(path: string): string {
  if (Buffer.byteLength(path) <= longestPath) return path;
  const folder = dirname(path);
  const descriptor = openFolders.get(folder) ?? openSync(folder, 'r');
  openFolders.set(folder, descriptor);
  return `/proc/self/fd/${descriptor}/${basename(path)}`;
}
