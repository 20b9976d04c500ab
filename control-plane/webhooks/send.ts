/**
 * One attempt to deliver an event. The request goes only to addresses that were checked, whatever DNS says by then;
 * redirects are not followed, and time and size of the response are bounded.
 */
import http from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { CheckUrl } from '../addresses/lookups.ts';

/** For connection, request and the head of the response together; what has come of its body by then is kept. */
export const defaultTimeout = 15_000;
/** How much of a response is read, in bytes. */
const mostRead = 4_096;
/** How much of a response is kept, in characters. */
const mostKept = 256;

/** What became of an attempt. */
export interface Attempt {
  /** Null without a response. */
  status: number | null;
  error: string | null;
  /** The beginning of the response's body. */
  responseStart: string | null;
  milliseconds: number;
}

export interface WebhookRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/**
 * Sends a request.
 * @param options.stop aborts it
 * @param options.timeout in milliseconds
 * @returns null if it was aborted
 */
export async function send(
  request: WebhookRequest,
  checkUrl: CheckUrl,
  { stop, timeout: milliseconds }: { stop: AbortSignal; timeout: number },
): Promise<Attempt | null> {
  const began = performance.now();
  const ended = (rest: Partial<Attempt>): Attempt => ({
    status: null,
    error: null,
    responseStart: null,
    ...rest,
    milliseconds: Math.round(performance.now() - began),
  });
  const { state, addresses, fault } = await checkUrl(request.url);
  if (state === 'forbidden') return ended({ error: `the URL ${fault}` });
  if (state === 'unresolved') return ended({ error: 'the host does not exist' });
  if (state === 'unknown') return ended({ error: 'the host could not be looked up' });
  const timeout = AbortSignal.timeout(milliseconds);
  try {
    return ended(await post(request, addresses, AbortSignal.any([timeout, stop])));
  } catch (error) {
    if (stop.aborted) return null;
    return ended({ error: timeout.aborted ? `no response within ${milliseconds / 1000} seconds` : faultOf(error) });
  }
}

function post(
  { url, headers, body }: WebhookRequest,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<{ status: number; responseStart: string }> {
  const { request } = url.startsWith('https:') ? https : http;
  return new Promise((resolve, reject) => {
    let response: http.IncomingMessage | undefined;
    const chunks: Buffer[] = [];
    let size = 0;
    const finish = (error?: Error) => {
      if (!response) return reject(error && (certificateFault(sent.socket, error) ?? error));
      resolve({ status: response.statusCode as number, responseStart: textOf(Buffer.concat(chunks)) });
      sent.destroy();
    };
    const options = { method: 'POST', headers, agent: false, signal, lookup: lookupOf(addresses) };
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

/** The beginning of a body, without the control characters that neither logs nor the database accept. */
function textOf(body: Buffer): string {
  return body
    .subarray(0, mostKept * 4)
    .toString('utf8')
    .replaceAll(/\p{Cc}+/gu, ' ')
    .slice(0, mostKept)
    .toWellFormed();
}

/** The certificate of the receiver is not valid for its name, or of nobody that this process trusts. */
class CertificateFault extends Error {}

/** Null if the error has another cause. The message may have names of the certificate, which the receiver has chosen. */
function certificateFault(socket: Socket | null, { message }: Error): CertificateFault | null {
  if (!(socket instanceof TLSSocket) || !socket.authorizationError) return null;
  // What follows a semicolon is advice to users of Node.js.
  const reason = textOf(Buffer.from(message.split(';')[0] as string));
  return new CertificateFault(`the certificate was rejected: ${reason} (${socket.authorizationError})`);
}

function faultOf(error: unknown): string {
  if (error instanceof CertificateFault) return error.message;
  const { code, message } = error as NodeJS.ErrnoException;
  return `the request failed: ${code ?? message}`;
}
