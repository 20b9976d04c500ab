/**
 * The command line of `completion`.
 */
import { completionScript, type Shell } from './completion.ts';
import type { CommandTable } from './definition.ts';

/** Prints the script. */
export async function runCompletion({ shell }: { shell: Shell }, { commands, groups }: CommandTable): Promise<void> {
  process.stdout.write(completionScript(shell, commands, groups));
}
