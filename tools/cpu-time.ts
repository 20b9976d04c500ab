/**
 * The CPU time of processes.
 */
import { readFileSync } from 'node:fs';

/** The unit of proc_pid_stat(5) on Linux, whatever the kernel's own clock. */
const ticksPerSecond = 100;

/** The places of utime, stime, cutime and cstime after the name of the program. */
const own = [11, 12];
const ofChildren = [13, 14];

/**
 * Seconds of CPU time of a process, by default this one, and of its children that have ended with all those that they
 * waited for.
 */
export function cpuTime(pid: number | 'self' = 'self'): number {
  return read(pid, [...own, ...ofChildren]);
}

/** Seconds of CPU time of this process's children that have ended. */
export function cpuTimeOfChildren(): number {
  return read('self', ofChildren);
}

/** Seconds of CPU time of a process, without its children; 0 for one that has exited. */
export function ownCpuTime(pid: number): number {
  try {
    return read(pid, own);
  } catch {
    return 0;
  }
}

function read(pid: number | 'self', places: readonly number[]): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return places.reduce((sum, place) => sum + Number(fields[place]), 0) / ticksPerSecond;
}
