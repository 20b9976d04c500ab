/**
 * One request to the registry: the token goes to the registry's own origin only, and a response is neither larger nor
 * slower than allowed.
 */
import { Failure } from '../failure.ts';
import { networkReason } from '../network.ts';
import { vendor, version } from '../vendor.ts';
import { lasting, networkFault, RegistryFault, statusFault } from './faults.ts';

/** The registry, and how long it may be silent. */
export interface Source {
  registryUrl: string;
  token: string;
  /** Interval in which at least a little must arrive, in milliseconds. */
  idleMilliseconds: number;
  /** Aborts the request. */
  signal: AbortSignal | undefined;
}

/** What is requested. */
export interface Wanted {
  /** The package, for messages: `@scope/name 1.0.0`. */
  what: string;
  url: URL;
  /** Media types for `Accept`. */
  accept: string;
  /** The most bytes that the response may have. */
  maxBytes: number;
  /** More headers of the request. */
  headers?: Record<string, string>;
}

const maxRedirects = 5;
const maxErrorBytes = 64 * 1024;
/** Slower than this, a box would take a day to pull: 1 kB a second. */
const minBytesPerSecond = 1000;
const userAgent = `${vendor}/${version} node/${process.version} ${process.platform} ${process.arch}`;

/**
 * Sends a request and passes the response's body to `receive`.
 * @throws RegistryFault; any error of `receive`
 */
export async function transfer<T>(
  source: Source,
  wanted: Wanted,
  receive: (body: AsyncIterable<Uint8Array>, headers: Headers, status: number) => Promise<T>,
): Promise<T> {
  const progress = { bytes: 0, isStalled: false };
  const stop = new AbortController();
  const signal = source.signal ? AbortSignal.any([source.signal, stop.signal]) : stop.signal;
  let bytesBefore = 0;
  const watch = setInterval(() => {
    progress.isStalled = progress.bytes - bytesBefore < (minBytesPerSecond * source.idleMilliseconds) / 1000;
    bytesBefore = progress.bytes;
    if (progress.isStalled) stop.abort();
  }, source.idleMilliseconds);
  try {
    const response = await orFault(source, wanted, progress, follow(source, wanted, signal));
    const isGood = response.status === 200 || (response.status === 206 && wanted.headers?.range !== undefined);
    const body = read(source, wanted, progress, response, isGood ? wanted.maxBytes : maxErrorBytes);
    if (isGood) return await receive(body, response.headers, response.status);
    throw statusFault(wanted.what, response, await readError(body), factsOf(source, wanted));
  } finally {
    clearInterval(watch);
    stop.abort(); // ends a response that has not been read to its end
  }
}

/** Follows redirects, without the token from the first other origin on. */
async function follow(
  source: Source,
  { what, url, accept, headers: more }: Wanted,
  signal: AbortSignal,
): Promise<Response> {
  const { origin } = new URL(source.registryUrl);
  const refuse = (reason: string) =>
    lasting(
      new Failure(
        'registry_refused',
        `the registry did not serve ${what}: ${reason}`,
        'Check for a proxy or a login page between this machine and the registry, or contact the vendor',
        { package: what, registry: source.registryUrl },
      ),
    );
  let at = url;
  let isOwn = true;
  for (let redirects = 0; ; redirects += 1) {
    isOwn &&= at.origin === origin;
    const own = isOwn && { authorization: `Bearer ${source.token}` };
    const headers = { ...more, accept, 'user-agent': userAgent, ...own };
    const response = await fetch(at.href, { headers, redirect: 'manual', signal });
    const location = response.headers.get('location');
    if (![301, 302, 303, 307, 308].includes(response.status) || location === null) return response;
    await response.body?.cancel();
    const next = URL.parse(location, at.href);
    if (next === null || !/^https?:$/.test(next.protocol) || next.username !== '') {
      throw refuse('it redirects to an invalid address');
    }
    if (at.protocol === 'https:' && next.protocol === 'http:') {
      throw refuse(`it redirects to ${next.origin}, which does not encrypt`);
    }
    if (redirects === maxRedirects) throw refuse(`it redirects more than ${maxRedirects} times`);
    at = next;
  }
}

/** Returns the body's bytes, and counts them. @throws RegistryFault, also when there are too many */
async function* read(
  source: Source,
  wanted: Wanted,
  progress: { bytes: number; isStalled: boolean },
  response: Response,
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader();
  for (let bytes = 0; reader; ) {
    const { done, value } = await orFault(source, wanted, progress, reader.read());
    if (done) return;
    bytes += value.length;
    progress.bytes += value.length;
    if (bytes > maxBytes) {
      const message = `the registry sends more than ${maxBytes} bytes for ${wanted.what}`;
      const advice = 'Nothing was installed. Check for a proxy that modifies downloads, or contact the vendor';
      throw lasting(new Failure('integrity_failed', message, advice, factsOf(source, wanted)));
    }
    yield value;
  }
}

/** Converts an error of the network. */
async function orFault<T>(
  source: Source,
  wanted: Wanted,
  progress: { bytes: number; isStalled: boolean },
  work: Promise<T>,
): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof RegistryFault) throw error;
    const silence = `it sent nothing of ${wanted.what}, or next to nothing, for ${source.idleMilliseconds / 1000} s`;
    const message = progress.isStalled ? silence : networkReason(error);
    throw networkFault(source.registryUrl, message, factsOf(source, wanted));
  }
}

/** Returns the message in the registry's error response, if there is one. */
async function readError(body: AsyncIterable<Uint8Array>): Promise<string | undefined> {
  try {
    const chunks: Uint8Array[] = [];
    for await (const chunk of body) chunks.push(chunk);
    const { error } = JSON.parse(Buffer.concat(chunks).toString()) as { error?: unknown };
    return typeof error === 'string' ? error : undefined;
  } catch {
    return undefined; // of a proxy, or cut off: the status says enough
  }
}

function factsOf({ registryUrl }: Source, { what }: Wanted): Record<string, unknown> {
  return { package: what, registry: registryUrl };
}
