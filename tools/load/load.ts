/**
 * Generates a load of HTTP requests: clients with a connection each, which send their next request after the last
 * response, up to a number of requests in all. It implements HTTP/1.1 itself, to use little CPU beside the program that is
 * measured.
 */
import { connect, type Socket } from 'node:net';

export interface LoadRequest {
  url: string;
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

export interface LoadOptions {
  clients: number;
  requests: number;
  /** Returns the nth request, from 0. */
  request(number: number): LoadRequest;
}

export interface LoadResponse {
  status: number;
  /** The value of a header, or undefined. */
  header(name: string): string | undefined;
  /** The body, one character for each byte. */
  body: string;
}

/** Sends the requests of one client, one after the other. */
export type Send = (request: LoadRequest) => Promise<LoadResponse>;

export interface LoadResult {
  seconds: number;
  /** Number of responses by status. */
  statuses: Record<number, number>;
}

export async function load({ clients, requests, request }: LoadOptions): Promise<LoadResult> {
  const statuses: Record<number, number> = {};
  const { url } = request(0);
  const seconds = await repeat({ url, clients, times: requests }, async (send, number) => {
    const { status } = await send(request(number));
    statuses[status] = (statuses[status] ?? 0) + 1;
  });
  return { seconds, statuses };
}

/**
 * Has the clients do some work a number of times in all, each client one time after the other. Returns the seconds it took.
 * @param work receives the number of this time, from 0
 */
export async function repeat(
  { url, clients, times }: { url: string; clients: number; times: number },
  work: (send: Send, number: number) => Promise<void>,
): Promise<number> {
  const { hostname, port } = new URL(url);
  let next = 0;
  const started = performance.now();
  await Promise.all(
    Array.from({ length: clients }, async () => {
      const connection = new Connection(connect(Number(port), hostname).setNoDelay());
      for (let number = next++; number < times; number = next++) {
        await work((request) => connection.send(request), number);
      }
      connection.close();
    }),
  );
  return (performance.now() - started) / 1000;
}

/** A persistent connection with one request in flight. */
class Connection {
  readonly #socket: Socket;
  #received = '';
  #onResponse: ((response: LoadResponse) => void) | null = null;
  #onError: ((error: Error) => void) | null = null;

  constructor(socket: Socket) {
    this.#socket = socket;
    // Content-Length counts bytes, so each byte is one character.
    socket.setEncoding('latin1');
    socket.on('data', (chunk) => this.#receive(chunk as unknown as string));
    socket.on('error', (error) => this.#onError?.(error));
    socket.on('close', () => this.#onError?.(new Error('the server closed the connection')));
  }

  send({ url, method = 'GET', headers = {}, body = '' }: LoadRequest): Promise<LoadResponse> {
    const { pathname, search, host } = new URL(url);
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const length = body ? `content-length: ${Buffer.byteLength(body)}\r\n` : '';
    return new Promise((resolve, reject) => {
      this.#onResponse = resolve;
      this.#onError = reject;
      this.#socket.write(
        `${method} ${pathname}${search} HTTP/1.1\r\nhost: ${host}\r\n${lines.join('')}${length}\r\n${body}`,
      );
    });
  }

  close(): void {
    this.#onError = null;
    this.#socket.destroy();
  }

  #receive(chunk: string): void {
    this.#received += chunk;
    const end = this.#received.indexOf('\r\n\r\n');
    if (end === -1) return;
    const head = this.#received.slice(0, end);
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
    if (this.#received.length < end + 4 + length) return;
    const body = this.#received.slice(end + 4, end + 4 + length);
    this.#received = this.#received.slice(end + 4 + length);
    const header = (name: string) => new RegExp(`\\r\\n${name}: ([^\\r]*)`, 'i').exec(head)?.[1];
    this.#onResponse?.({ status: Number(head.slice(9, 12)), header, body });
  }
}
