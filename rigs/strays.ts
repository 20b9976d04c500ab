/**
 * What is left of rigs: processes of a rig that is ending, and whole rigs that were killed themselves. Everything a rig
 * starts carries the rig's folder in its command line, and the folder's name the rig's process.
 */
import { readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** The beginning of the name of a rig's folder. */
export const folderPrefix = (pid: number) => `rig-${pid}-`;

/** Kills what runs for a folder, and waits until it is gone; answers how many there were. */
export async function killAllOf(folder: string): Promise<number> {
  const found = await processesOf(folder);
  for (let left = found; left.length > 0; left = await processesOf(folder)) {
    for (const pid of left) signal(pid, 'SIGKILL');
    await sleep(20);
  }
  return found.length;
}

/** Clears away rigs whose own process was killed; answers their folders. */
export async function clearStrays(): Promise<string[]> {
  const names = (await readdir(tmpdir())).filter((name) => {
    const [, pid] = /^rig-(\d+)-/.exec(name) ?? [];
    return pid !== undefined && !signal(Number(pid), 0);
  });
  const folders = names.map((name) => join(tmpdir(), name));
  for (const folder of folders) {
    await killAllOf(folder);
    await rm(folder, { recursive: true, force: true });
  }
  return folders;
}

/** Processes with a path below a folder among the words that they were started with. */
async function processesOf(folder: string): Promise<number[]> {
  const found: number[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const words = (await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '')).split('\0');
    if (words.some((word) => word.startsWith(`${folder}/`)) && Number(name) !== process.pid) found.push(Number(name));
  }
  return found;
}

function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
