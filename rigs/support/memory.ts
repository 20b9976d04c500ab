/**
 * The memory that a process has used.
 */
import { readFile, writeFile } from 'node:fs/promises';

/** Returns the peak resident memory of a process in MiB, since it started or `resetPeak`. */
export async function peakMemoryOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024);
}

export async function resetPeak(pid: number): Promise<void> {
  await writeFile(`/proc/${pid}/clear_refs`, '5');
}
