/**
 * What killed commands and supervisors have left in the folder of a box: files that they were writing, some with secrets,
 * and sockets of locks. The next command or supervisor removes it.
 */
import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { BoxFolder } from './folder.ts';
import { identify } from './process-table.ts';

/** By exact names, which begin with that of the file and have the process id near their end: other files are not ours. */
const leftovers = [
  // `writeAtomically`
  /^(?:box\.(?:json|env)(?:\.before-\w{1,32})?|\.backup-key|\.installation-id|\.restoring\.json|backup\.json)\.(\d{1,7})\.new$/,
  /^(?:next\.json|box\.pid|journal\.json|upgrade\.json|\.settings\.json|restored\.json)\.(\d{1,7})\.new$/,
  /^\.(?:upload|\w{1,32}-backups)\.json\.(\d{1,7})\.new$/,
  // `removePidFile`
  /^box\.pid\.(\d{1,7})\.old$/,
  // `withLock`: a socket that does not listen yet. Those that listen are removed by who finds that nobody does.
  /^\.(?:backup-)?lock-[0-9a-f]{16}-(\d{1,7})\.new$/,
];

/** Removes what processes have left that no longer run. What belongs to one that runs is kept, which a reused id is, too. */
export async function removeLeftovers({ root, run, upgrades, releases, data }: BoxFolder): Promise<void> {
  for (const folder of [root, run, upgrades, releases, join(root, 'backups'), join(data, 'postgresql')]) {
    if (!(await isOwn(folder))) continue;
    const folders = await removeIn(folder);
    // Each upgrade has a record, and each release a list of its settings.
    if (folder !== upgrades && folder !== releases) continue;
    for (const each of folders) if (await isOwn(each)) await removeIn(each);
  }
}

/** Nothing is removed in the folder of another user, who could have root remove files by a link. */
async function isOwn(folder: string): Promise<boolean> {
  const found = await lstat(folder).catch(() => undefined);
  return found?.isDirectory() === true && found.uid === process.getuid?.();
}

/** @returns the folders in it */
async function removeIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    if (!entry.isFile() && !entry.isSocket()) continue;
    const pid = leftovers.map((name) => name.exec(entry.name)?.[1]).find((found) => found !== undefined);
    if (pid !== undefined && !(await identify(Number(pid)))) await rm(join(folder, entry.name), { force: true });
  }
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
}
