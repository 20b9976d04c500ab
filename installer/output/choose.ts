/**
 * Chooses the output of a command: JSON lines on request, progress display at a terminal, plain lines otherwise.
 */
import { jsonOutput } from './json.ts';
import type { Output } from './output.ts';
import { plainOutput } from './plain.ts';

/** The terminal output, with its progress bar, is loaded only for a terminal. */
export async function chooseOutput({ json = false }: { json?: boolean }): Promise<Output> {
  if (json) return jsonOutput();
  if (!process.stdout.isTTY || process.env.TERM === 'dumb') return plainOutput();
  const { terminalOutput } = await import('./terminal.ts');
  return terminalOutput();
}
