/**
 * The command line of `completion`.
 */

import type { CommandTable } from '../support/definition.ts';
import { completionScript, type Shell } from './script.ts';

/** Prints the script. */
export async function runCompletion({ shell }: { shell: Shell }, { commands, groups }: CommandTable): Promise<void> {
  process.stdout.write(completionScript(shell, commands, groups));
}
