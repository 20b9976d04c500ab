/**
 * Cleaning up after a failed install. A failed first install leaves nothing, or only a folder `<id>.partial` with intact
 * packages that the next install reuses, and the id of the installation if the control plane may have counted it: without
 * it, the next install would take another of the licence's places. A failed update leaves the box as it was.
 */
import { randomUUID } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { type BoxFolder, createFolders, exists, packagesFolder } from '../../box/folder.ts';
import { keepInstallationId, readInstallationId } from '../../box/installation.ts';
import { findRunningBox } from '../../box/running.ts';
import { stopForGood } from '../../box/stop-for-good.ts';
import { hasTakenNoPlace } from '../../control-plane.ts';
import { asFailure } from '../../failure.ts';
import { silent } from '../../output/output.ts';
import { currentRelease, partialFolder, revertToPartial } from '../../release/layout.ts';

/** Knows what existed before the install and what it has created. */
export interface Cleanup {
  /** Activates with the installation's id, which is on disk before the control plane may count it. */
  activating<T>(activate: (installationId: string) => Promise<T>): Promise<T>;
  /** Creates the folders for a release; `afterFailure` removes them. @param id the release */
  createBoxFolders(id: string): Promise<void>;
  /** Cleans the folder up after a failure. */
  afterFailure(error: unknown): Promise<void>;
}

/** After these errors, pulled packages stay for the next install. After others they are of no use, or use up the disk. */
const resumableCodes = new Set([
  'interrupted',
  'integrity_failed',
  'control_plane_unavailable',
  'box_not_healthy',
  'taken_back',
  'unexpected',
]);

/** Records what exists; call it before anything is changed. */
export async function prepareCleanup(folder: BoxFolder): Promise<Cleanup> {
  const existed = {
    box: (await exists(folder.settings)) || (await exists(folder.current)),
    secrets: await exists(folder.secrets),
    data: await exists(folder.data),
    logs: await exists(folder.logs),
    run: await exists(folder.run),
    installationId: (await readInstallationId(folder)) !== undefined,
    backupKey: await exists(folder.backupKey),
  };
  const releases = new Set(await readdir(folder.releases).catch(() => []));
  let release: string | undefined;
  const removals: (() => Promise<void>)[] = [];
  let isCounted = false;

  return {
    async activating(activate) {
      const installationId = (await readInstallationId(folder)) ?? randomUUID();
      removals.unshift(await createFolders([folder.root]));
      await keepInstallationId(folder, installationId);
      isCounted = true;
      try {
        return await activate(installationId);
      } catch (error) {
        isCounted = !hasTakenNoPlace(asFailure(error));
        throw error;
      }
    },
    async createBoxFolders(id) {
      release = id;
      removals.unshift(await createFolders([folder.root, folder.releases]));
    },
    async afterFailure(error) {
      const { code, facts } = asFailure(error);
      const keep = resumableCodes.has(code) || facts.passing === true;
      // If the last step failed, the new box is already running. A first box is stopped; a running box keeps its release.
      let running = await findRunningBox(folder);
      if (running && !existed.box) {
        await stopForGood(folder, running, silent, { force: true });
        running = undefined;
      }
      if (
        release &&
        !releases.has(release) &&
        running?.release !== release &&
        (await currentRelease(folder)) !== release
      ) {
        await revertToPartial(folder, release).catch(() => undefined);
      }
      if (release) await tidyPartial(partialFolder(folder, release), keep);
      if (!isCounted && !existed.installationId) await remove(folder.installationId);
      if (!existed.box) {
        await remove(folder.current);
        if (!existed.secrets) await remove(folder.secrets);
        if (!existed.backupKey) await remove(folder.backupKey);
        // Data that this install created belongs to the failed box. Data that existed before is never removed.
        if (!existed.data) await remove(folder.data);
        if (!existed.run) await remove(folder.run);
        if (!existed.logs && code !== 'box_not_healthy') await remove(folder.logs);
      }
      for (const removeCreatedFolders of removals) await removeCreatedFolders();
    },
  };
}

async function tidyPartial(partial: string, keep: boolean): Promise<void> {
  const names = await readdir(packagesFolder(partial)).catch(() => []);
  if (!keep || names.length === 0) await remove(partial);
}

async function remove(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true });
}
