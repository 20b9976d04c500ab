/**
 * Listening, and stopping without dropping a request.
 */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type Koa from 'koa';

export interface RunningServer {
  url: string;
  port: number;
  /** From now on each answer ends its connection, so that whoever asks again asks anew, and perhaps elsewhere. */
  drain(): void;
  /** Takes no new request, lets the ones under way end (10 seconds at most), then closes. */
  stop(): Promise<void>;
}

const drainMilliseconds = 10_000;

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
  const server = createServer({ ...patience, ...timeouts }, app.callback());
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(explain(error, host, port)));
    server.listen(port, host, resolve);
  });
  const taken = (server.address() as AddressInfo).port;
  const shown = host.includes(':') ? `[${host}]` : host;
  return { url: `http://${shown}:${taken}`, port: taken, drain: () => drain(server), stop: () => stop(server) };
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
