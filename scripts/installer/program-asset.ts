/**
 * Stands in for `installer/program.ts` inside the binary: compiles the commands from the binary's own assets when, and
 * only when, one is called. Kept apart from the start, they cost `--version` nothing on any processor.
 */
import { createRequire } from 'node:module';
import { getAsset, getRawAsset } from 'node:sea';
import { Script } from 'node:vm';
import type * as Program from '../../installer/program.ts';
import { codeCacheAsset, programAsset, wrap } from './program-format.ts';

/** Loads the commands and runs one command line. */
export function run(words: readonly string[]): Promise<void> {
  const script = new Script(wrap(getAsset(programAsset, 'utf8')), {
    filename: programAsset,
    cachedData: codeCache(),
  });
  const module = { exports: {} as typeof Program };
  const require = createRequire(process.execPath);
  script.runInThisContext()(module.exports, require, module, process.execPath, process.execPath);
  return module.exports.run(words);
}

/** What V8 made of the program when the binary was built; only there for the processor that built it. */
function codeCache(): Buffer | undefined {
  try {
    return Buffer.from(getRawAsset(codeCacheAsset) as ArrayBuffer);
  } catch {
    return undefined;
  }
}
