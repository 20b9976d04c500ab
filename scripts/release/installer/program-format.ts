/**
 * The format of the commands in the binary, which the build writes and the binary reads.
 */

/** Asset that holds the commands as one CommonJS file. */
export const programAsset = 'program.cjs';

/** Asset that holds V8's code cache of it. */
export const codeCacheAsset = 'program.code-cache';

/** Wraps the program as Node wraps a CommonJS file. The code cache is valid for exactly this text. */
export function wrap(source: string): string {
  return `(function (exports, require, module, __filename, __dirname) {${source}\n})`;
}
