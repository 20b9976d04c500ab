/**
 * Listening, and stopping without dropping a request.
 */
import { randomUUID } from 'node:crypto';
import { createServer, maxHeaderSize, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type Koa from 'koa';
import { headersTooLarge, invalidRequest, type Problem, requestTimeout } from './problems.ts';

export interface RunningServer {
  url: string;
  port: number;
  /** From now on each answer ends its connection, so that whoever asks again asks anew, and perhaps elsewhere. */
  drain(): void;
  /** Takes no new request, lets the ones under way end (10 seconds at most), then closes. */
  stop(): Promise<void>;
}

const drainMilliseconds = 10_000;
/** How long a client whose request was refused half-way may take to read why. */
const lingerMilliseconds = 1_000;

/** How long the server waits for whoever is connected, in milliseconds. */
const patience = {
  /** Whoever sends its headers a byte at a time holds a connection no longer than this. */
  headersTimeout: 10_000,
  /** For a request that is read whole: the largest upload. What is shorter has a deadline of its own (body.ts). */
  requestTimeout: 3_600_000,
  /** Longer than proxies keep theirs (60 s is usual), so that none sends into a connection that is being closed. */
  keepAliveTimeout: 65_000,
  /** How often the first two are looked after. */
  connectionsCheckingInterval: 2_000,
};

/**
 * Listens on host and port; port 0 takes a free one.
 * @param timeouts in place of the usual ones
 * @throws Error naming the port when it is taken
 */
export async function listen(
  app: Koa,
  host: string,
  port: number,
  timeouts: Partial<typeof patience> = {},
): Promise<RunningServer> {
  // Whether a request says its host is looked at where all of the host is (target.ts).
  const server = createServer({ ...patience, ...timeouts, requireHostHeader: false }, app.callback());
  server.on('clientError', handleClientError);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(explain(error, host, port)));
    server.listen(port, host, resolve);
  });
  const taken = (server.address() as AddressInfo).port;
  const shown = host.includes(':') ? `[${host}]` : host;
  return { url: `http://${shown}:${taken}`, port: taken, drain: () => drain(server), stop: () => stop(server) };
}

/** Connections on which something was answered that was no request. */
const refused = new WeakSet<Duplex>();

/**
 * Answers what is no request, or one that takes too long to come, as the routes answer: with a problem. Nothing is
 * written into an answer that has begun.
 */
function handleClientError(
  error: NodeJS.ErrnoException,
  socket: Duplex & { _httpMessage?: ServerResponse | null },
): void {
  // What it goes on writing is read and dropped: a connection that is reset at once takes the answer with it.
  if (refused.has(socket)) return;
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
  refused.add(socket);
  setTimeout(() => socket.destroy(), lingerMilliseconds).unref();
}

function problemOf({ code }: NodeJS.ErrnoException): Problem {
  if (code === 'HPE_HEADER_OVERFLOW') return headersTooLarge(`Together they may have ${maxHeaderSize} bytes.`);
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return requestTimeout('The request did not arrive in time.');
  return invalidRequest('This is no request of HTTP/1.1.');
}

const drained = new WeakSet<Server>();

function drain(server: Server): void {
  if (drained.has(server)) return;
  drained.add(server);
  server.prependListener('request', (_, response: ServerResponse) => response.setHeader('Connection', 'close'));
}

function explain(error: NodeJS.ErrnoException, host: string, port: number): Error {
  if (error.code === 'EADDRINUSE')
    return new Error(`port ${port} is taken on ${host}: stop what listens there or choose another`);
  if (error.code === 'EACCES') return new Error(`port ${port} may not be opened by this user: choose one above 1023`);
  return error;
}

async function stop(server: Server): Promise<void> {
  if (!server.listening) return;
  drain(server);
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // A connection is idle again once what is under way on it has ended.
  const tidy = setInterval(() => server.closeIdleConnections(), 50);
  const giveUp = setTimeout(() => server.closeAllConnections(), drainMilliseconds);
  await closed;
  clearInterval(tidy);
  clearTimeout(giveUp);
}
