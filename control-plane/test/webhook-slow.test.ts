/**
 * Receivers of webhooks that respond too late, or never to the end: the attempt ends, and others are not delayed.
 */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { exactly } from '@carton/runtime/testing';
import t, { type Test } from 'tap';
import { startTestControlPlane } from './test-control-plane.ts';
import { startReceiver, until } from './webhook-receiver.ts';

const { admin } = await startTestControlPlane(t, {
  allowHttpWebhooks: true,
  allowPrivateWebhooks: true,
  webhookInterval: 20,
  webhookTimeout: 600,
});

/** A receiver that accepts connections and writes as `begin` does; it knows when each was closed. */
async function startSlow(t: Test, begin: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const closed: Socket[] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => closed.push(socket));
    socket.once('data', () => begin(socket));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, closed };
}

/** Writes without an end. */
function dribble(socket: Socket, start: string, rest: string): void {
  socket.write(start);
  const timer = setInterval(() => socket.write(rest), 10);
  socket.once('close', () => clearInterval(timer));
}

async function test(t: Test, url: string) {
  const { status, body: webhook } = await admin.post('/webhooks', { url });
  t.equal(status, 201);
  t.teardown(() => admin.delete(`/webhooks/${webhook.id}`));
  const { body } = await admin.post(`/webhooks/${webhook.id}/test`);
  return async () => (await admin.get(`/webhooks/${webhook.id}/deliveries/${body.id}`)).body;
}

const failures: Record<string, (socket: Socket) => void> = {
  'a receiver that never responds': () => {},
  'one whose headers do not end': (socket) => dribble(socket, 'HTTP/1.1 200 OK\r\n', 'X-More: and more\r\n'),
};
for (const [name, begin] of Object.entries(failures)) {
  t.test(`${name} has failed, and its connection is closed`, async (t) => {
    const slow = await startSlow(t, begin);
    const other = await startReceiver(t);
    const read = await test(t, slow.url);
    const readOther = await test(t, other.url);
    await until(t, 'the other webhook has its event', async () => (await readOther()).state === 'delivered');
    await until(t, 'the attempt has ended', async () => (await read()).attempts.length > 0);
    const { state, attempts } = await read();
    t.equal(state, 'pending', 'it will be repeated');
    t.match(attempts, exactly([{ status: null, error: 'no response within 0.6 seconds' }]));
    await until(t, 'the connection is closed', () => slow.closed.length === 1);
  });
}

t.test('a response whose body does not end has its status, and is not waited for longer', async (t) => {
  const head = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
  const slow = await startSlow(t, (socket) => dribble(socket, head, '1\r\na\r\n'));
  const read = await test(t, slow.url);
  await until(t, 'the attempt has ended', async () => (await read()).state === 'delivered');
  t.match((await read()).attempts, exactly([{ status: 200, error: null, responseStart: /^a+$/ }]));
  await until(t, 'the connection is closed', () => slow.closed.length === 1);
});
