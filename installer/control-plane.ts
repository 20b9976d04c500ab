/**
 * The control plane as this command uses it: one call exchanges the licence key for a token and the names of the
 * packages that it entitles to, another reads the release, which says the exact version of each package.
 */
import { setTimeout as pause } from 'node:timers/promises';
import semver from 'semver';
import { Failure, interrupted } from './failure.ts';
import { scope, variable } from './vendor.ts';

/** The answer to an activation (contract, ActivationResult). */
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
}

/** Exact versions of packages that fit together. */
export interface Release {
  version: string;
  channel: string;
  packages: ReleasedPackage[];
}

/** The channel that boxes follow. */
const channel = 'stable';

/** RFC 9457, as the control plane uses it. */
interface Problem {
  code?: string;
  title?: string;
  detail?: string;
}

const packageName = new RegExp(`^${scope}/[a-z0-9][a-z0-9._-]*$`);

const attempts = 3;
const firstPauseMilliseconds = 500;
const answerMilliseconds = 30_000;

/**
 * Activates a licence key. Network faults and 5xx answers are tried again twice.
 * @throws Failure wrong_key (400, 401), key_not_active (403), control_plane_unavailable, interrupted
 */
export async function activate(controlPlaneUrl: string, key: string, signal?: AbortSignal): Promise<Activation> {
  const url = `${controlPlaneUrl.replace(/\/+$/, '')}/license/activate`;
  const request = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ key }),
  };
  return checkedActivation(await askWithRetries(url, request, activationRefused, signal), url);
}

/**
 * Reads the current release. Network faults and 5xx answers are tried again twice.
 * @throws Failure control_plane_unavailable, interrupted
 */
export async function readRelease(controlPlaneUrl: string, signal?: AbortSignal): Promise<Release> {
  const url = `${controlPlaneUrl.replace(/\/+$/, '')}/releases/${channel}`;
  return checkedRelease(await askWithRetries(url, {}, requestRefused, signal), url);
}

type Refused = (response: Response, url: string) => Promise<Failure>;

/** Returns the JSON of a successful answer. @param refused makes the failure of any other one */
async function askWithRetries(url: string, request: RequestInit, refused: Refused, signal?: AbortSignal) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const response = await send(url, request, signal);
      if (response.ok) return (await response.json().catch(() => undefined)) as unknown;
      throw await refused(response, url);
    } catch (error) {
      if (signal?.aborted) throw interrupted();
      if (!(error instanceof Failure) || !error.facts.passing || attempt === attempts) throw error;
      await pause(firstPauseMilliseconds * 2 ** (attempt - 1));
    }
  }
}

async function send(url: string, request: RequestInit, signal?: AbortSignal): Promise<Response> {
  const time = AbortSignal.timeout(answerMilliseconds);
  try {
    return await fetch(url, {
      ...request,
      headers: { ...request.headers, accept: 'application/json, application/problem+json' },
      signal: signal ? AbortSignal.any([signal, time]) : time,
    });
  } catch (error) {
    throw unavailable(url, reason(error), { passing: true });
  }
}

/** What a refused request says of itself. */
async function readProblem(response: Response): Promise<{ said: string; facts: Record<string, unknown> }> {
  const problem = ((await response.json().catch(() => ({}))) ?? {}) as Problem;
  const said = problem.detail ?? problem.title ?? `it answered ${response.status}`;
  return { said, facts: { reason: problem.code, status: response.status } };
}

/** A refused key ends the command; anything else is a fault of the control plane. */
async function activationRefused(response: Response, url: string): Promise<Failure> {
  const { said, facts } = await readProblem(response.clone());
  if (response.status === 401 || response.status === 400) {
    return new Failure(
      'wrong_key',
      `the licence key is not accepted: ${said}`,
      'Check that it was copied whole',
      facts,
    );
  }
  if (response.status === 403) {
    return new Failure('key_not_active', `the licence key is not active: ${said}`, 'Ask the vendor to renew it', facts);
  }
  return requestRefused(response, url);
}

async function requestRefused(response: Response, url: string): Promise<Failure> {
  const { said, facts } = await readProblem(response);
  if (response.status === 429) {
    const wait = response.headers.get('retry-after');
    return unavailable(url, `too many attempts${wait ? `, wait ${wait} s` : ''}`, facts);
  }
  return unavailable(url, said, { ...facts, passing: response.status >= 500 });
}

/** What is used later as a path, an address or a header is checked here, once. */
function checkedActivation(answer: unknown, url: string): Activation {
  const activation = (answer ?? {}) as Partial<Activation>;
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
  throw unavailable(url, `its answer is not an activation (${problems.join(', ')})`);
}

/** Names and versions become paths and addresses later, so they are checked here, once. */
function checkedRelease(answer: unknown, url: string): Release {
  const { version, packages } = (answer ?? {}) as Partial<Release>;
  const isPackage = (entry: Partial<ReleasedPackage>) =>
    packageName.test(entry?.name ?? '') &&
    semver.valid(entry.version) !== null &&
    /^sha512-[A-Za-z0-9+/]{86}==$/.test(entry.integrity ?? '');
  if (typeof version === 'string' && Array.isArray(packages) && packages.every(isPackage)) return answer as Release;
  throw unavailable(url, 'its answer is not a release');
}

function unavailable(url: string, why: string, facts: Record<string, unknown> = {}): Failure {
  const { origin } = new URL(url);
  return new Failure(
    'control_plane_unavailable',
    `the control plane at ${origin} cannot be used: ${why}`,
    `Check the address (--control-plane or ${variable('CONTROL_PLANE_URL')}) and the network, then try again`,
    facts,
  );
}

/** Whether a value is an address this command can speak to. */
export function isHttpUrl(value: unknown): value is string {
  return typeof value === 'string' && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
}

/** The words that help, which fetch puts into the cause of its error (or, for two addresses, into a list of them). */
function reason(error: unknown): string {
  const { cause, message } = error as Error;
  const detail = cause as (Error & { code?: string; errors?: Error[] }) | undefined;
  return detail?.errors?.[0]?.message || detail?.message || detail?.code || message;
}
