/**
 * Requests as they go over the wire. The connections stay open, and nothing is tidied on the way: a test sends paths,
 * bodies and headers as a hostile caller would.
 */
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

export type RequestHeaders = Record<string, string>;

export interface WireRequest {
  method: string;
  /** Path and query, percent-encoded already. */
  path: string;
  headers: RequestHeaders;
  body?: string | Buffer;
  /** Do not say how long the body is. */
  chunked?: boolean;
}

export interface WireAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** The body read as JSON; undefined when it is none. */
  // biome-ignore lint/suspicious/noExplicitAny: answers have every shape.
  body: any;
}

const patienceMilliseconds = 60_000;

/** Connections to one service. */
export class Wire {
  readonly #url: URL;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 16 });

  constructor(url: string) {
    this.#url = new URL(url);
  }

  /** @throws Error when the connection breaks or no answer comes */
  async send(wanted: WireRequest): Promise<WireAnswer> {
    try {
      return await this.#once(wanted);
    } catch (error) {
      // The service closes a connection that was idle; a request that met this moment was not read.
      if ((error as { reused?: boolean }).reused) return this.#once(wanted);
      throw error;
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  #once({ method, path, headers, body, chunked }: WireRequest): Promise<WireAnswer> {
    return new Promise((resolve, reject) => {
      const bytes = body === undefined ? undefined : Buffer.from(body as string);
      const length: RequestHeaders = bytes && !chunked ? { 'content-length': String(bytes.length) } : {};
      const { hostname, port } = this.#url;
      const sent = request({ hostname, port, agent: this.#agent, method, path, headers: { ...headers, ...length } });
      sent.setTimeout(patienceMilliseconds, () => sent.destroy(new Error('no answer came in time')));
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
          const text = decoded(Buffer.concat(parts), headers['content-encoding']).toString();
          resolve({ status: statusCode as number, headers, text, body: parse(text) });
        });
      });
      sent.end(bytes);
    });
  }
}

/** What was sent compressed, for a fuzzed Accept-Encoding; an answer to HEAD has nothing to unpack. */
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
