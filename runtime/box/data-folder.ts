/**
 * The folder of a box for files that its packages store. Each uses a folder of its own in it.
 */
import { extensionPoint, type HasExtensions } from '../extension/extension.ts';

/** Contributed by the start of the box. */
export const dataFolders = extensionPoint<string>('data folder');

/** The absolute path. The folder may not exist yet. */
export function dataFolderOf(box: HasExtensions): string {
  const [folder] = dataFolders.of(box);
  if (folder === undefined) throw new Error('the box has no data folder');
  return folder;
}
