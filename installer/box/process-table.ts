/**
 * What the kernel knows of a process (Linux, /proc). A process number alone says little: numbers are used again. Number,
 * start time and boot together name one process for ever.
 */
import { readdir, readFile } from 'node:fs/promises';

/** Names one process for ever: `<boot id>:<start in clock ticks since boot>`. */
export type ProcessIdentity = string;

/** The identity of a live process, or undefined when there is none (one that has ended but was not reaped included). */
export async function identify(pid: number): Promise<ProcessIdentity | undefined> {
  const line = await readProc(`${pid}/stat`);
  if (!line) return undefined;
  // The second field, the program's name in brackets, may hold spaces and brackets itself: count from its end.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const state = fields[0];
  const startTime = fields[19];
  if (state === 'Z' || state === 'X') return undefined;
  return `${((await readProc('sys/kernel/random/boot_id')) ?? '').trim()}:${startTime}`;
}

/** Whether the process with this number is alive and still the one meant. */
export async function isAlive(process: { pid: number; identity: ProcessIdentity }): Promise<boolean> {
  return (await identify(process.pid)) === process.identity;
}

/** A process as it was started. */
export interface FoundProcess {
  pid: number;
  identity: ProcessIdentity;
  commandLine: string[];
}

/**
 * Every live process whose command line satisfies the test and that was given a variable. Processes of other users keep
 * their environment to themselves and are not found.
 * @param variable as `NAME=value`
 */
export async function findProcesses(
  test: (commandLine: string[]) => boolean,
  variable: string,
): Promise<FoundProcess[]> {
  const found: FoundProcess[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const commandLine = await readStrings(`${name}/cmdline`);
    if (!test(commandLine) || !(await readStrings(`${name}/environ`)).includes(variable)) continue;
    const identity = await identify(Number(name));
    if (identity) found.push({ pid: Number(name), identity, commandLine });
  }
  return found;
}

async function readStrings(path: string): Promise<string[]> {
  return ((await readProc(path)) ?? '').split('\0');
}

/** A process may end while it is read, which is as good as not being there. */
async function readProc(path: string): Promise<string | undefined> {
  try {
    return await readFile(`/proc/${path}`, 'utf8');
  } catch {
    return undefined;
  }
}
