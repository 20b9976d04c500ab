/**
 * The job that makes exports. An attempt whose process died is followed by another, from the beginning; files of attempts
 * that did not end well are deleted.
 */
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { TenantRemoval } from '@carton/core';
import { dataFolderOf, job, renewJob, type TenantDatabase } from '@carton/runtime';
import { tenantSettings } from '../settings.ts';
import { writeArchive } from './archive.ts';
import { exportJob } from './service.ts';
import { beginAttempt, changeAttempt, type ExportRow, findExport, forgetExpired } from './store.ts';

/** Attempts that may be interrupted. */
const maxAttempts = 3;
/** Seconds after which another replica takes over from a process that died. */
const leaseSeconds = 60;
const reportMilliseconds = 2000;

function folderOf(db: TenantDatabase): string {
  const { exportFolder } = tenantSettings.of(db);
  return join(exportFolder === null ? join(dataFolderOf(db), 'exports') : resolve(exportFolder), db.tenantId);
}

/** The file of an export. */
export function fileOf(db: TenantDatabase, { id, attempts }: Pick<ExportRow, 'id' | 'attempts'>): string {
  return join(folderOf(db), `${id}.${attempts}.tar.gz`);
}

export async function makeExport(db: TenantDatabase): Promise<void> {
  await forgetExpired(db);
  const started = await beginAttempt(db);
  await deleteOtherFiles(db);
  if (!started) return;
  if (started.attempts > maxAttempts) {
    await fail(db, started, `The export was interrupted ${maxAttempts} times.`);
    return;
  }
  const path = fileOf(db, started);
  try {
    await mkdir(folderOf(db), { recursive: true, mode: 0o700 });
    const archived = await writeArchive(db, path, reporterOf(db, started));
    const expiresAt = expiry(db);
    if (!(await changeAttempt(db, started, { ...archived, state: 'ready', expiresAt })))
      await rm(path, { force: true });
  } catch (error) {
    await fail(db, started, 'The export could not be written; the log of the box has the cause.');
    await deleteOtherFiles(db);
    throw error;
  }
}

const expiry = (db: TenantDatabase) =>
  new Date(Date.now() + tenantSettings.of(db).exportHours * 3_600_000).toISOString();

function fail(db: TenantDatabase, attempt: ExportRow, error: string): Promise<boolean> {
  return changeAttempt(db, attempt, { state: 'failed', error, expiresAt: expiry(db) });
}

/** Stores the progress and keeps the claim on the job, every few seconds. @throws Error when another attempt has begun */
function reporterOf(db: TenantDatabase, attempt: ExportRow) {
  let last = performance.now();
  return async (progress: Pick<ExportRow, 'tables' | 'rows' | 'files'>) => {
    if (performance.now() - last < reportMilliseconds) return;
    last = performance.now();
    await renewJob(db, { name: exportJob }, leaseSeconds);
    if (!(await changeAttempt(db, attempt, progress))) throw new Error('another attempt of the export has begun');
  };
}

/** Deletes the files of the tenant's exports except that of the current one. */
async function deleteOtherFiles(db: TenantDatabase): Promise<void> {
  const current = await findExport(db);
  const kept = current && current.state !== 'failed' ? fileOf(db, current) : null;
  const folder = folderOf(db);
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
    throw error;
  });
  for (const name of names) {
    const path = join(folder, name);
    if (kept === null || !path.startsWith(kept)) await rm(path, { force: true });
  }
}

export const exportTenants = job({ name: exportJob, everySeconds: leaseSeconds, run: makeExport });

/** The files of exports go with the tenant. */
export const removeExports: TenantRemoval = {
  name: 'exports',
  async remove(db) {
    await rm(folderOf(db), { recursive: true, force: true });
    return false;
  },
};
