/**
 * Requests to the control plane: attempts, waits that it asks for, and failures.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { Failure, interrupted } from './failure.ts';
import { networkAdvice, networkReason, readRetryAfter } from './network.ts';
import { variable } from './vendor.ts';

/** The members of a problem (RFC 9457) that are read. */
interface Problem {
  code?: string;
  title?: string;
  detail?: string;
}

const attempts = 3;
const firstPauseMilliseconds = 500;
const timeoutMilliseconds = 30_000;
/** Seconds for which a command waits in all when the control plane asks it to; it ends if that is too short. */
const maxWaitSeconds = 60;
/** Far more than a release or an activation has. */
const maxResponseBytes = 8_000_000;
/** The request has not reached the control plane. */
const unreachedCodes = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

/** Reports that a command waits, as an `Output` does. A command without one does not wait. */
export interface Warner {
  warn(text: string, facts?: object): void;
}

export type ToFailure = (response: Response, url: string) => Promise<Failure>;

/**
 * Returns the JSON of a successful response. Network errors and 5xx responses are retried twice, and 429 as long as the
 * control plane asks to wait no longer than a minute in all.
 * @param toFailure converts any other response
 */
export async function requestWithRetries(
  url: string,
  request: RequestInit,
  toFailure: ToFailure,
  signal?: AbortSignal,
  warner?: Warner,
) {
  let waited = 0;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const response = await send(url, request, signal);
      if (response.ok) return await readJson(response);
      throw response.status < 400 ? redirected(response, url) : await toFailure(response, url);
    } catch (error) {
      if (signal?.aborted) throw interrupted();
      if (!(error instanceof Failure) || !error.facts.passing) throw error;
      const { waitSeconds } = error.facts;
      if (typeof waitSeconds !== 'number') {
        if (attempt >= attempts) throw error;
        await pause(firstPauseMilliseconds * 2 ** (attempt - 1));
        continue;
      }
      // A moment more than the clock of the control plane says.
      waited += waitSeconds + firstPauseMilliseconds / 1000;
      if (!warner || waited > maxWaitSeconds) throw error;
      const cause = error.facts.status === 429 ? 'too many requests' : 'unavailable';
      warner.warn(`the control plane: ${cause}; trying again in ${waitSeconds} s`, { attempt, waitSeconds });
      await pause(waitSeconds * 1000 + firstPauseMilliseconds, undefined, { signal }).catch(() => undefined);
      if (signal?.aborted) throw interrupted();
    }
  }
}

async function send(url: string, request: RequestInit, signal?: AbortSignal): Promise<Response> {
  const timeout = AbortSignal.timeout(timeoutMilliseconds);
  try {
    return await fetch(url, {
      ...request,
      // A redirect could carry the licence key to another host.
      redirect: 'manual',
      headers: { ...request.headers, accept: 'application/json, application/problem+json' },
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
  } catch (error) {
    const { code = '' } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException;
    throw unavailable(url, networkReason(error), { passing: true, unreached: unreachedCodes.has(code) });
  }
}

/** Returns the JSON of a response; undefined if it has none, or is too large. */
async function readJson(response: Response): Promise<unknown> {
  try {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length;
      if (bytes > maxResponseBytes) return undefined;
      chunks.push(chunk);
    }
    return JSON.parse(Buffer.concat(chunks).toString()) as unknown;
  } catch {
    return undefined;
  }
}

function redirected(response: Response, url: string): Failure {
  const location = URL.parse(response.headers.get('location') ?? '', url);
  const { message, facts } = unavailable(url, location ? `it redirects to ${location.origin}` : 'it redirects', {
    status: response.status,
  });
  const advice = `If that is your control plane, use its own URL (--control-plane or ${variable('CONTROL_PLANE_URL')})`;
  return new Failure('control_plane_unavailable', message, advice, facts);
}

/** Reads the problem from an error response. */
export async function readProblem(
  response: Response,
): Promise<{ title: string; detail: string; facts: Record<string, unknown> }> {
  const problem = ((await readJson(response)) ?? {}) as Problem;
  const title = problem.title ?? `status ${response.status}`;
  const detail = problem.detail ?? title;
  return { title, detail, facts: { reason: problem.code, status: response.status } };
}

/** The failure of a response. */
export async function toRequestFailure(response: Response, url: string): Promise<Failure> {
  const { detail, facts } = await readProblem(response);
  const { status, headers } = response;
  const isBusy = status === 429;
  const cause = isBusy ? 'too many requests' : detail;
  const waitSeconds = isBusy || status === 503 ? readRetryAfter(headers.get('retry-after'), Date.now()) : undefined;
  if (waitSeconds === undefined) return unavailable(url, cause, { ...facts, passing: isBusy || status >= 500 });
  const { code, message } = unavailable(url, `${cause}; retry after ${waitSeconds} s`);
  return new Failure(code, message, `Run the command again in ${waitSeconds} s`, {
    ...facts,
    passing: true,
    waitSeconds,
  });
}

/** The failure of a request to the control plane. */
export function unavailable(url: string, why: string, facts: Record<string, unknown> = {}): Failure {
  const { origin } = new URL(url);
  return new Failure(
    'control_plane_unavailable',
    `the request to the control plane at ${origin} failed: ${why}`,
    networkAdvice(
      why,
      `Check the network and the URL (--control-plane or ${variable('CONTROL_PLANE_URL')}), then try again`,
    ),
    facts,
  );
}
