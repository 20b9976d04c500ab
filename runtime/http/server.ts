/**
 * The HTTP server: listens, and stops gracefully.
 */
import { randomUUID } from 'node:crypto';
import { createServer, maxHeaderSize, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import { type AddressInfo, Server as NetServer } from 'node:net';
import type { Duplex } from 'node:stream';
import type Koa from 'koa';
import { headersTooLarge, invalidRequest, type Problem, requestTimeout } from './problems.ts';

export interface RunningServer {
  url: string;
  port: number;
  /** Closes each connection after its next response, so that clients reconnect, possibly to another replica. */
  drain(): void;
  /**
   * Stops accepting connections, for a server whose socket another process serves too. Each connection is closed after
   * its next response, and one that is idle when its keep-alive time has passed: a server that closed it at once would
   * reset the request that its client may be sending. Resolves when all are closed.
   */
  retire(): Promise<void>;
  /** Stops accepting requests, waits for those in flight (10 seconds at most), then closes. */
  stop(): Promise<void>;
}

/** Where to listen: host and port, the path of a Unix socket, or a socket that this process has inherited. */
export type ListenAddress = { host: string; port: number } | { path: string } | { fd: number };

const drainMilliseconds = 10_000;
/** How long the connection stays open for the client to read the response to an incomplete request. */
const lingerMilliseconds = 1_000;

/** Timeouts of the server, in milliseconds. */
const defaultTimeouts = {
  /** For the request headers, against clients that send them a byte at a time. */
  headersTimeout: 10_000,
  /** For the complete request: the largest upload. Other bodies have a deadline of their own (body.ts). */
  requestTimeout: 3_600_000,
  /** Longer than that of proxies (usually 60 s), so that none reuses a connection that is being closed. */
  keepAliveTimeout: 65_000,
  /** How often the first two are checked. */
  connectionsCheckingInterval: 2_000,
};

/**
 * Listens on host and port; port 0 selects a free one.
 * @param timeouts override the defaults
 * @throws Error naming the port when it is in use
 */
export async function listen(
  app: Koa,
  host: string,
  port: number,
  timeouts: Partial<typeof defaultTimeouts> = {},
): Promise<RunningServer> {
  return listenOn(app, { host, port }, timeouts);
}

/**
 * Listens on an address.
 * @param timeouts override the defaults
 * @throws Error naming the port when it is in use
 */
export async function listenOn(
  app: Koa,
  address: ListenAddress,
  timeouts: Partial<typeof defaultTimeouts> = {},
): Promise<RunningServer> {
  // The Host header is checked in target.ts.
  const server = createServer({ ...defaultTimeouts, ...timeouts, requireHostHeader: false }, app.callback());
  server.on('clientError', handleClientError);
  const closed = new Promise<void>((resolve) => server.once('close', resolve));
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(explain(error, address)));
    server.listen(address, resolve);
  });
  return {
    ...describeAddress(server.address() as AddressInfo | string, address),
    drain: () => drain(server),
    retire: () => retire(server, closed),
    stop: () => stop(server, closed),
  };
}

/** The URL of an address; for a Unix socket, its path in place of host and port. */
function describeAddress(bound: AddressInfo | string, asked: ListenAddress): { url: string; port: number } {
  if (typeof bound === 'string') return { url: `unix:${bound}`, port: 0 };
  const host = 'host' in asked ? asked.host : bound.address;
  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${bound.port}`, port: bound.port };
}

/** Connections on which an invalid request was answered. */
const rejected = new WeakSet<Duplex>();

/**
 * Responds with a problem to an invalid request, or one that takes too long to arrive. A response that has already
 * started is left alone.
 */
function handleClientError(
  error: NodeJS.ErrnoException,
  socket: Duplex & { _httpMessage?: ServerResponse | null },
): void {
  // Further data is read and discarded: resetting the connection immediately would lose the response.
  if (rejected.has(socket)) return;
  if (!socket.writable || error.code === 'ECONNRESET' || socket._httpMessage?.headersSent) {
    socket.destroy();
    return;
  }
  const problem = problemOf(error);
  const { status } = problem.type;
  const requestId = randomUUID();
  const body = JSON.stringify(problem.toJSON(requestId));
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    `X-Request-Id: ${requestId}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  rejected.add(socket);
  setTimeout(() => socket.destroy(), lingerMilliseconds).unref();
}

function problemOf({ code }: NodeJS.ErrnoException): Problem {
  if (code === 'HPE_HEADER_OVERFLOW') return headersTooLarge(`The limit for both together is ${maxHeaderSize} bytes.`);
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return requestTimeout('The request did not arrive in time.');
  return invalidRequest('The request is not valid HTTP/1.1.');
}

const drained = new WeakSet<Server>();

function drain(server: Server): void {
  if (drained.has(server)) return;
  drained.add(server);
  server.prependListener('request', (_, response: ServerResponse) => response.setHeader('Connection', 'close'));
}

function explain(error: NodeJS.ErrnoException, address: ListenAddress): Error {
  if (!('port' in address)) return error;
  const { host, port } = address;
  if (error.code === 'EADDRINUSE')
    return new Error(
      `port ${port} is already in use on ${host}: stop the process that listens there or choose another`,
    );
  if (error.code === 'EACCES') return new Error(`this user may not open port ${port}: choose one above 1023`);
  return error;
}

async function retire(server: Server, closed: Promise<void>): Promise<void> {
  drain(server);
  // The method of the HTTP server would close idle connections at once.
  if (server.listening) NetServer.prototype.close.call(server);
  await closed;
}

async function stop(server: Server, closed: Promise<void>): Promise<void> {
  drain(server);
  if (server.listening) server.close();
  // A connection becomes idle when its request in flight has ended.
  const closingIdle = setInterval(() => server.closeIdleConnections(), 50);
  const deadline = setTimeout(() => server.closeAllConnections(), drainMilliseconds);
  await closed;
  clearInterval(closingIdle);
  clearTimeout(deadline);
}
