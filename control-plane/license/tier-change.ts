/**
 * Changes of tier: what would be gained and lost, and the change itself.
 */
import type { Tier } from '@carton/runtime/service';
import type { Knex } from 'knex';
import { licenseTierChanged } from '../events/types.ts';
import { explainEntitlements } from '../releases/entitlements.ts';
import type { Releases } from '../releases/service.ts';
import { recordLicenseEvent } from './events.ts';
import { licenseTierUnchanged, revokedForGood } from './problems.ts';
import type { License } from './schemas.ts';
import { lockedLicense, readLicense, releaseOf } from './service.ts';
import { changeLicense } from './store.ts';

interface TierServices {
  db: Knex;
  releases: Releases;
}

/**
 * The packages of a licence in the current release of its channel, each with its reason.
 * @throws not_found (404), no_release (503)
 */
export async function explainPackages({ db, releases }: TierServices, id: string) {
  const { tier, channel } = await readLicense(db, id);
  const release = await releaseOf(releases, channel);
  return { tier, channel, version: release.version, packages: explainEntitlements(release.packages, tier) };
}

/**
 * What a change to another tier would bring: the packages gained, with their reasons in the new tier, and those lost, with
 * their reasons in the present one.
 * @throws not_found (404), no_release (503)
 */
export async function previewTierChange({ db, releases }: TierServices, id: string, to: Tier) {
  const { tier: from, channel } = await readLicense(db, id);
  const release = await releaseOf(releases, channel);
  const [before, after] = [from, to].map((tier) => explainEntitlements(release.packages, tier)) as [
    ReturnType<typeof explainEntitlements>,
    ReturnType<typeof explainEntitlements>,
  ];
  const missingIn = (others: typeof before) => {
    const names = new Set(others.map(({ name }) => name));
    return ({ name }: { name: string }) => !names.has(name);
  };
  return {
    from,
    to,
    channel,
    version: release.version,
    gained: after.filter(missingIn(before)),
    lost: before.filter(missingIn(after)),
  };
}

/**
 * Changes the tier of a licence.
 * @throws not_found (404), license_tier_unchanged, license_revoked_for_good (409)
 */
export async function changeTier(transaction: Knex.Transaction, id: string, tier: Tier): Promise<License> {
  const license = await lockedLicense(transaction, id);
  const changed = await changeLicense(transaction, id, { tier });
  if (changed) {
    await recordLicenseEvent(transaction, licenseTierChanged, changed, { formerTier: license.tier });
    return changed;
  }
  if (license.status === 'revoked') throw revokedForGood('Mint a new key for this customer.');
  throw licenseTierUnchanged(`The licence has the tier ${tier}.`);
}
