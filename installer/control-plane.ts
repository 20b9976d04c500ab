/**
 * The control plane as this command uses it: one call, that exchanges the licence key for a token and the list of
 * packages it is good for.
 */
import { setTimeout as pause } from 'node:timers/promises';
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

/** RFC 9457, as the control plane uses it. */
interface Problem {
  code?: string;
  title?: string;
  detail?: string;
}

const attempts = 3;
const firstPauseMilliseconds = 500;
const answerMilliseconds = 30_000;

/**
 * Activates a licence key. Network faults and 5xx answers are tried again twice.
 * @throws Failure wrong_key (400, 401), key_not_active (403), control_plane_unavailable, interrupted
 */
export async function activate(controlPlaneUrl: string, key: string, signal?: AbortSignal): Promise<Activation> {
  const url = `${controlPlaneUrl.replace(/\/+$/, '')}/license/activate`;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const response = await send(url, key, signal);
      if (response.ok) return checked(await response.json().catch(() => undefined), url);
      throw await refusal(response, url);
    } catch (error) {
      if (signal?.aborted) throw interrupted();
      if (!(error instanceof Failure) || !error.facts.passing || attempt === attempts) throw error;
      await pause(firstPauseMilliseconds * 2 ** (attempt - 1));
    }
  }
}

async function send(url: string, key: string, signal?: AbortSignal): Promise<Response> {
  const time = AbortSignal.timeout(answerMilliseconds);
  try {
    return await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, application/problem+json' },
      body: JSON.stringify({ key }),
      signal: signal ? AbortSignal.any([signal, time]) : time,
    });
  } catch (error) {
    throw unavailable(url, reason(error), { passing: true });
  }
}

/** A refused key ends the command; anything else is the control plane's own trouble. */
async function refusal(response: Response, url: string): Promise<Failure> {
  const problem = ((await response.json().catch(() => ({}))) ?? {}) as Problem;
  const said = problem.detail ?? problem.title ?? `it answered ${response.status}`;
  const facts = { reason: problem.code, status: response.status };
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
  if (response.status === 429) {
    const wait = response.headers.get('retry-after');
    return unavailable(url, `too many attempts${wait ? `, wait ${wait} s` : ''}`, facts);
  }
  return unavailable(url, said, { ...facts, passing: response.status >= 500 });
}

/** What is used later as a path, an address or a header is checked here, once. */
function checked(answer: unknown, url: string): Activation {
  const activation = (answer ?? {}) as Partial<Activation>;
  const packageName = new RegExp(`^${scope}/[a-z0-9][a-z0-9._-]*$`);
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
