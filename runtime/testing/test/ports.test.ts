/**
 * Ports for servers of tests: an outgoing connection of any process cannot take them.
 */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import t from 'tap';
import { freePort } from '../index.ts';

async function listens(port: number): Promise<boolean> {
  const server = createServer();
  const bound = await once(server.listen(port, '127.0.0.1'), 'listening').then(
    () => true,
    () => false,
  );
  server.close();
  return bound;
}

t.test('a free port is not one of outgoing connections, since those block it', async (t) => {
  const range = await readFile('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').catch(() => undefined);
  if (range === undefined) return void t.comment('skipped: this system does not say which ports those are');
  const first = Number.parseInt(range, 10);
  const ports = await Promise.all(Array.from({ length: 20 }, freePort));
  t.ok(
    ports.every((port) => port < first),
    `${ports} are below ${first}`,
  );
  t.ok(await listens(ports[0] as number));

  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as { port: number }).port, '127.0.0.1');
  await once(client, 'connect');
  t.ok((client.localPort as number) >= first);
  t.notOk(await listens(client.localPort as number), 'as this one does');
  client.destroy();
  server.close();
});
