/**
 * `uninstall`: stops the box and removes its program. Its database, files, secrets and logs stay, so that an install in
 * the same folder goes on with them, unless they are to be removed too.
 */
import { readdir, rm, rmdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { stopOrphanedDatabase } from '../../backup/orphan.ts';
import { type BoxFolder, boxFolder, exists } from '../../box/folder.ts';
import { isOfLock, withLock } from '../../box/lock.ts';
import { findRunningBox } from '../../box/running.ts';
import { requireSettings } from '../../box/settings.ts';
import { endPausedSupervisor, stopForGood } from '../../box/stop-for-good.ts';
import { Failure } from '../../failure.ts';
import type { Output } from '../../output/output.ts';
import { findService } from '../../service/systemd.ts';
import { vendor } from '../../vendor.ts';

/** Options of `uninstall`. */
export interface UninstallOptions {
  /** The box's folder. */
  dir: string;
  /** Whether to remove the data too: the embedded database, files, secrets and logs. */
  data?: boolean;
  /** Asks whether to remove the data; without it, and without `confirmed`, data is not removed. */
  askForConfirmation?: (folder: string) => Promise<boolean>;
  confirmed?: boolean;
}

/** The result of `uninstall`. */
export interface UninstallResult {
  dir: string;
  /** Names in the folder that were removed. */
  removed: string[];
  /** Names that stay. */
  kept: string[];
}

/** @throws Failure not_installed, busy, did_not_stop, folder_unusable; usage if the removal of data is not confirmed */
export async function uninstall(options: UninstallOptions, output: Output): Promise<UninstallResult> {
  const folder = boxFolder(options.dir);
  const result = await withLock(folder.root, 'uninstall', async () => {
    // What an earlier uninstall has kept can be removed later.
    if (!options.data || !(await exists(folder.secrets))) await requireSettings(folder);
    if (options.data && !options.confirmed && !(await options.askForConfirmation?.(folder.root))) {
      throw new Failure(
        'usage',
        `the removal of the data in ${folder.root} was not confirmed`,
        'Nothing was changed. Use --yes, or leave out --data to keep the data',
      );
    }
    const service = await findService(folder.root);
    if (service) {
      throw new Failure(
        'busy',
        `the service ${service} runs this box`,
        `Remove it first: sudo ${vendor} service uninstall --dir ${folder.root}`,
      );
    }
    const running = await findRunningBox(folder);
    if (running) await stopForGood(folder, running, output);
    else await endPausedSupervisor(folder, output);
    await stopOrphanedDatabase(folder, output);
    return { dir: folder.root, ...(await removeFiles(folder, options.data === true)) };
  });
  // The folder may be a mount point, or another user's.
  if (result.kept.length === 0) await rmdir(folder.root).catch(() => undefined);
  return result;
}

/** Removes the box's files, the settings last: until then the box counts as installed, and the command can be repeated. */
async function removeFiles(folder: BoxFolder, withData: boolean): Promise<Pick<UninstallResult, 'removed' | 'kept'>> {
  const program = [folder.current, folder.releases, folder.run];
  const backupSettings = join(folder.root, 'backup.json');
  const data = [folder.data, folder.upgrades, folder.logs, folder.secrets, folder.installationId, backupSettings];
  // The key stays with the backups in the folder, which are of use with it.
  if (!(await exists(join(folder.root, 'backups')))) data.push(folder.backupKey);
  const removed: string[] = [];
  for (const path of [...program, ...(withData ? data : []), folder.settings]) {
    if (!(await exists(path))) continue;
    await rm(path, { recursive: true, force: true });
    removed.push(basename(path));
  }
  return { removed: removed.sort(), kept: (await readdir(folder.root)).filter((name) => !isOfLock(name)).sort() };
}
