/**
 * Chooses the output of a command: JSON lines on request, progress display at a terminal, plain lines otherwise.
 */
import { jsonOutput } from './json.ts';
import type { Output } from './output.ts';
import { plainOutput } from './plain.ts';

let command: string | undefined;

/** Sets the name of the command that this process runs, which every JSON event has. */
export function nameCommand(name: string): void {
  command = name;
}

/** The terminal output, with its progress bar, is loaded only for a terminal. */
export async function chooseOutput({ json = false }: { json?: boolean }): Promise<Output> {
  if (json) return jsonOutput({ command });
  if (!process.stdout.isTTY || process.env.TERM === 'dumb') return plainOutput();
  const { terminalOutput } = await import('./terminal.ts');
  return terminalOutput();
}
