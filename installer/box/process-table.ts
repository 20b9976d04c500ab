/**
 * The kernel's process table (Linux, /proc). Process ids are reused: id, start time and boot id together identify one
 * process.
 */
import { readdirSync, readFileSync } from 'node:fs';

/**
 * Identifies one process together with its id: `<boot id>:<time of the boot>:<start in clock ticks since boot>`, the time
 * in seconds of Unix time. Earlier versions wrote no time.
 */
export type ProcessIdentity = string;

/** Seconds by which the kernel's time of the boot varies without a new boot. */
const bootTimeTolerance = 2;

/** Returns the identity of a running process, or undefined if there is none or it is a zombie. */
export async function identify(pid: number): Promise<ProcessIdentity | undefined> {
  const line = readProc(`${pid}/stat`);
  if (!line) return undefined;
  // The second field is the program's name in parentheses, which may itself contain spaces and parentheses.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const state = fields[0];
  const startTime = fields[19];
  if (state === 'Z' || state === 'X') return undefined;
  const [, bootTime = ''] = /^btime (\d+)$/m.exec(readProc('stat') ?? '') ?? [];
  return `${(readProc('sys/kernel/random/boot_id') ?? '').trim()}:${bootTime}:${startTime}`;
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
  for (const pid of processIds()) {
    const commandLine = commandLineOf(pid);
    if (!test(commandLine) || !readStrings(`${pid}/environ`).includes(variable)) continue;
    const identity = await identify(pid);
    if (identity) found.push({ pid, identity, commandLine });
  }
  return found;
}

/** Returns the ids of all processes. */
export function processIds(): number[] {
  return readdirSync('/proc').map(Number).filter(Number.isInteger);
}

/** Returns the words of a process's command line, the last of them empty; none but that if there is no such process. */
export function commandLineOf(pid: number): string[] {
  return readStrings(`${pid}/cmdline`);
}

/** Returns the user id of a process; undefined if there is no such process. */
export function userOf(pid: number): number | undefined {
  const [, user] = /^Uid:\t(\d+)/m.exec(readProc(`${pid}/status`) ?? '') ?? [];
  return user === undefined ? undefined : Number(user);
}

/**
 * Whether a process can be that of a box, for root, which reads the environment of all processes and can signal them: any
 * user can start one that looks like a box, and the user of a box can write the id of any process into its PID file.
 * @param user whose process a box in this place would be
 */
export function isCredible(pid: number, user: number | undefined): boolean {
  return process.getuid?.() !== 0 || userOf(pid) === user;
}

/** Returns the name of the program that a process runs; empty if there is no such process. */
export function programOf(pid: number): string {
  return (readProc(`${pid}/comm`) ?? '').trim();
}

/** Returns a variable of the environment with which a process was started; undefined if it has none, or has exited. */
export async function readVariable(pid: number, name: string): Promise<string | undefined> {
  const line = readStrings(`${pid}/environ`).find((each) => each.startsWith(`${name}=`));
  return line?.slice(name.length + 1);
}

function readStrings(path: string): string[] {
  return (readProc(path) ?? '').split('\0');
}

/**
 * Returns undefined when the process does not exist, or exits meanwhile. Nothing here waits for a disk: a call of the thread
 * pool takes ten times as long as the kernel.
 */
function readProc(path: string): string | undefined {
  try {
    return readFileSync(`/proc/${path}`, 'utf8');
  } catch {
    return undefined;
  }
}
