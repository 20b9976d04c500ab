/**
 * The storage of a box, by its settings.
 */
import { join, resolve } from 'node:path';
import { dataFolderOf, type HasExtensions, onceForBox } from '@carton/runtime';
import { mediaSettings } from '../settings.ts';
import { filesIn } from './files.ts';
import { bucketOf } from './s3.ts';
import type { MediaStorage } from './storage.ts';

export const storageOf: (box: HasExtensions) => MediaStorage = onceForBox((box) => {
  const { folder, s3 } = mediaSettings.of(box);
  if (s3) return bucketOf(s3);
  return filesIn(folder === null ? join(dataFolderOf(box), 'media') : resolve(folder));
});
