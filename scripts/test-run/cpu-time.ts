/**
 * The CPU time of a process with its children.
 */
import { readFileSync } from 'node:fs';

/** The unit of proc_pid_stat(5) on Linux, whatever the kernel's own clock. */
const ticksPerSecond = 100;

/**
 * Seconds of CPU time of this process, and of its children that have ended with all those that they waited for: utime,
 * stime, cutime and cstime of proc_pid_stat(5).
 */
export function cpuTime(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return ticks / ticksPerSecond;
}
