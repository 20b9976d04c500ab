/**
 * Free ports for servers that a test starts.
 */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';

/** Below it are ports of well-known services. */
const lowest = 10_000;
const maxTries = 100;

/**
 * A port of the loopback interface on which nothing listens at the moment. No other process is given it while this one
 * lives, since the server may start later, or stop for a while. It is not one of those that the system gives to outgoing
 * connections: until the server listens, and for a minute after its end, such a connection would take the port away.
 */
export async function freePort(): Promise<number> {
  const end = await firstOfConnections();
  for (let tries = 0; tries < maxTries; tries++) {
    const port = randomInt(lowest, end);
    if ((await reserve(port)) && (await isFree(port))) return port;
  }
  throw new Error(`no port from ${lowest} to ${end} is free`);
}

/** The first port of outgoing connections: see ip_local_port_range in ip(7). */
async function firstOfConnections(): Promise<number> {
  const text = await readFile('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').catch(() => '');
  const first = Number.parseInt(text, 10);
  return first > lowest ? first : 32_768;
}

/** Reserves the port by a socket in the abstract namespace of the kernel, which releases it when this process ends. */
async function reserve(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(`\0test-port-${port}`), 'listening');
  } catch {
    return false;
  }
  server.unref();
  return true;
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
