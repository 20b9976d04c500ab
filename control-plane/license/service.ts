/**
 * The lifecycle of a licence: minted, identified by its key, activated, suspended, reinstated, renewed, revoked.
 */
import { addressBlock, invalidRequest, newId, notFound, type ProblemExtras } from '@carton/runtime/service';
import type { Knex } from 'knex';
import { entitledPackages } from '../releases/entitlements.ts';
import { noRelease } from '../releases/problems.ts';
import { type Releases, stable } from '../releases/service.ts';
import type { CommonCallers, CommonServices } from '../services.ts';
import type { SigningKeys } from '../signing/keys.ts';
import { signActivation } from '../signing/token.ts';
import type { GuessLimiter } from './guesses.ts';
import { recordActivation } from './installations.ts';
import type { InstallerReport } from './installer-headers.ts';
import { generateKey, parseKey } from './key.ts';
import {
  licenseExpired,
  licenseKeyMalformed,
  licenseKeyUnknown,
  licenseRevoked,
  licenseSuspended,
  revokedForGood,
} from './problems.ts';
import type { License, LicenseChange, MintLicenseDto } from './schemas.ts';
import { changeLicense, changeTerms, findLicenseByHash, findLicenseById, insertLicense } from './store.ts';

/**
 * Mints a licence key. Only its hash is stored, so the result is the only place where the key can be read.
 * @throws invalid_request (400) for a past `expiresAt`
 */
export async function mintLicense(
  db: Knex,
  { expiresAt, ...terms }: MintLicenseDto,
): Promise<License & { key: string }> {
  const expiry = expiresAt === undefined ? null : futureInstant(expiresAt);
  const { key, hash, last4 } = generateKey(terms.tier);
  const license = await insertLicense(db, { ...terms, id: newId(), keyHash: hash, last4, expiresAt: expiry });
  return { key, ...license };
}

/**
 * Converts an instant to ISO 8601 in UTC.
 * @throws invalid_request (400) for one in the past or for an invalid date
 */
export function futureInstant(text: string): string {
  const instant = Date.parse(text);
  if (instant > Date.now()) return new Date(instant).toISOString();
  const detail = Number.isNaN(instant) ? 'is not a valid date and time' : 'must be in the future';
  throw invalidRequest(`body /expiresAt: ${detail}`, { errors: [{ in: 'body', pointer: '/expiresAt', detail }] });
}

/** A 401 names the expected authentication scheme (RFC 9110, section 11.6.1). */
const challenge: ProblemExtras = { headers: { 'WWW-Authenticate': 'Bearer' } };

/**
 * Finds the licence of a key, whatever its state. An invalid key is counted as a guess.
 * @throws license_key_malformed or license_key_unknown (401), too_many_requests (429)
 */
export async function identifyLicense(
  { db, guesses }: { db: Knex; guesses: GuessLimiter },
  key: string,
  address: string,
): Promise<License> {
  const source = `address ${addressBlock(address)}`;
  guesses.check([source]);
  const parsed = parseKey(key);
  if (!parsed) {
    guesses.count([source]);
    throw licenseKeyMalformed('Check the key for missing or mistyped characters.', challenge);
  }
  const sources = [source, `prefix ${parsed.guessPrefix}`];
  guesses.check(sources);
  const license = await findLicenseByHash(db, parsed.hash);
  if (!license) {
    guesses.count(sources);
    throw licenseKeyUnknown('The key is well formed, but this control plane has not minted it.', challenge);
  }
  return license;
}

/**
 * Rejects a suspended or revoked licence; an expired one passes.
 * @throws license_suspended or license_revoked (403)
 */
export function rejectWithdrawn({ status }: License): void {
  if (status === 'revoked') throw licenseRevoked('Use the key that replaces it, or contact the vendor.');
  if (status === 'suspended') throw licenseSuspended('Ask the vendor to reinstate it.');
}

/** The callers of routes that accept a licence key. */
export interface LicenseCallers extends CommonCallers {
  license: { license: License };
}

/** The services of an activation. */
export interface ActivationServices extends CommonServices {
  signing: SigningKeys;
  guesses: GuessLimiter;
  releases: Releases;
}

/**
 * Exchanges a key for an activation token and the list of entitled packages (contract, ActivationResult).
 * @throws the problems of identifyLicense and rejectWithdrawn, license_expired, license_installations_exceeded (403),
 * no_release (503)
 */
export async function activate(services: ActivationServices, key: string, report: InstallerReport) {
  const { db, signing, settings, client, releases } = services;
  const license = await identifyLicense(services, key, client.address);
  rejectWithdrawn(license);
  if (license.status === 'expired')
    throw licenseExpired(`It expired at ${license.expiresAt}. Ask the vendor to renew it.`);
  const { id, tier, customerId } = license;
  const { registryUrl, tokenLifetimeSeconds: expiresIn } = settings;
  const release = await releases.current(stable);
  if (!release)
    throw noRelease('The vendor publishes one with npm run publish:packages.', { headers: { 'Retry-After': '60' } });
  const packages = entitledPackages(release.packages, tier);
  const signer = await signing.current();
  const token = await signActivation(signer, {
    customerId,
    licenseId: id,
    tier,
    packages,
    audience: registryUrl,
    expiresIn,
  });
  await recordActivation(db, id, report);
  return { tier, customerId, token, expiresIn, packages, registryUrl };
}

/**
 * Reads a licence by its id.
 * @throws not_found (404)
 */
export async function readLicense(db: Knex, id: string): Promise<License> {
  const license = await findLicenseById(db, id);
  if (!license) throw notFound(`There is no licence with the id ${id}.`);
  return license;
}

/**
 * Changes the notes and limits of a licence. A limit below what is in use refuses new boxes and installations only.
 * @throws not_found (404)
 */
export async function changeLicenseTerms(db: Knex, id: string, change: LicenseChange): Promise<License> {
  return (await changeTerms(db, id, change)) ?? readLicense(db, id);
}

const statusAfter = { suspend: 'suspended', reinstate: 'active', revoke: 'revoked' } as const;

/**
 * Suspends, reinstates or revokes a licence; a repetition changes nothing.
 * @throws not_found (404), license_revoked_for_good (409) if a revoked licence is to be suspended or reinstated
 */
export async function setLicenseState(db: Knex, id: string, action: keyof typeof statusAfter): Promise<License> {
  const changed = await changeLicense(db, id, { status: statusAfter[action] });
  if (changed) return changed;
  const license = await readLicense(db, id);
  if (action !== 'revoke') throw revokedForGood('Mint a new key for this customer.');
  return license;
}

/**
 * Changes when a licence expires; null if it never does.
 * @throws invalid_request (400) for an instant in the past, not_found (404), license_revoked_for_good (409)
 */
export async function renewLicense(db: Knex, id: string, expiresAt: string | null): Promise<License> {
  const changed = await changeLicense(db, id, { expiresAt: expiresAt === null ? null : futureInstant(expiresAt) });
  if (changed) return changed;
  await readLicense(db, id);
  throw revokedForGood('Mint a new key for this customer.');
}
