/**
 * Bodies and headers that are too large, nested too deeply or too slow.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import t from 'tap';
import { callerOf } from '../../testing/client.ts';
import { exactly } from '../../testing/exactly.ts';
import { startNotes } from './notes.ts';

// The deadline is long enough for a busy machine to read a body that is too large before it.
const limits = { headersTimeout: 300, connectionsCheckingInterval: 50 };
const { server } = await startNotes(t, 2000, { bodyDeadline: 2000 }, limits);

async function open(): Promise<Socket> {
  const socket = connect(server.port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

/** Everything that the server sends until it closes the connection. */
async function untilEnd(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  // Writing to a connection that the server has closed causes an error.
  socket.on('error', () => {});
  await new Promise((resolve) => socket.once('close', resolve));
  return text;
}

const head = (...headers: string[]) =>
  ['POST /notes HTTP/1.1', 'Host: x', 'Content-Type: application/json', ...headers, '', ''].join('\r\n');
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;

t.test('a body that is too large is rejected, chunked or with Content-Length', async (t) => {
  const chunked = await open();
  const response = untilEnd(chunked);
  chunked.write(head('Transfer-Encoding: chunked'));
  const more = setInterval(() => chunked.write(chunk('x'.repeat(1500))), 5);
  t.match(await response, /^HTTP\/1\.1 413 [\s\S]*"code":"body_too_large"/);
  clearInterval(more);

  const withLength = await open();
  withLength.write(head('Content-Length: 2001'));
  t.match(await untilEnd(withLength), /^HTTP\/1\.1 413 /);
});

t.test('a client with a body of any excess size can read the response', async (t) => {
  const caller = callerOf(server.url);
  for (const size of [2_001, 200_000, 5_000_000]) {
    const response = await caller.post('/notes', { data: { text: 'x'.repeat(size) } });
    t.match(response, { status: 413, body: { code: 'body_too_large' } }, `${size}`);
  }
  t.match(await caller.post('/notes', { data: {} }), { status: 204 });
});

t.test('a body that arrives too slowly times out', async (t) => {
  const socket = await open();
  const response = untilEnd(socket);
  socket.write(head('Content-Length: 1000'));
  const more = setInterval(() => socket.write(' '), 20);
  t.match(await response, /^HTTP\/1\.1 408 [\s\S]*application\/problem\+json[\s\S]*"code":"request_timeout"/);
  clearInterval(more);
});

t.test('headers that arrive too slowly time out', async (t) => {
  const socket = await open();
  const response = untilEnd(socket);
  socket.write('POST /notes HTTP/1.1\r\nHost: x\r\n');
  const more = setInterval(() => socket.write('X-A: b\r\n'), 20);
  t.match(await response, /^HTTP\/1\.1 408 /);
  clearInterval(more);
});

t.test('a chunked body is accepted', async (t) => {
  const socket = await open();
  const response = untilEnd(socket);
  socket.write(head('Transfer-Encoding: chunked', 'Connection: close'));
  for (const part of ['{"data"', ':{}', '}']) socket.write(chunk(part));
  socket.write('0\r\n\r\n');
  t.match(await response, /^HTTP\/1\.1 204 /);
});

t.test('the nesting depth of a body is limited', async (t) => {
  const caller = callerOf(server.url);
  const nested = (levels: number) => `{"data":{"a":${'['.repeat(levels - 2)}${']'.repeat(levels - 2)}}}`;
  t.match(await caller.post('/notes', nested(32)), { status: 204 });
  const rejected = { status: 400, body: { code: 'invalid_request', errors: exactly([{ in: 'body', pointer: '' }]) } };
  t.match(await caller.post('/notes', nested(33)), rejected);
  t.match(await caller.post('/notes', nested(900)), rejected);
  const unlimited = callerOf((await startNotes(t)).server.url);
  t.match(await unlimited.post('/notes', nested(200_000)), rejected, 'before it is parsed');
});

t.test('a text with the character U+0000 is refused where it is', async (t) => {
  const caller = callerOf(server.url);
  const rejected = (pointer: string) => ({
    status: 400,
    body: { code: 'invalid_request', errors: exactly([{ in: 'body', pointer }]) },
  });
  t.match(await caller.post('/notes', { data: { a: ['b', { 'c/d': 'x\0' }] } }), rejected('/data/a/1/c~1d'));
  t.match(await caller.post('/notes', { data: { 'a\0': 1 } }), rejected('/data'));
});

t.test('every response has the security headers', async (t) => {
  for (const path of ['/notes', '/nothing']) {
    const { headers } = await callerOf(server.url).get(path);
    t.equal(headers.get('x-content-type-options'), 'nosniff');
    t.equal(headers.get('content-security-policy'), "default-src 'none'; frame-ancestors 'none'");
    t.equal(headers.get('cross-origin-resource-policy'), 'same-origin');
    t.equal(headers.get('referrer-policy'), 'no-referrer');
  }
});
