/**
 * Client of the control plane: one request exchanges the licence key for a token and the names of the entitled packages,
 * another reads the release, which has the exact version of each package.
 */
import semver from 'semver';
import {
  readProblem,
  requestWithRetries,
  type ToFailure,
  toRequestFailure,
  unavailable,
  type Warner,
} from './control-plane-requests.ts';
import { Failure } from './failure.ts';
import { isHttpUrl, isReadable } from './network.ts';
import { scope, version } from './vendor.ts';

/** The response to an activation (contract, ActivationResult). */
export interface Activation {
  tier: string;
  customerId: string;
  token: string;
  /** Lifetime of the token, in seconds. */
  expiresIn: number;
  packages: string[];
  registryUrl: string;
}

/** One package of a release. */
export interface ReleasedPackage {
  name: string;
  version: string;
  /** Digest of its tarball (Subresource Integrity), `sha512-…`. */
  integrity: string;
  /** File names of its migrations; not signed. */
  migrations?: string[];
}

/** A signature (ECDSA in DER) in base64, and the id of its key. */
interface ReleaseSignature {
  keyid: string;
  sig: string;
}

/** Exact versions of packages that work together. */
export interface Release {
  version: string;
  channel: string;
  packages: ReleasedPackage[];
  /** Signatures by keys of the vendor; none before releases were signed. */
  signatures?: ReleaseSignature[];
}

/** The channel unless a token names another. */
export const defaultChannel = 'stable';

const packageName = new RegExp(`^${scope}/[a-z0-9][a-z0-9._-]*$`);

/**
 * Activates a licence key for the installation with this id, a UUID; without one, it takes no place. It is tried again as
 * `requestWithRetries` says.
 * @throws Failure wrong_key, key_not_active, control_plane_unavailable, interrupted
 */
export async function activate(
  controlPlaneUrl: string,
  { key, installationId }: { key: string; installationId?: string | undefined },
  signal?: AbortSignal,
  warner?: Warner,
): Promise<Activation> {
  const url = `${controlPlaneUrl.replace(/\/+$/, '')}/license/activate`;
  const request = {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(installationId !== undefined && { 'installation-id': installationId }),
      'installer-version': version,
      'installation-platform': `${process.platform}-${process.arch}`,
    },
    body: JSON.stringify({ key }),
  };
  return parseActivation(await requestWithRetries(url, request, toRejectedKey, signal, warner), url);
}

/**
 * Reads the current release of a channel, or one that was published on it before. It is tried again as
 * `requestWithRetries` says.
 * @throws Failure usage if the channel has no such release; control_plane_unavailable, interrupted
 */
export async function readRelease(
  controlPlaneUrl: string,
  channel: string = defaultChannel,
  signal?: AbortSignal,
  version?: string,
  warner?: Warner,
): Promise<Release> {
  const name = version === undefined ? channel : `${channel}/${encodeURIComponent(version)}`;
  const url = `${controlPlaneUrl.replace(/\/+$/, '')}/releases/${name}`;
  const toFailure: ToFailure = async (response, of) => {
    const failure = await toRequestFailure(response, of);
    if (response.status !== 404 || version === undefined) return failure;
    const message = `the channel ${channel} has no release ${version}`;
    return new Failure('usage', message, 'Use a version that the vendor has published on it', failure.facts);
  };
  const release = parseRelease(await requestWithRetries(url, {}, toFailure, signal, warner), url);
  if (version === undefined || release.version === version) return release;
  throw unavailable(url, `it responded with release ${release.version} instead of ${version}`);
}

/**
 * Returns the channel of the licence, a claim of its activation token. The token is not verified: the registry decides by
 * it, and a wrong channel leads to a release whose packages the registry refuses.
 */
export function channelOf(token: string): string {
  try {
    const { channel } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    return typeof channel === 'string' && /^[a-z][a-z0-9-]{0,31}$/.test(channel) ? channel : defaultChannel;
  } catch {
    return defaultChannel;
  }
}

/** Whether a failed activation has certainly taken none of the licence's installations. */
export function hasTakenNoPlace({ code, facts }: Failure): boolean {
  if (code === 'wrong_key' || code === 'key_not_active') return true;
  return facts.unreached === true || (typeof facts.status === 'number' && facts.status < 500);
}

/**
 * Distinguishes a rejected key from other faults. A problem of a licence has its cause as title and what to do as detail; a
 * proxy may answer 401 or 403 too, and then has no such problem.
 */
export async function toRejectedKey(response: Response, url: string): Promise<Failure> {
  const { title, detail, facts } = await readProblem(response.clone());
  const { status } = response;
  if (status === 400) {
    const advice = 'Check that the file contains only the licence key';
    return new Failure('wrong_key', `the licence key was rejected: ${detail}`, advice, facts);
  }
  if (status !== 401 && status !== 403) return toRequestFailure(response, url);
  if (!String(facts.reason).startsWith('license_')) {
    return unavailable(url, `something other than the control plane returned ${status}`, facts);
  }
  const cause = `${title.charAt(0).toLowerCase()}${title.slice(1)}`;
  return new Failure(status === 401 ? 'wrong_key' : 'key_not_active', cause, detail, facts);
}

/** Validates the members, which are used later as paths, URLs and headers. */
function parseActivation(body: unknown, url: string): Activation {
  const activation = (body ?? {}) as Partial<Activation>;
  if (isHttpUrl(activation.registryUrl) && isReadable(activation.registryUrl) && url.startsWith('https:')) {
    throw new Failure(
      'registry_refused',
      `the registry at ${new URL(activation.registryUrl).origin} does not encrypt: its token could be read on the way`,
      'Contact the vendor: the URL of the registry must start with https',
    );
  }
  const problems = [
    typeof activation.tier === 'string' || 'tier',
    typeof activation.customerId === 'string' || 'customerId',
    (typeof activation.token === 'string' && activation.token !== '') || 'token',
    typeof activation.expiresIn === 'number' || 'expiresIn',
    isHttpUrl(activation.registryUrl) || 'registryUrl',
    (Array.isArray(activation.packages) &&
      activation.packages.length > 0 &&
      activation.packages.every((name) => packageName.test(name))) ||
      'packages',
  ].filter((problem) => problem !== true);
  if (problems.length === 0) return activation as Activation;
  throw unavailable(url, `invalid activation in the response (${problems.join(', ')})`);
}

/** Validates names and versions, which are used later in paths and URLs. */
function parseRelease(body: unknown, url: string): Release {
  const { version, packages, signatures = [] } = (body ?? {}) as Partial<Release>;
  const isPackage = (entry: Partial<ReleasedPackage>) =>
    packageName.test(entry?.name ?? '') &&
    semver.valid(entry.version) !== null &&
    /^sha512-[A-Za-z0-9+/]{86}==$/.test(entry.integrity ?? '') &&
    (entry.migrations === undefined || isListOfTexts(entry.migrations));
  const isSignature = (entry: Partial<ReleaseSignature> | null) =>
    typeof entry?.keyid === 'string' && typeof entry.sig === 'string';
  const areSignatures = Array.isArray(signatures) && signatures.every(isSignature);
  if (typeof version === 'string' && Array.isArray(packages) && packages.every(isPackage) && areSignatures) {
    return body as Release;
  }
  throw unavailable(url, 'invalid release in the response');
}

function isListOfTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}
