/**
 * A low-level HTTP client with keep-alive. It sends paths, bodies and headers unchanged, as a hostile caller would.
 */
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

export type RequestHeaders = Record<string, string>;

export interface WireRequest {
  method: string;
  /** Path and query, percent-encoded. */
  path: string;
  headers: RequestHeaders;
  body?: string | Buffer;
  /** Send the body without Content-Length. */
  chunked?: boolean;
}

export interface WireResponse {
  status: number;
  headers: IncomingHttpHeaders;
  /** The body as received. */
  bytes: Buffer;
  text: string;
  /** The body parsed as JSON; undefined if it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: responses have all shapes.
  body: any;
}

const timeoutMilliseconds = 60_000;

/** Sends the requests of the suite. */
export interface Sender {
  /** @throws Error when the connection breaks or the response times out */
  send(request: WireRequest): Promise<WireResponse>;
  close(): void;
}

/** Connections to one service. */
export class Wire implements Sender {
  readonly #url: URL;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 16 });

  constructor(url: string) {
    this.#url = new URL(url);
  }

  async send(wireRequest: WireRequest): Promise<WireResponse> {
    try {
      return await this.#once(wireRequest);
    } catch (error) {
      // The service closed an idle connection just before it received the request.
      if ((error as { reused?: boolean }).reused) return this.#once(wireRequest);
      throw error;
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  #once({ method, path, headers, body, chunked }: WireRequest): Promise<WireResponse> {
    return new Promise((resolve, reject) => {
      const bytes = body === undefined ? undefined : Buffer.from(body as string);
      const length: RequestHeaders = bytes && !chunked ? { 'content-length': String(bytes.length) } : {};
      const { hostname, port } = this.#url;
      const sent = request({ hostname, port, agent: this.#agent, method, path, headers: { ...headers, ...length } });
      sent.setTimeout(timeoutMilliseconds, () => sent.destroy(new Error('the response timed out')));
      sent.on('error', (error) => {
        const reused = sent.reusedSocket && (error as NodeJS.ErrnoException).code === 'ECONNRESET';
        reject(Object.assign(error, { reused }));
      });
      sent.on('response', (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part) => parts.push(part));
        response.on('error', reject);
        response.on('end', () => {
          const { statusCode, headers } = response;
          const bytes = Buffer.concat(parts);
          const text = decoded(bytes, headers['content-encoding']).toString();
          resolve({ status: statusCode as number, headers, bytes, text, body: parse(text) });
        });
      });
      sent.end(bytes);
    });
  }
}

/** Decompresses a body (Accept-Encoding is fuzzed). A response to HEAD has none. */
function decoded(bytes: Buffer, encoding: string | undefined): Buffer {
  if (bytes.length === 0) return bytes;
  if (encoding === 'br') return brotliDecompressSync(bytes);
  return encoding === 'gzip' ? gunzipSync(bytes) : bytes;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
