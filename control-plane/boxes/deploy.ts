/**
 * Deployments of boxes: their names, URLs and domains.
 */
import { type CheckUrl, type FieldError, invalidRequest, isUniqueViolation } from '@carton/runtime/service';
import type { Knex } from 'knex';
import { shareErasures } from '../erasures.ts';
import type { License } from '../license/schemas.ts';
import { readLicense } from '../license/service.ts';
import { rejectWithdrawn } from '../license/withdrawn.ts';
import { replaceDomains } from './domains/claim.ts';
import { readClaims } from './domains/names.ts';
import { takePlace } from './limit.ts';
import { domainTaken } from './problems.ts';
import type { DeployBoxDto } from './schemas.ts';
import { saveBox } from './store.ts';

interface DeployServices {
  db: Knex;
  settings: { provesDomains: boolean };
  checkBackend: CheckUrl;
}

/**
 * Creates a customer's box, or replaces its URLs and its list of domains.
 * @throws invalid_request (400) that names each invalid field, license_suspended, license_revoked,
 * license_boxes_exceeded (403), domain_taken (409) that
 * names the domain
 */
export async function deployBox(
  { db, settings, checkBackend }: DeployServices,
  license: License,
  { name, backendUrl, frontendUrl, domains }: Omit<DeployBoxDto, 'key'>,
): Promise<void> {
  const { customerId } = license;
  const errors: FieldError[] = [];
  for (const [field, url] of Object.entries({ backendUrl, frontendUrl })) {
    // A name that does not resolve yet is accepted; the status of the box reports it.
    const fault = url === undefined ? null : (await checkBackend(url)).fault;
    if (fault !== null) errors.push({ in: 'body', pointer: `/${field}`, detail: fault });
  }
  const { claims, errors: invalid } = await readClaims(domains);
  errors.push(...invalid);
  if (errors.length > 0) throw invalidRequest(`body ${errors[0]?.pointer}: ${errors[0]?.detail}`, { errors });
  await db
    .transaction(async (transaction) => {
      await shareErasures(transaction);
      // The customer may have been erased since the licence was identified.
      rejectWithdrawn(await readLicense(transaction, license.id));
      const licenseId = await takePlace(transaction, license, name);
      const box = { customerId, licenseId, name, backendUrl, frontendUrl: frontendUrl ?? null };
      const boxId = await saveBox(transaction, box);
      await replaceDomains(transaction, { customerId, boxId, provesDomains: settings.provesDomains }, claims);
    })
    .catch((error) => {
      // The lock prevents this; without it, the index would still reject a second owner.
      throw isUniqueViolation(error, 'box_domains_one_owner')
        ? domainTaken('Another customer has one of the domains.')
        : error;
    });
}
