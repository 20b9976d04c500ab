/**
 * Installations that have activated a licence, and the last activation of each. They have no IP address: the id tells
 * installations apart, and an address would be personal data without a use here.
 */
import { newId, type Page, paginate } from '@carton/runtime/service';
import type { Knex } from 'knex';
import { licenseFirstActivated, licenseInstallationAdded } from '../events/types.ts';
import type { Job } from '../schedule.ts';
import { recordLicenseEvent } from './events.ts';
import { type InstallerReport, unnamedInstallation } from './installer-headers.ts';
import { licenseInstallationsExceeded } from './problems.ts';
import type { Activation, Installation } from './schemas.ts';
import { firstIdOf, lockCounts, lockLicense } from './store.ts';
import { rejectWithdrawn } from './withdrawn.ts';

/** Days for which activations are kept. */
export const activationDays = 180;

/** The most installations that are stored for a licence without a limit: a key that leaked must not fill the disk. */
const maxStored = 10_000;

/** What a licence leads an installer to. */
interface Target {
  channel: string;
  /** Version of the channel's release. */
  release: string;
}

/**
 * Records an activation and its installation. All that do not say which one they are count as one.
 * @throws license_suspended, license_revoked (403), license_installations_exceeded (403) for a new installation when the licence has no place for it
 */
export async function recordActivation(
  db: Knex,
  licenseId: string,
  report: InstallerReport,
  target: Target,
): Promise<void> {
  await db.transaction(async (transaction) => {
    // First, since it locks the row: activations that lock it after the installation would wait for each other.
    const license = await lockLicense(transaction, licenseId);
    if (!license) return;
    // It may have been withdrawn since it was identified; of an erased customer nothing must be stored.
    rejectWithdrawn(license);
    await transaction('license_keys').where({ id: licenseId }).update({ lastActivatedAt: transaction.fn.now() });
    if (license.lastActivatedAt === null) await recordLicenseEvent(transaction, licenseFirstActivated, license);
    const named = { ...report, installationId: report.installationId ?? unnamedInstallation };
    const outcome = await recordInstallation(transaction, licenseId, named, target);
    if (outcome === 'added') {
      await recordLicenseEvent(transaction, licenseInstallationAdded, license, {
        installationId: named.installationId,
      });
    }
    // One row for each installation, so that a key cannot fill the disk. The lock keeps others from adding another one.
    const installationId = outcome === 'full' ? null : report.installationId;
    await transaction('license_activations')
      .where({ licenseId })
      .whereRaw('installation_id is not distinct from ?::uuid', [installationId])
      .delete();
    await transaction('license_activations').insert({ id: newId(), licenseId, ...report, installationId });
  });
}

/** An installer's report with the id of an installation. */
type NamedReport = InstallerReport & { installationId: string };

/** Records an installation. `full`: it is not stored, since there are too many. */
async function recordInstallation(
  transaction: Knex.Transaction,
  id: string,
  report: NamedReport,
  target: Target,
): Promise<'known' | 'added' | 'full'> {
  if (await renewInstallation(transaction, await firstIdOf(transaction, id), report, target)) return 'known';
  const { firstId, maxInstallations } = await lockCounts(transaction, id);
  // The same installation may have been recorded while this request waited for the lock.
  if (await renewInstallation(transaction, firstId, report, target)) return 'known';
  const { rows } = await transaction.raw(
    'select count(*)::integer as count from (select from license_installations where license_id = ? limit ?) counted',
    [firstId, maxInstallations ?? maxStored],
  );
  const isFull = rows[0].count >= (maxInstallations ?? maxStored);
  if (isFull && maxInstallations !== null) {
    throw licenseInstallationsExceeded(
      `The licence is for ${maxInstallations} installations, which all have activated it. Ask the vendor to free the place of one that is no longer used, or for more.`,
    );
  }
  if (isFull) return 'full';
  await transaction('license_installations').insert({ id: newId(), licenseId: firstId, ...report, ...target });
  return 'added';
}

/** Records another activation of an installation. Returns whether it is known. */
async function renewInstallation(
  transaction: Knex.Transaction,
  licenseId: string,
  { installationId, version, platform }: NamedReport,
  target: Target,
): Promise<boolean> {
  const changed = await transaction('license_installations')
    .where({ licenseId, installationId })
    .update({
      lastActivatedAt: transaction.fn.now(),
      ...target,
      ...(version !== null && { version }),
      ...(platform !== null && { platform }),
    });
  return changed > 0;
}

interface PageQuery {
  limit: number;
  cursor?: string;
}

/** Reads a page of the installations of a licence, and of those that it replaces; the newest first. */
export async function listInstallations(db: Knex, licenseId: string, page: PageQuery): Promise<Page<Installation>> {
  const query = db('license_installations')
    .where({ licenseId: await firstIdOf(db, licenseId) })
    .select('id', 'installationId', 'version', 'platform', 'createdAt', 'lastActivatedAt');
  const { items, nextCursor } = await paginate<Installation & { id: string; createdAt: string }>(
    query as never,
    'license_installations',
    page,
  );
  const shown = items.map(({ id, createdAt, ...rest }) => ({ ...rest, firstActivatedAt: createdAt }));
  return { items: shown, nextCursor };
}

/** Reads a page of the activations of a licence, newest first. */
export function listActivations(db: Knex, licenseId: string, page: PageQuery): Promise<Page<Activation>> {
  const query = db('license_activations')
    .where({ licenseId })
    .select('id', 'installationId', 'version', 'platform', 'createdAt');
  return paginate<Activation>(query as never, 'license_activations', page);
}

/** Forgets an installation, so that another has its place. Returns whether there was one. */
export async function removeInstallation(db: Knex, licenseId: string, installationId: string): Promise<boolean> {
  const removed = await db('license_installations')
    .where({ licenseId: await firstIdOf(db, licenseId), installationId })
    .delete();
  return removed > 0;
}

export function activationJob(db: Knex): Job {
  return {
    complaint: 'old activations could not be removed',
    interval: 3_600_000,
    run: () => removeOldActivations(db),
  };
}

/** Removes activations that are older than `activationDays`. Returns how many. */
export function removeOldActivations(db: Knex): Promise<number> {
  return db('license_activations').whereRaw(`created_at < now() - interval '${activationDays} days'`).delete();
}
