/**
 * The lifecycle of a licence: minted, identified by its key, activated, suspended, reinstated, renewed, revoked.
 */
import { invalidRequest, newId, notFound, type ProblemExtras } from '@carton/runtime/service';
import type { Knex } from 'knex';
import { markReturned, shareErasures } from '../erasures.ts';
import {
  licenseConverted,
  licenseMinted,
  licenseReinstated,
  licenseRenewed,
  licenseUpdated,
  licenseRevoked as revoked,
  licenseSuspended as suspended,
} from '../events/types.ts';
import { entitledPackages } from '../releases/entitlements.ts';
import { noRelease } from '../releases/problems.ts';
import type { Release } from '../releases/schemas.ts';
import { channelExists, type Releases, stable } from '../releases/service.ts';
import type { CommonCallers, CommonServices } from '../services.ts';
import type { SigningKeys } from '../signing/keys.ts';
import { signActivation } from '../signing/token.ts';
import { recordLicenseEvent } from './events.ts';
import { type GuessLimiter, guesserOf } from './guesses.ts';
import { recordActivation } from './installations.ts';
import type { InstallerReport } from './installer-headers.ts';
import { generateKey, parseKey } from './key.ts';
import type { LicenseLimits } from './limits.ts';
import { licenseExpired, licenseKeyMalformed, licenseKeyUnknown, licenseNotTrial, revokedForGood } from './problems.ts';
import { type License, type LicenseChange, type MintLicenseDto, trialDays } from './schemas.ts';
import { changeLicense, changeTerms, findLicenseByHash, findLicenseById, insertLicense, lockLicense } from './store.ts';
import { skipPassedWarnings } from './warnings.ts';
import { rejectWithdrawn } from './withdrawn.ts';

/**
 * Mints a licence key. Only its hash is stored, so the result is the only place where the key can be read.
 * @throws invalid_request (400) for a past `expiresAt`, a trial without one or with a late one, an unknown channel
 */
export async function mintLicense(
  transaction: Knex.Transaction,
  { expiresAt, ...terms }: MintLicenseDto,
): Promise<License & { key: string }> {
  const expiry = expiresAt === undefined ? null : futureInstant(expiresAt);
  if (terms.trial) requireTrialExpiry(expiry);
  await requireChannel(transaction, terms.channel);
  await shareErasures(transaction);
  await markReturned(transaction, terms.customerId);
  const { key, hash, last4 } = generateKey(terms.tier);
  const license = await insertLicense(transaction, { ...terms, id: newId(), keyHash: hash, last4, expiresAt: expiry });
  await skipPassedWarnings(transaction, license.id);
  await recordLicenseEvent(transaction, licenseMinted, license);
  return { key, ...license };
}

/** @returns the instant @throws invalid_request (400) for one in the past */
export function futureInstant(instant: string): string {
  if (Date.parse(instant) > Date.now()) return instant;
  const detail = 'must be in the future';
  throw invalidRequest(`body /expiresAt: ${detail}`, { errors: [{ in: 'body', pointer: '/expiresAt', detail }] });
}

function requireTrialExpiry(expiresAt: string | null): void {
  if (expiresAt !== null && Date.parse(expiresAt) <= Date.now() + trialDays * 86_400_000) return;
  const detail = `must be at most ${trialDays} days ahead for a trial`;
  throw invalidRequest(`body /expiresAt: ${detail}`, { errors: [{ in: 'body', pointer: '/expiresAt', detail }] });
}

async function requireChannel(db: Knex, channel: string = stable): Promise<void> {
  if (channel === stable || (await channelExists(db, channel))) return;
  const detail = 'is not a channel that a release has been published on';
  throw invalidRequest(`body /channel: ${detail}`, { errors: [{ in: 'body', pointer: '/channel', detail }] });
}

/** A 401 names the expected authentication scheme (RFC 9110, section 11.6.1). */
const challenge: ProblemExtras = { headers: { 'WWW-Authenticate': 'Bearer' } };

/**
 * Finds the licence of a key, whatever its state. A well formed key that was never minted is counted as a guess, but not a
 * mistyped one: it can be none, and looking at it costs no query. A valid key is accepted however many guesses there were,
 * and has limits of its own.
 * @throws license_key_malformed or license_key_unknown (401), too_many_requests (429)
 */
export async function identifyLicense(
  { db, guesses, limits }: { db: Knex; guesses: GuessLimiter; limits: LicenseLimits },
  key: string,
  { address, kind }: { address: string; kind: 'read' | 'write' },
): Promise<License> {
  // Keys are copied from mails and files, with spaces and line ends around them.
  const parsed = parseKey(key.trim());
  if (!parsed) throw licenseKeyMalformed('Check the key for missing or mistyped characters.', challenge);
  const license = await findLicenseByHash(db, parsed.hash);
  if (!license) {
    guesses.count([guesserOf('licence', address), `licence prefix ${parsed.guessPrefix}`]);
    throw licenseKeyUnknown('The key is well formed, but this control plane has not minted it.', challenge);
  }
  limits.countRequest(license.id, kind);
  return license;
}

/** The callers of routes that accept a licence key. */
export interface LicenseCallers extends CommonCallers {
  license: { license: License };
}

/** The services of an activation. */
export interface ActivationServices extends CommonServices {
  signing: SigningKeys;
  guesses: GuessLimiter;
  limits: LicenseLimits;
  releases: Releases;
}

/**
 * Exchanges a key for an activation token and the list of entitled packages (contract, ActivationResult).
 * @throws the problems of identifyLicense and rejectWithdrawn, license_expired, license_installations_exceeded (403),
 * no_release (503)
 */
export async function activate(services: ActivationServices, key: string, report: InstallerReport) {
  const { db, signing, settings, client, releases } = services;
  const license = await identifyLicense(services, key, { address: client.address, kind: 'write' });
  rejectWithdrawn(license);
  if (license.status === 'expired')
    throw licenseExpired(`It expired at ${license.expiresAt}. Ask the vendor to renew it.`);
  const { id, tier, customerId, channel } = license;
  const { registryUrl, tokenLifetimeSeconds: expiresIn } = settings;
  const release = await releaseOf(releases, channel);
  const packages = entitledPackages(release.packages, tier);
  const signer = await signing.current();
  const token = await signActivation(signer, {
    customerId,
    licenseId: id,
    tier,
    channel,
    packages,
    audience: registryUrl,
    expiresIn,
  });
  await recordActivation(db, id, report, { channel, release: release.version });
  return { tier, customerId, token, expiresIn, packages, registryUrl };
}

/**
 * Reads the current release of a licence's channel.
 * @throws no_release (503) before the first release
 */
export async function releaseOf(releases: Releases, channel: string): Promise<Release> {
  const release = await releases.current(channel);
  if (release) return release;
  throw noRelease('The vendor publishes one with npm run publish:packages.', { headers: { 'Retry-After': '60' } });
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
 * Reads a licence and locks it until the end of the transaction, so that what changes it and its events follow each other.
 * @throws not_found (404)
 */
export async function lockedLicense(transaction: Knex.Transaction, id: string): Promise<License> {
  return (await lockLicense(transaction, id)) ?? readLicense(transaction, id);
}

/**
 * Changes the notes and limits of a licence. A limit below what is in use refuses new boxes and installations only.
 * @throws not_found (404), invalid_request (400) for an unknown channel
 */
export async function changeLicenseTerms(
  transaction: Knex.Transaction,
  id: string,
  change: LicenseChange,
): Promise<License> {
  await requireChannel(transaction, change.channel);
  const before = await lockedLicense(transaction, id);
  const license = (await changeTerms(transaction, id, change)) as License;
  const changed = (Object.keys(change) as (keyof LicenseChange)[]).filter((name) => before[name] !== license[name]);
  if (changed.length > 0) await recordLicenseEvent(transaction, licenseUpdated, license, { changed });
  return license;
}

const statusAfter = { suspend: 'suspended', reinstate: 'active', revoke: 'revoked' } as const;
const eventAfter = { suspend: suspended, reinstate: licenseReinstated, revoke: revoked } as const;

/**
 * Suspends, reinstates or revokes a licence; a repetition changes nothing.
 * @throws not_found (404), license_revoked_for_good (409) if a revoked licence is to be suspended or reinstated
 */
export async function setLicenseState(
  transaction: Knex.Transaction,
  id: string,
  action: keyof typeof statusAfter,
): Promise<License> {
  const license = await lockedLicense(transaction, id);
  const changed = await changeLicense(transaction, id, { status: statusAfter[action] });
  if (changed) {
    if (changed.status !== license.status) await recordLicenseEvent(transaction, eventAfter[action], changed);
    return changed;
  }
  if (action !== 'revoke') throw revokedForGood('Mint a new key for this customer.');
  return license;
}

/**
 * Changes when a licence expires; null if it never does.
 * @throws invalid_request (400) for an instant in the past, and for a trial a late one or none; not_found (404),
 * license_revoked_for_good (409)
 */
export async function renewLicense(
  transaction: Knex.Transaction,
  id: string,
  expiresAt: string | null,
): Promise<License> {
  const expiry = expiresAt === null ? null : futureInstant(expiresAt);
  const { trial, expiresAt: formerExpiresAt } = await lockedLicense(transaction, id);
  if (trial) requireTrialExpiry(expiry);
  const license = requireChange(await changeLicense(transaction, id, { expiresAt: expiry }));
  if (license.expiresAt !== formerExpiresAt) {
    await skipPassedWarnings(transaction, id);
    await recordLicenseEvent(transaction, licenseRenewed, license, { formerExpiresAt });
  }
  return license;
}

/**
 * Makes a trial a paid licence, also one that has expired.
 * @throws invalid_request (400) for an instant in the past, not_found (404), license_not_trial,
 * license_revoked_for_good (409)
 */
export async function convertTrial(
  transaction: Knex.Transaction,
  id: string,
  expiresAt: string | null,
): Promise<License> {
  const expiry = expiresAt === null ? null : futureInstant(expiresAt);
  const { trial, expiresAt: formerExpiresAt } = await lockedLicense(transaction, id);
  if (!trial) throw licenseNotTrial('To change when it expires, renew it.');
  const license = requireChange(await changeLicense(transaction, id, { trial: false, expiresAt: expiry }));
  await skipPassedWarnings(transaction, id);
  await recordLicenseEvent(transaction, licenseConverted, license, { formerExpiresAt });
  return license;
}

function requireChange(changed: License | null): License {
  if (changed) return changed;
  throw revokedForGood('Mint a new key for this customer.');
}
