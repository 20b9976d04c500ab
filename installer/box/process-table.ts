/**
 * The kernel's process table (Linux, /proc). Process ids are reused: id, start time and boot id together identify one
 * process.
 */
import { readdir, readFile } from 'node:fs/promises';

/**
 * Identifies one process together with its id: `<boot id>:<time of the boot>:<start in clock ticks since boot>`, the time
 * in seconds of Unix time. Earlier versions wrote no time.
 */
export type ProcessIdentity = string;

/** Seconds by which the kernel's time of the boot varies without a new boot. */
const bootTimeTolerance = 2;

/** Returns the identity of a running process, or undefined if there is none or it is a zombie. */
export async function identify(pid: number): Promise<ProcessIdentity | undefined> {
  const line = await readProc(`${pid}/stat`);
  if (!line) return undefined;
  // The second field is the program's name in parentheses, which may itself contain spaces and parentheses.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const state = fields[0];
  const startTime = fields[19];
  if (state === 'Z' || state === 'X') return undefined;
  const [, bootTime = ''] = /^btime (\d+)$/m.exec((await readProc('stat')) ?? '') ?? [];
  return `${((await readProc('sys/kernel/random/boot_id')) ?? '').trim()}:${bootTime}:${startTime}`;
}

/** Whether the process is still running, and its id has not been reused. */
export async function isAlive(process: { pid: number; identity: ProcessIdentity }): Promise<boolean> {
  const identity = await identify(process.pid);
  return identity !== undefined && isSame(process.identity, identity);
}

/**
 * Whether two identities of one process id are of the same process. systemd-nspawn shows its container another boot id,
 * and a service with `ProtectProc` the machine's: where they differ, the time of the boot decides.
 */
export function isSame(recorded: ProcessIdentity, current: ProcessIdentity): boolean {
  const [one, other] = [partsOf(recorded), partsOf(current)];
  if (one.ticks === '' || one.ticks !== other.ticks) return false;
  return one.bootId === other.bootId || Math.abs(one.bootTime - other.bootTime) <= bootTimeTolerance;
}

function partsOf(identity: ProcessIdentity): { bootId: string; bootTime: number; ticks: string } {
  const parts = identity.split(':');
  const ticks = parts.length > 1 ? (parts.at(-1) as string) : '';
  return {
    bootId: parts[0] as string,
    bootTime: Number(parts.length === 3 && parts[1] ? parts[1] : Number.NaN),
    ticks,
  };
}

/** A process as it was started. */
export interface FoundProcess {
  pid: number;
  identity: ProcessIdentity;
  commandLine: string[];
}

/**
 * Returns all running processes whose command line satisfies the test and whose environment has a variable. The
 * environment of other users' processes is not readable, so they are not found.
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

/** Returns a variable of the environment with which a process was started; undefined if it has none, or has exited. */
export async function readVariable(pid: number, name: string): Promise<string | undefined> {
  const line = (await readStrings(`${pid}/environ`)).find((each) => each.startsWith(`${name}=`));
  return line?.slice(name.length + 1);
}

async function readStrings(path: string): Promise<string[]> {
  return ((await readProc(path)) ?? '').split('\0');
}

/** Returns undefined when the process does not exist, or exits meanwhile. */
async function readProc(path: string): Promise<string | undefined> {
  try {
    return await readFile(`/proc/${path}`, 'utf8');
  } catch {
    return undefined;
  }
}
