/**
 * Replaces `installer/program.ts` inside the binary: compiles the commands from the binary's assets when one is called, so
 * that they cost `--version` nothing.
 */
import { createRequire } from 'node:module';
import { getAsset, getRawAsset } from 'node:sea';
import { Script } from 'node:vm';
import type * as Program from '../../../installer/program.ts';
import { codeCacheAsset, programAsset, wrap } from './program-format.ts';

/** Loads the commands and runs one command line. */
export function run(parameters: readonly string[]): Promise<void> {
  const script = new Script(wrap(getAsset(programAsset, 'utf8')), {
    filename: programAsset,
    cachedData: codeCache(),
  });
  const module = { exports: {} as typeof Program };
  const require = createRequire(process.execPath);
  script.runInThisContext()(module.exports, require, module, process.execPath, process.execPath);
  return module.exports.run(parameters);
}

/** V8's code cache of the program; only binaries for the build machine's processor have one. */
function codeCache(): Buffer | undefined {
  try {
    return Buffer.from(getRawAsset(codeCacheAsset) as ArrayBuffer);
  } catch {
    return undefined;
  }
}
