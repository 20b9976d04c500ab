/**
 * Whether a box runs, and as which process: the pid file, checked against the kernel; and the process table itself, so
 * that a lost pid file (a command killed between starting the box and writing it) loses no box.
 */
import { readFile, rm } from 'node:fs/promises';
import { relative, sep } from 'node:path';
import { writeAtomically } from './files.ts';
import type { BoxFolder } from './folder.ts';
import { releaseEntry } from './folder.ts';
import { findProcesses, isAlive, type ProcessIdentity } from './process-table.ts';

/** A box that runs. */
export interface RunningBox {
  pid: number;
  identity: ProcessIdentity;
  /** The release it runs from. */
  release: string;
  /** The `start --foreground` that started it; absent for a box in the background. */
  parent?: { pid: number; identity: ProcessIdentity };
  /** Whether that parent lives. Such a box is replaced through its parent (supervision.ts). */
  supervised: boolean;
  /** Whether it lost its parent, or was started by a command that was killed before it could record it. */
  orphaned: boolean;
}

/** The box that runs from a folder, or undefined. */
export async function findRunningBox(folder: BoxFolder): Promise<RunningBox | undefined> {
  const recorded = await readPidFile(folder);
  if (recorded && (await isAlive(recorded))) {
    const supervised = recorded.parent !== undefined && (await isAlive(recorded.parent));
    return { ...recorded, supervised, orphaned: recorded.parent !== undefined && !supervised };
  }
  const isBox = (commandLine: string[]) => releaseOf(folder, commandLine) !== undefined;
  // The variable tells a box from other processes that have its program open, such as an editor.
  const [orphan] = await findProcesses(isBox, `BOX_HOME=${folder.root}`);
  if (!orphan) return undefined;
  return {
    pid: orphan.pid,
    identity: orphan.identity,
    release: releaseOf(folder, orphan.commandLine) as string,
    supervised: false,
    orphaned: true,
  };
}

/** Records a box that has just been started. The first line is the bare number, which is what other programs expect. */
export async function writePidFile(folder: BoxFolder, box: RunningBox): Promise<void> {
  const { pid, identity, release, parent } = box;
  await writeAtomically(folder.pid, `${pid}\n${JSON.stringify({ identity, release, parent })}\n`);
}

/** Forgets a box that has ended; another one's record stays. */
export async function removePidFile(folder: BoxFolder, box: RunningBox): Promise<void> {
  const recorded = await readPidFile(folder);
  if (recorded?.pid === box.pid && recorded.identity === box.identity) await rm(folder.pid, { force: true });
}

async function readPidFile(folder: BoxFolder): Promise<Omit<RunningBox, 'supervised' | 'orphaned'> | undefined> {
  try {
    const [pid, rest] = (await readFile(folder.pid, 'utf8')).split('\n');
    return { pid: Number(pid), ...JSON.parse(rest ?? '') };
  } catch {
    return undefined; // absent, or not ours: the process table decides
  }
}

/** The release whose program a command line runs (`node <program>`), when it belongs to this folder. */
function releaseOf(folder: BoxFolder, commandLine: string[]): string | undefined {
  const program = commandLine.find((word) => word.startsWith(folder.releases + sep));
  const release = program && relative(folder.releases, program).split(sep)[0];
  return release && program === releaseEntry(folder, release) ? release : undefined;
}
