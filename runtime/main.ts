/**
 * The program of a box. It has V8 keep the compiled code of the packages beside them, so that the next start of the same
 * release does not compile them again. Where the folder cannot be written, each start compiles.
 */
import { enableCompileCache, flushCompileCache } from 'node:module';
import { dirname, join, resolve } from 'node:path';

const lockFile = process.env.BOX_PACKAGES;
if (lockFile) {
  enableCompileCache(join(dirname(resolve(lockFile)), '.compiled'));
  // The process writes it when it exits, too, unless it is killed.
  setTimeout(flushCompileCache, 10_000).unref();
}
await import('./run-box.ts');
