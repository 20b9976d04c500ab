/**
 * Finds and kills what rigs leave behind: processes of a rig that ends, and everything of rigs that were killed. The
 * command line of each process of a rig has the rig's folder, whose name has the process id of the rig.
 */
import { spawnSync } from 'node:child_process';
import { readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Prefix of the name of a rig's folder. */
export const folderPrefix = (pid: number) => `rig-${pid}-`;

/** Kills the processes of a folder and waits until they have exited; returns their number. */
export async function killProcessesOf(folder: string): Promise<number> {
  const found = await processesOf(folder);
  for (let left = found; left.length > 0; left = await processesOf(folder)) {
    for (const pid of left) signal(pid, 'SIGKILL');
    await sleep(20);
  }
  return found.length;
}

/** Kills processes and removes folders of rigs whose own process has died; returns those folders. */
export async function removeOrphanedRigs(): Promise<string[]> {
  const names = (await readdir(tmpdir())).filter((name) => {
    const [, pid] = /^rig-(\d+)-/.exec(name) ?? [];
    return pid !== undefined && !signal(Number(pid), 0);
  });
  const folders = names.map((name) => join(tmpdir(), name));
  for (const folder of folders) {
    await killProcessesOf(folder);
    await unmountAllOf(folder);
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
  return folders;
}

/** Unmounts disks that a rig has mounted in its folder. */
async function unmountAllOf(folder: string): Promise<void> {
  const mounts = (await readFile('/proc/mounts', 'utf8')).split('\n').map((line) => line.split(' ')[1] ?? '');
  const own = mounts.filter((path) => path.startsWith(`${folder}/`));
  // The last may be within an earlier one.
  for (const path of own.reverse()) spawnSync('umount', ['--lazy', path]);
}

/** Returns the processes that have a path below the folder among their arguments. */
export async function processesOf(folder: string): Promise<number[]> {
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
