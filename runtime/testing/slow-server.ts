/**
 * A PostgreSQL server that takes long to accept its first connection, as on a busy machine.
 */
import { type AddressInfo, createServer, connect as openSocket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cleanup } from './box.ts';

/** Milliseconds: more than a request waits for a connection. */
const delay = 6000;

/** Starts it in front of the server of a database, until the test ends. @returns the URL of the database there */
export async function startSlowServer(t: Cleanup, url: string): Promise<string> {
  const { username, password, hostname, port, searchParams, pathname } = new URL(url);
  const folder = searchParams.get('host');
  const target = folder ? { path: `${folder}/.s.PGSQL.${port}` } : { host: hostname, port: Number(port) };
  let pause = delay;
  const server = createServer({ pauseOnConnect: true }, async (socket) => {
    const waiting = sleep(pause);
    pause = 0;
    await waiting;
    const upstream = openSocket(target);
    socket.pipe(upstream).pipe(socket);
    for (const each of [socket, upstream]) each.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => new Promise((resolve) => server.close(() => resolve())));
  return `postgres://${username}:${password}@127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`;
}
