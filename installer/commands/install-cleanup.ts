/**
 * What a failed install leaves behind. A first one: nothing, or one folder that ends in `.partial`, when what was pulled
 * is sound and the same command would pull it again. A later one: the box as it was.
 */
import { readdir, rm } from 'node:fs/promises';
import { type BoxFolder, createFolders, exists, packagesFolder } from '../box/folder.ts';
import { findRunningBox } from '../box/running.ts';
import { readStopSeconds, stopBox } from '../box/stopping.ts';
import { asFailure } from '../failure.ts';
import { silent } from '../output/output.ts';
import { partialFolder, revertToPartial } from '../release/layout.ts';

/** Remembers what was there before and what was made since. */
export interface Cleanup {
  /** Makes the folders a release needs, to be taken away again should the install fail. @param id the release */
  createBoxFolders(id: string): Promise<void>;
  /** Puts the folder in order after a failure. */
  afterFailure(error: unknown): Promise<void>;
}

/** After these a repeated install finds what was pulled; after others it would not help, or the room is needed. */
const resumableCodes = new Set([
  'interrupted',
  'integrity_failed',
  'control_plane_unavailable',
  'box_not_healthy',
  'unexpected',
]);

/** Call before anything is changed. */
export async function prepareCleanup(folder: BoxFolder): Promise<Cleanup> {
  const existed = {
    box: (await exists(folder.settings)) || (await exists(folder.current)),
    secrets: await exists(folder.secrets),
    data: await exists(folder.data),
    logs: await exists(folder.logs),
    run: await exists(folder.run),
  };
  const releases = new Set(await readdir(folder.releases).catch(() => []));
  let release: string | undefined;
  let removeCreatedFolders = async () => {};

  return {
    async createBoxFolders(id) {
      release = id;
      removeCreatedFolders = await createFolders([folder.root, folder.releases]);
    },
    async afterFailure(error) {
      const { code, facts } = asFailure(error);
      const keep = resumableCodes.has(code) || facts.passing === true;
      // A box may run by now, when the very last step failed: a first one goes, and nobody's release is taken away.
      let running = await findRunningBox(folder);
      if (running && !existed.box) {
        await stopBox(folder, running, silent, { seconds: await readStopSeconds(folder), force: true });
        running = undefined;
      }
      if (release && !releases.has(release) && running?.release !== release) {
        await revertToPartial(folder, release).catch(() => undefined);
      }
      if (release) await tidyPartial(partialFolder(folder, release), keep);
      if (!existed.box) {
        await remove(folder.current);
        if (!existed.secrets) await remove(folder.secrets);
        // A database that this run began and no box ever served is part of the half-made box. One that was there before
        // is never touched.
        if (!existed.data) await remove(folder.data);
        if (!existed.run) await remove(folder.run);
        if (!existed.logs && code !== 'box_not_healthy') await remove(folder.logs);
      }
      await removeCreatedFolders();
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
