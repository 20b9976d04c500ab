/**
 * The processes of the machine, read from Linux's /proc.
 */
import { readdirSync, readFileSync } from 'node:fs';

export interface RunningProcess {
  pid: number;
  /** Its program and words, with spaces between them. */
  commandLine: string;
}

/** Returns the processes whose command line has a text. */
export function processesWith(text: string): RunningProcess[] {
  const found: RunningProcess[] = [];
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const commandLine = commandLineOf(name);
    if (commandLine.includes(text)) found.push({ pid: Number(name), commandLine });
  }
  return found;
}

/** Empty for a process that has exited. */
function commandLineOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trimEnd();
  } catch {
    return '';
  }
}
