/**
 * How the commands lie in the binary: what the build writes and the binary reads.
 */

/** Asset that holds the commands as one CommonJS file. */
export const programAsset = 'program.cjs';

/** Asset that holds V8's code cache of it. */
export const codeCacheAsset = 'program.code-cache';

/** The program as Node wraps a CommonJS file; the code cache fits only this very text. */
export function wrap(source: string): string {
  return `(function (exports, require, module, __filename, __dirname) {${source}\n})`;
}
