/**
 * Short requests with answers in JSON, to the control plane and to boxes.
 */
import { type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIPv6, type LookupFunction } from 'node:net';

/** Bytes: an answer that is longer is not read. */
const maxAnswer = 64 * 1024;

export interface JsonAnswer {
  status: number;
  /** Null for an answer that is not JSON. */
  body: Record<string, unknown> | null;
}

export interface JsonRequest {
  headers: Record<string, string>;
  /** Milliseconds for everything. */
  timeout: number;
  /** The addresses to connect to, whatever DNS says; TLS verifies the name of the URL. */
  addresses?: readonly string[];
}

/** Sends a GET request; redirects are not followed. @throws Error without a complete answer in time */
export function getJson(url: URL, { headers, timeout, addresses }: JsonRequest): Promise<JsonAnswer> {
  const options: RequestOptions = { headers, agent: false, signal: AbortSignal.timeout(timeout) };
  if (addresses) options.lookup = lookupIn(addresses);
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? requestHttps : requestHttp;
    const outgoing = send(url, options, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
        if (text.length > maxAnswer) response.destroy(new Error(`the answer of ${url.host} is too long`));
      });
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode as number, body: parse(text) }));
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}

function parse(text: string): Record<string, unknown> | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Answers a lookup with these addresses. */
function lookupIn(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  return (host, { all }, callback) => {
    const [first] = found;
    if (!first) callback(new Error(`${host} has no address`), '', 0);
    else if (all) callback(null, found);
    else callback(null, first.address, first.family);
  };
}
