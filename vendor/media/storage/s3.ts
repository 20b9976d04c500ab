/**
 * Stores media files in a bucket of Amazon S3 or a compatible service. Nothing in the bucket is public: the box serves the
 * files, and clients upload to addresses that it has signed.
 */
import type { MediaStorage, S3Settings } from './storage.ts';

/** Loads Amazon's client with the first file, since it is large. */
export function bucketOf(settings: S3Settings): MediaStorage {
  let opened: Promise<Required<MediaStorage>> | undefined;
  const open = () => {
    opened ??= import('./bucket.ts').then(({ openBucket }) => openBucket(settings));
    return opened;
  };
  return {
    put: async (...file) => (await open()).put(...file),
    async *read(...file) {
      yield* (await open()).read(...file);
    },
    remove: async (key) => (await open()).remove(key),
    removeFolder: async (...folder) => (await open()).removeFolder(...folder),
    signUpload: async (...file) => (await open()).signUpload(...file),
  };
}
