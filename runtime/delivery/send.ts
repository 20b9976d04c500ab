/**
 * One request that delivers something. It goes only to addresses that were checked, whatever DNS says by then; redirects
 * are not followed, and time and size of the response are bounded.
 */
import http from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { type Sent, shortened } from './attempt.ts';
import { readRetryAfter } from './backoff.ts';
import type { CheckUrl } from './lookups.ts';

export interface SentRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
}

export interface SendOptions {
  /** Aborts the request. */
  stop: AbortSignal;
  /**
   * Milliseconds for connection, request and the head of the response together; what has come of its body by then is
   * kept.
   */
  timeout: number;
  /** Which addresses the URL may lead to; absent for a URL of the operator, who may choose any. */
  checkUrl?: CheckUrl;
  /** How much of a response is read, in bytes. Default: 4,096. */
  mostRead?: number;
}

type Received = Pick<Sent, 'status' | 'body' | 'retryAfter'>;

/**
 * Sends a request by POST.
 * @returns null if it was aborted
 */
export async function send(
  request: SentRequest,
  { stop, timeout: milliseconds, checkUrl, mostRead = 4_096 }: SendOptions,
): Promise<Sent | null> {
  const began = performance.now();
  const ended = (rest: Partial<Sent>): Sent => ({
    status: null,
    error: null,
    body: null,
    retryAfter: 0,
    ...rest,
    milliseconds: Math.round(performance.now() - began),
  });
  const { state, addresses, fault } = (await checkUrl?.(request.url)) ?? anyAddress;
  if (state === 'forbidden') return ended({ error: `the URL ${fault}` });
  if (state === 'unresolved') return ended({ error: 'the host does not exist' });
  if (state === 'unknown') return ended({ error: 'the host could not be looked up' });
  const timeout = AbortSignal.timeout(milliseconds);
  try {
    return ended(await post(request, addresses, AbortSignal.any([timeout, stop]), mostRead));
  } catch (error) {
    if (stop.aborted) return null;
    return ended({ error: timeout.aborted ? `no response within ${milliseconds / 1000} seconds` : faultOf(error) });
  }
}

const anyAddress = { state: 'allowed', addresses: null, fault: null } as const;

function post(
  { url, headers, body }: SentRequest,
  addresses: readonly string[] | null,
  signal: AbortSignal,
  mostRead: number,
): Promise<Received> {
  const { request } = url.startsWith('https:') ? https : http;
  return new Promise((resolve, reject) => {
    let response: http.IncomingMessage | undefined;
    const chunks: Buffer[] = [];
    let size = 0;
    const finish = (error?: Error) => {
      if (!response) return reject(error && (certificateFault(sent.socket, error) ?? error));
      resolve({
        status: response.statusCode as number,
        body: Buffer.concat(chunks).toString('utf8'),
        retryAfter: readRetryAfter(response.headers['retry-after']),
      });
      sent.destroy();
    };
    const options = {
      method: 'POST',
      headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
      agent: false,
      signal,
      ...(addresses && { lookup: lookupOf(addresses) }),
    };
    const sent = request(url, options, (received) => {
      response = received;
      received.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        size += chunk.length;
        if (size >= mostRead) finish();
      });
      // A response whose body is incomplete has a status all the same.
      for (const end of ['end', 'error', 'close'] as const) received.once(end, () => finish());
    });
    sent.on('error', finish);
    sent.end(body);
  });
}

/** Resolves every name to the addresses that were checked. */
function lookupOf(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_, { all }, callback) => {
    if (all) return callback(null, found);
    const [{ address, family } = { address: '', family: 4 }] = found;
    callback(null, address, family);
  };
}

/** The certificate of the receiver is not valid for its name, or of nobody that this process trusts. */
class CertificateFault extends Error {}

/** Null if the error has another cause. The message may have names of the certificate, which the receiver has chosen. */
function certificateFault(socket: Socket | null, { message }: Error): CertificateFault | null {
  if (!(socket instanceof TLSSocket) || !socket.authorizationError) return null;
  // What follows a semicolon is advice to users of Node.js.
  const reason = shortened(message.split(';')[0] as string, 256);
  return new CertificateFault(`the certificate was rejected: ${reason} (${socket.authorizationError})`);
}

function faultOf(error: unknown): string {
  if (error instanceof CertificateFault) return error.message;
  const { code, message } = error as NodeJS.ErrnoException;
  return `the request failed: ${code ?? message}`;
}
