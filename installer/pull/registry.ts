/**
 * Speaking to the gated registry through pacote: the token, another one when it has expired, tries after a network
 * fault, and what an error of its many layers means.
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

/** The registry as resolving and downloading use it. */
export interface Registry {
  /**
   * Does one thing with pacote, with fresh options for each try.
   * @param what what is done, for messages: `@scope/name 1.0.0`
   * @throws Failure registry_refused, integrity_failed, disk_full, interrupted; and what `work` throws as a Failure
   */
  use<T>(what: string, work: (options: Options) => Promise<T>): Promise<T>;
}

/** @param signal aborts what is under way */
export function openRegistry(credentials: Credentials, output: Output, signal?: AbortSignal): Registry {
  ensureHome();
  const packumentCache = new Map<string, Packument>();
  const { registryUrl } = credentials.current();

  const optionsFor = (token: string): Options => {
    const { host, pathname } = new URL(registryUrl);
    return {
      registry: registryUrl,
      [`//${host}${pathname.replace(/\/?$/, '/')}:_authToken`]: token,
      // Tarball addresses are built by the registry; behind a proxy they may name another host, to which neither the
      // token nor the download should go.
      replaceRegistryHost: 'always',
      packumentCache,
      preferOnline: true, // nothing is taken from an npm cache that may be on this machine
      retry: { retries: 0 }, // tries are counted here, where a token can be renewed between them
      timeout: idleMilliseconds,
      userAgent: `${vendor}/${version} node/${process.version} ${process.platform} ${process.arch}`,
      signal,
    } as Options;
  };

  return {
    async use(what, work) {
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
            output.info('renewed', 'the token has expired, activating again');
            await credentials.renew(token);
            continue;
          }
          if (!isTransient(error as HttpError) || attempt >= attempts)
            throw explain(what, error as HttpError, registryUrl);
          output.warn(`${what}: ${short(error as HttpError)}, trying again`, { attempt });
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

/** What the vendor's registry said, for the statuses with which it refuses. */
function errorFromRegistry(error: HttpError): string | undefined {
  const body = error.body as { error?: string } | Buffer | undefined;
  return body && !Buffer.isBuffer(body) && typeof body.error === 'string' ? body.error : undefined;
}

/** Faults that may be over in a moment: 5xx, 408, 429, and everything below HTTP. */
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
  const said = errorFromRegistry(error);
  const facts = { package: what, status: error.statusCode, registry: registryUrl };
  if (error.statusCode === 404 || error.code === 'ETARGET' || error.code === 'ENOVERSIONS') {
    return new Failure(
      'registry_refused',
      `the registry has no ${what}`,
      'Tell the vendor: a package of this licence is missing',
      facts,
    );
  }
  if (error.statusCode) {
    const because = said ?? `it answered ${error.statusCode}`;
    return new Failure(
      'registry_refused',
      `the registry refuses ${what}: ${because}`,
      'Ask the vendor about this licence',
      facts,
    );
  }
  if (error.code === 'EINTEGRITY') {
    return new Failure(
      'integrity_failed',
      `${what} arrived with other contents than the registry declares, twice`,
      'Nothing was installed from it: check the network path (a proxy that changes downloads), then try again',
      facts,
    );
  }
  if (/^(TAR_|Z_DATA)/.test(error.code ?? '')) {
    return new Failure(
      'integrity_failed',
      `${what} is not a sound package: ${error.message}`,
      'Tell the vendor',
      facts,
    );
  }
  if (isNetworkFault(error)) {
    return new Failure(
      'registry_refused',
      `the registry at ${registryUrl} cannot be reached: ${short(error)}`,
      'Check the network, then run the same command again: it goes on where it stopped',
      { ...facts, passing: true },
    );
  }
  throw error; // a full disk, a bug: judged where all errors are
}

function short(error: HttpError): string {
  if (error.message === 'aborted') return 'the connection broke off';
  return errorFromRegistry(error) ?? (error.message || error.code || String(error));
}

/** pacote asks for the user's home folder, though nothing is kept there; a bare environment may have none. */
function ensureHome(): void {
  try {
    homedir();
  } catch {
    process.env.HOME = tmpdir();
  }
}
