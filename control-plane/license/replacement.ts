/**
 * Replacement of a key by another one, with a time in which both are valid.
 */
import { newId } from '@carton/runtime/service';
import type { Knex } from 'knex';
import { shareErasures } from '../erasures.ts';
import { licenseMinted, licenseReplaced as replacedEvent } from '../events/types.ts';
import { recordLicenseEvent } from './events.ts';
import { generateKey } from './key.ts';
import { licenseNotActive, licenseReplaced, revokedForGood } from './problems.ts';
import type { License } from './schemas.ts';
import { readLicense } from './service.ts';
import { copyLicense, endLicense } from './store.ts';
import { skipPassedWarnings } from './warnings.ts';

/**
 * Mints a key for the same customer with the same tier, expiry, limits and notes. The replaced licence ends by itself
 * after the overlap: from then on it is revoked. Boxes and installations of both are counted together.
 * @param overlapHours 0 to end it at once
 * @throws not_found (404), license_replaced, license_not_active, license_revoked_for_good (409)
 */
export async function replaceLicense(
  transaction: Knex.Transaction,
  id: string,
  overlapHours: number,
): Promise<License & { key: string }> {
  await shareErasures(transaction);
  // Of two requests at once, the second waits here and then finds the replacement.
  await transaction('license_keys').where({ id }).forUpdate().first('id');
  const license = await readLicense(transaction, id);
  const { replacedBy, status, tier } = license;
  if (replacedBy !== null) {
    throw licenseReplaced(
      `The licence ${replacedBy} replaces it. If its key was lost, replace that licence, with an overlap of 0 hours.`,
    );
  }
  if (status === 'revoked') throw revokedForGood('Mint a new key for this customer.');
  if (status !== 'active') throw licenseNotActive(`It is ${status}. Reinstate or renew it first.`);
  const { key, hash, last4 } = generateKey(tier);
  const replacementId = newId();
  await copyLicense(transaction, id, { id: replacementId, keyHash: hash, last4 });
  await endLicense(transaction, id, overlapHours);
  for (const changed of [id, replacementId]) await skipPassedWarnings(transaction, changed);
  await recordLicenseEvent(transaction, replacedEvent, await readLicense(transaction, id));
  const replacement = await readLicense(transaction, replacementId);
  await recordLicenseEvent(transaction, licenseMinted, replacement);
  return { key, ...replacement };
}
