/**
 * Finding the process of a running box: by the PID file, checked against the process table, or by the process table
 * alone if the PID file is missing and no supervisor runs, which was killed before writing it.
 */
import { type FileHandle, link, open, rename, rm, stat } from 'node:fs/promises';
import { relative, sep } from 'node:path';
import { hasSupervisor } from './control-socket.ts';
import { writeAtomically } from './files.ts';
import type { BoxFolder } from './folder.ts';
import { releaseEntry } from './folder.ts';
import {
  type FoundProcess,
  findProcesses,
  isAlive,
  isCredible,
  type ProcessIdentity,
  readVariable,
  userOf,
} from './process-table.ts';

/** Follows the program in the command line of a worker that is not the leader. */
export const workerWord = 'worker';

/** The parent of a box. */
export interface Parent {
  pid: number;
  identity: ProcessIdentity;
  /** Whether it runs in the background too, and not as `start --foreground`. */
  background?: boolean;
}

/** A running box. */
export interface RunningBox {
  pid: number;
  identity: ProcessIdentity;
  /** The release it runs from. */
  release: string;
  /** The process that started it and supervises it; absent if the box was started before boxes had one. */
  parent?: Parent;
  /** Whether that parent is running: it then starts the box's successor (supervisor/supervision.ts). */
  supervised: boolean;
  /** Whether its parent has died, or the command that started it was killed before it wrote the PID file. */
  orphaned: boolean;
}

/** Returns the running box of a folder, or undefined. */
export async function findRunningBox(folder: BoxFolder): Promise<RunningBox | undefined> {
  const recorded = await readPidFile(folder.pid);
  if (recorded && (await isAlive(recorded)) && isCredible(recorded.pid, recorded.writer)) {
    const { writer, ...box } = recorded;
    const supervised = box.parent !== undefined && (await isAlive(box.parent));
    return { ...box, supervised, orphaned: box.parent !== undefined && !supervised };
  }
  const isBox = (commandLine: string[]) => releaseOf(folder, commandLine) !== undefined && !isFollower(commandLine);
  // The variable tells a box from other processes that have its program open, such as an editor.
  const found = await findProcesses(isBox, `BOX_HOME=${folder.root}`);
  const owner = (await stat(folder.root).catch(() => undefined))?.uid ?? process.getuid?.();
  const orphan = found.find((each) => isCredible(each.pid, owner));
  // A supervisor that runs has written the PID file of its box: this one was replaced, and completes its requests, or does
  // not serve yet.
  if (!orphan || (await hasSupervisor(folder))) return undefined;
  return {
    pid: orphan.pid,
    identity: orphan.identity,
    release: releaseOf(folder, orphan.commandLine) as string,
    supervised: false,
    orphaned: true,
  };
}

/** Returns the workers of a running box besides its leader. */
export async function findFollowers(folder: BoxFolder, { pid }: Pick<RunningBox, 'pid'>): Promise<FoundProcess[]> {
  const name = 'SUPERVISOR_WORKERS_PATH';
  const path = await readVariable(pid, name);
  if (!path) return [];
  const isOfBox = (commandLine: string[]) => releaseOf(folder, commandLine) !== undefined && isFollower(commandLine);
  // Those that were replaced, and complete their requests, have another path.
  const found = await findProcesses(isOfBox, `${name}=${path}`);
  return found.filter((each) => isCredible(each.pid, userOf(pid)));
}

/** Whether the box runs in the background: with a supervisor there, or without one. */
export function isInBackground(box: RunningBox): boolean {
  return !box.supervised || box.parent?.background === true;
}

/** Writes the PID file. The first line is only the process id, as other programs expect. */
export async function writePidFile(folder: BoxFolder, box: RunningBox): Promise<void> {
  const { pid, identity, release, parent } = box;
  await writeAtomically(folder.pid, `${pid}\n${JSON.stringify({ identity, release, parent })}\n`);
}

/**
 * Removes the PID file of a box that has exited, unless it is another box's already: one that its supervisor writes at the
 * same moment is put back.
 */
export async function removePidFile(folder: BoxFolder, box: RunningBox): Promise<void> {
  if (!isOf(box, await readPidFile(folder.pid))) return;
  const aside = `${folder.pid}.${process.pid}.old`;
  try {
    await rename(folder.pid, aside);
    if (!isOf(box, await readPidFile(aside))) await link(aside, folder.pid);
  } catch (error) {
    // Another process has removed it, or written a newer one.
    if (!['ENOENT', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  } finally {
    await rm(aside, { force: true });
  }
}

/** `writer` is the user id of who has written the file. */
type Recorded = Omit<RunningBox, 'supervised' | 'orphaned'> & { writer: number };

function isOf({ pid, identity }: RunningBox, recorded: Recorded | undefined): boolean {
  return recorded?.pid === pid && recorded.identity === identity;
}

async function readPidFile(path: string): Promise<Recorded | undefined> {
  let file: FileHandle | undefined;
  try {
    file = await open(path);
    const [pid, rest] = (await file.readFile('utf8')).split('\n');
    return { pid: Number(pid), ...JSON.parse(rest ?? ''), writer: (await file.stat()).uid };
  } catch {
    return undefined; // absent or invalid: the process table decides
  } finally {
    await file?.close();
  }
}

/** Whether a command line is that of a worker that is not the leader: it ends when its supervisor does. */
function isFollower(commandLine: string[]): boolean {
  return commandLine.includes(workerWord);
}

/** Returns the release whose program a command line runs (`node <program>`), if it is one of this folder. */
function releaseOf(folder: BoxFolder, commandLine: string[]): string | undefined {
  const program = commandLine.find((word) => word.startsWith(folder.releases + sep));
  const release = program && relative(folder.releases, program).split(sep)[0];
  return release && program === releaseEntry(folder, release) ? release : undefined;
}
