/**
 * Client of the gated registry, based on pacote: adds the token, renews it when it has expired, retries after transient
 * errors, and converts errors of all layers to failures.
 */
import { homedir, tmpdir } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import type { Options, Packument } from 'pacote';
import { Failure, interrupted } from '../failure.ts';
import type { Output } from '../output/output.ts';
import { vendor, version } from '../vendor.ts';
import type { Credentials } from './credentials.ts';

const attempts = 4;
const firstPauseMilliseconds = 500;
const idleMilliseconds = 30_000;

/** The registry. */
export interface Registry {
  /**
   * Runs work with pacote, with new options for each attempt.
   * @param what the package, for messages: `@scope/name 1.0.0`
   * @throws Failure registry_refused, integrity_failed, disk_full, interrupted; and any Failure of `work`
   */
  request<T>(what: string, work: (options: Options) => Promise<T>): Promise<T>;
}

/** @param signal aborts requests in flight */
export function openRegistry(credentials: Credentials, output: Output, signal?: AbortSignal): Registry {
  ensureHome();
  const packumentCache = new Map<string, Packument>();
  const { registryUrl } = credentials.current();

  const optionsFor = (token: string): Options => {
    const { host, pathname } = new URL(registryUrl);
    return {
      registry: registryUrl,
      [`//${host}${pathname.replace(/\/?$/, '/')}:_authToken`]: token,
      // The registry builds the URLs of tarballs. Behind a proxy they may name another host, which must not receive the
      // token and may not be reachable.
      replaceRegistryHost: 'always',
      packumentCache,
      preferOnline: true, // do not trust an npm cache on this machine
      retry: { retries: 0 }, // retries are done below, where the token can be renewed
      timeout: idleMilliseconds,
      userAgent: `${vendor}/${version} node/${process.version} ${process.platform} ${process.arch}`,
      signal,
    } as Options;
  };

  return {
    async request(what, work) {
      let renewed = false;
      for (let attempt = 1; ; attempt += 1) {
        const { token } = credentials.current();
        try {
          return await work(optionsFor(token));
        } catch (error) {
          if (signal?.aborted) throw interrupted();
          if (error instanceof Failure) throw error;
          const { statusCode } = error as HttpError;
          if (statusCode === 401 && !renewed) {
            renewed = true;
            output.info('renewed', 'the registry token has expired; activating again');
            await credentials.renew(token);
            continue;
          }
          if (!isTransient(error as HttpError) || attempt >= attempts)
            throw explain(what, error as HttpError, registryUrl);
          output.warn(`${what}: ${shortMessage(error as HttpError)}; retrying`, { attempt });
          await pause(firstPauseMilliseconds * 2 ** (attempt - 1) * (0.75 + Math.random() / 2));
        }
      }
    },
  };
}

interface HttpError extends NodeJS.ErrnoException {
  statusCode?: number;
  body?: unknown;
  type?: string;
}

/** Returns the message in the registry's error response, if there is one. */
function errorFromRegistry(error: HttpError): string | undefined {
  const body = error.body as { error?: string } | Buffer | undefined;
  return body && !Buffer.isBuffer(body) && typeof body.error === 'string' ? body.error : undefined;
}

/** Whether an error may be transient: 5xx, 408, 420, 429, and all network errors. */
function isTransient(error: HttpError): boolean {
  if (error.statusCode) return error.statusCode >= 500 || [408, 420, 429].includes(error.statusCode);
  return isNetworkFault(error);
}

const networkFaults =
  /^(ECONN|EPIPE|EHOST|ENET|ETIMEDOUT|ENOTFOUND|EAI_|EIDLETIMEOUT|ERESPONSETIMEOUT|ETRANSFERTIMEOUT|ERR_STREAM_PREMATURE|ERR_SOCKET|HPE_|Z_BUF_ERROR)/;

function isNetworkFault(error: HttpError): boolean {
  return networkFaults.test(error.code ?? '') || ['system', 'request-timeout', 'aborted'].includes(error.type ?? '');
}

function explain(what: string, error: HttpError, registryUrl: string): Failure {
  const facts = { package: what, status: error.statusCode, registry: registryUrl };
  if (error.statusCode === 404 || error.code === 'ETARGET' || error.code === 'ENOVERSIONS') {
    return new Failure(
      'registry_refused',
      `the registry has no ${what}`,
      'Contact the vendor: a package of this licence is missing',
      facts,
    );
  }
  if (error.statusCode) {
    const reason = errorFromRegistry(error) ?? `status ${error.statusCode}`;
    return new Failure(
      'registry_refused',
      `the registry did not serve ${what}: ${reason}`,
      error.statusCode >= 500 ? 'Run the command again later' : 'Contact the vendor about this licence',
      facts,
    );
  }
  if (error.code === 'EINTEGRITY') {
    return new Failure(
      'integrity_failed',
      `${what} failed its integrity check twice`,
      'Nothing was installed. Check for a proxy that modifies downloads, then run the command again',
      facts,
    );
  }
  if (/^(TAR_|Z_DATA)/.test(error.code ?? '')) {
    return new Failure(
      'integrity_failed',
      `${what} is not a valid package: ${error.message}`,
      'Contact the vendor',
      facts,
    );
  }
  if (isNetworkFault(error)) {
    return new Failure(
      'registry_refused',
      `the registry at ${registryUrl} is unreachable: ${shortMessage(error)}`,
      'Check the network, then run the command again to resume',
      { ...facts, passing: true },
    );
  }
  throw error; // such as a full disk, or a bug: converted by `asFailure`
}

function shortMessage(error: HttpError): string {
  if (error.message === 'aborted') return 'the connection was lost';
  return errorFromRegistry(error) ?? (error.message || error.code || String(error));
}

/** pacote requires a home folder, though it stores nothing there; a minimal environment may have none. */
function ensureHome(): void {
  try {
    homedir();
  } catch {
    process.env.HOME = tmpdir();
  }
}
