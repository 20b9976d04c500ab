/**
 * Client of the gated registry: adds the token, renews it when it has expired, repeats requests after faults that pass,
 * and trusts nothing that the registry says: a tarball counts only with the digest of the signed release.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { Failure, interrupted } from '../failure.ts';
import type { Output } from '../output/output.ts';
import type { Credentials } from './credentials.ts';
import { beginDownload } from './download.ts';
import { lasting, RegistryFault } from './faults.ts';
import { type Manifest, parsePackument } from './packument.ts';
import { type Source, transfer } from './transfer.ts';

const attempts = 4;
/** The registry may ask to wait this long; after that it is the operator who runs the command again. */
const maxWaitSeconds = 60;
const maxPackumentBytes = 32_000_000;
const maxProvenanceBytes = 1_000_000;
/** Abbreviated metadata, as npm requests it. */
const packumentTypes = 'application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8, */*';

/** How long the client waits for the registry, in seconds. */
export interface Patience {
  /** How long the registry may send next to nothing; 30 by default. */
  idle: number;
  /** The pause before the second attempt, which then doubles; half a second by default. */
  firstPause: number;
}

/** A tarball to be downloaded. */
export interface Tarball {
  name: string;
  version: string;
  /** URL path on the registry's host. */
  tarballPath: string;
  /** Subresource Integrity with one digest, `sha512-…`. */
  integrity: string;
}

/** The registry. Every function throws Failure registry_refused, integrity_failed or interrupted. */
export interface Registry {
  /** Reads what the registry says about a version of a package. */
  readManifest(name: string, version: string): Promise<Manifest>;
  /**
   * Downloads a tarball into a new file, continues it after a broken connection, and checks its digest.
   * @param maxBytes the most bytes that it may have
   * @param onBytes called with the bytes received so far and, if the registry says, those of the whole tarball
   */
  download(
    tarball: Tarball,
    file: string,
    maxBytes: number,
    onBytes: (bytes: number, total: number | undefined) => void,
  ): Promise<void>;
  /**
   * Reads the JSON with provenance; null for a response that is none, undefined if the registry has no provenance.
   * @param path URL path in the registry
   */
  readProvenance(what: string, path: string): Promise<unknown>;
}

/** @param signal aborts requests in flight */
export function openRegistry(
  credentials: Credentials,
  output: Output,
  signal?: AbortSignal,
  { idle = 30, firstPause = 0.5 }: Partial<Patience> = {},
): Registry {
  const { registryUrl } = credentials.current();
  const idleMilliseconds = idle * 1000;
  /** Aborted after the first request that has failed for good: the others then stop repeating theirs. */
  const hopeless = new AbortController();
  const warned = new Set<string>();

  /** Warns once of a fault that many requests have at the same time. */
  const warn = (fault: RegistryFault, attempt: number) => {
    const text = `the registry: ${fault.message}; trying again`;
    const id = `${attempt} ${text}`;
    if (!warned.has(id)) output.warn(text, { attempt });
    warned.add(id);
  };

  const waitBefore = async (attempt: number, waitSeconds: number | undefined) => {
    const own = firstPause * 1000 * 2 ** (attempt - 1) * (0.75 + Math.random() / 2);
    const milliseconds = Math.max(own, (waitSeconds ?? 0) * 1000);
    const signals = [hopeless.signal, ...(signal ? [signal] : [])];
    await pause(milliseconds, undefined, { signal: AbortSignal.any(signals) }).catch(() => undefined);
  };

  /** Runs work until it succeeds or its fault is one that does not pass. */
  const request = async <T>(work: (source: Source) => Promise<T>): Promise<T> => {
    let renewed = false;
    for (let attempt = 1; ; attempt += 1) {
      const { token } = credentials.current();
      try {
        return await work({ registryUrl, token, idleMilliseconds, signal });
      } catch (error) {
        if (signal?.aborted) throw interrupted();
        if (!(error instanceof RegistryFault)) throw error;
        if (error.status === 401 && !renewed) {
          renewed = true;
          output.info('renewed', 'the registry token has expired; activating again');
          await credentials.renew(token);
          continue;
        }
        const allowed = { never: 1, once: 2, often: attempts }[error.repeats];
        const isTooLong = (error.waitSeconds ?? 0) > maxWaitSeconds;
        if (attempt >= allowed || isTooLong || hopeless.signal.aborted) {
          hopeless.abort();
          throw error.failure;
        }
        warn(error, attempt);
        await waitBefore(attempt, error.waitSeconds);
        if (signal?.aborted) throw interrupted();
      }
    }
  };

  return {
    readManifest(name, version) {
      const what = `${name} ${version}`;
      const url = new URL(registryUrl);
      url.pathname = `${url.pathname.replace(/\/*$/, '')}/${name.replace('/', '%2f')}`;
      const wanted = { what, url, accept: packumentTypes, maxBytes: maxPackumentBytes };
      return request((source) =>
        transfer(source, wanted, async (body, headers) => {
          const chunks: Uint8Array[] = [];
          for await (const chunk of body) chunks.push(chunk);
          return parsePackument(Buffer.concat(chunks).toString(), { name, version, headers, registryUrl });
        }),
      );
    },
    readProvenance(what, path) {
      const url = new URL(registryUrl);
      url.pathname = `${url.pathname.replace(/\/*$/, '')}${path}`;
      const wanted = { what, url, accept: '*/*', maxBytes: maxProvenanceBytes };
      return request((source) =>
        transfer(source, wanted, async (body) => {
          const chunks: Uint8Array[] = [];
          for await (const chunk of body) chunks.push(chunk);
          try {
            return JSON.parse(Buffer.concat(chunks).toString()) as unknown;
          } catch {
            return null;
          }
        }).catch((error: unknown) => {
          if (error instanceof RegistryFault && error.failure.facts.status === 404) return undefined;
          throw error;
        }),
      );
    },
    download({ name, version, tarballPath, integrity }, file, maxBytes, onBytes) {
      const what = `${name} ${version}`;
      // The registry builds the URLs of tarballs. Behind a proxy they may name another host, which may not be reachable.
      const url = new URL(registryUrl);
      url.pathname = tarballPath;
      const arriving = beginDownload(file, onBytes);
      const check = (headers: Headers) => {
        if (arriving.digest() === integrity) return;
        const { isJoined } = arriving;
        arriving.restart();
        throw integrityFault(what, headers, registryUrl, isJoined);
      };
      return request(async (source) => {
        if (arriving.isWhole) return check(new Headers());
        const wanted = { what, url, accept: '*/*', maxBytes, headers: arriving.headers() };
        await transfer(source, wanted, async (body, headers, status) => {
          await arriving.receive(body, headers, status);
          check(headers);
        }).catch((error: unknown) => {
          // The tarball there is shorter than what has arrived.
          if (error instanceof RegistryFault && error.status === 416) arriving.restart();
          throw error;
        });
      });
    },
  };
}

/** @param isJoined whether it arrived in parts, which then may not belong together */
function integrityFault(what: string, headers: Headers, registryUrl: string, isJoined: boolean): RegistryFault {
  const facts = { package: what, registry: registryUrl };
  const type = headers.get('content-type') ?? '';
  if (/^text\/html\b/i.test(type)) {
    const message = `the registry served a web page in place of ${what}`;
    const advice =
      'Check for a proxy or a login page between this machine and the registry, then run the command again';
    return lasting(new Failure('integrity_failed', message, advice, facts));
  }
  const failure = new Failure(
    'integrity_failed',
    `${what} failed its integrity check ${isJoined ? 'again and again' : 'twice'}`,
    'Nothing was installed. Check for a proxy that modifies downloads, then run the command again',
    facts,
  );
  return new RegistryFault(`${what} failed its integrity check`, failure, { repeats: isJoined ? 'often' : 'once' });
}
