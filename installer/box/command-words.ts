/**
 * How this command is run again, as another process.
 */
import { isSea } from 'node:sea';
import { fileURLToPath } from 'node:url';

/** Returns the words that run this command: the binary, or Node.js and the program. */
export function commandWords(): string[] {
  if (isSea()) return [process.execPath];
  return [process.execPath, fileURLToPath(new URL('../cli.ts', import.meta.url))];
}

/** The first word of the command line of a supervisor in the background; `--dir` and the folder of the box follow. */
export const superviseWord = 'supervise';
