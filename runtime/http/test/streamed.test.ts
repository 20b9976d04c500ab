/**
 * Streamed responses: content, failures before and after the first chunk, back-pressure, and disconnecting clients.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { pino } from 'pino';
import t from 'tap';
import { type Chunks, createApp, listen, notFound, object, routeFor, Type } from '../index.ts';

const route = routeFor<object>();
/** What the producer has done. */
const produced = { chunks: 0, ended: Promise.withResolvers<void>() };

const longChunk = 'x'.repeat(8192);

/** Yields so many chunks; endlessly for 0. */
async function* chunks(count: number, failAt = Number.NaN): AsyncGenerator<string | Uint8Array> {
  try {
    for (let at = 0; at < count || count === 0; at++) {
      if (at === failAt) throw new Error('it fails midway');
      produced.chunks += 1;
      if (count === 0) yield longChunk;
      else yield at % 2 === 0 ? `ä${at}\n` : Buffer.from(`ä${at}\n`);
    }
  } finally {
    produced.ended.resolve();
  }
}

const shared = { tag: 'Exports', access: 'public', status: 200, mediaType: 'text/csv; charset=utf-8' } as const;
const read = route(
  {
    ...shared,
    method: 'get',
    path: '/export',
    operationId: 'readExport',
    summary: 'Export everything',
    query: object({ count: Type.Integer(), failAt: Type.Optional(Type.Integer()) }),
    streamed: true,
    problems: [notFound],
  },
  ({ query }) => {
    if (query.count < 0) throw notFound('There is nothing.');
    return chunks(query.count, query.failAt);
  },
);
const failingLate = route(
  {
    ...shared,
    method: 'post',
    path: '/late',
    operationId: 'failLate',
    summary: 'Fail before the first chunk',
    streamed: true,
    problems: [notFound],
  },
  async function* () {
    await Promise.resolve();
    if (produced) throw notFound('There is nothing.');
    yield 'never';
  },
);
const options = {
  routes: [read, failingLate],
  accessKinds: [],
  scope: () => null,
  services: () => ({}),
  readDeadline: 400,
};
const logged: string[] = [];
const log = pino({ level: 'warn' }, { write: (line: string) => logged.push(JSON.parse(line).msg) });
const server = await listen(createApp<null, object>({ ...options, log }), '127.0.0.1', 0);
t.teardown(() => server.stop());
t.beforeEach(() => {
  produced.chunks = 0;
  produced.ended = Promise.withResolvers();
  logged.length = 0;
});

interface Answer {
  code: string;
}

const request = (path: string, init?: RequestInit) => fetch(`${server.url}${path}`, init);

t.test('a streamed response has the declared headers and no ETag', async (t) => {
  const response = await request('/export?count=5', { headers: { 'if-none-match': '*' } });
  t.equal(response.status, 200);
  t.equal(await response.text(), 'ä0\nä1\nä2\nä3\nä4\n');
  t.equal(response.headers.get('content-type'), 'text/csv; charset=utf-8');
  t.equal(response.headers.get('cache-control'), 'no-store');
  t.equal(response.headers.get('etag'), null);
  t.equal(await (await request('/export?count=0', { method: 'HEAD' })).text(), '');
  await produced.ended.promise;
  const none = await request('/export?count=-1');
  t.strictSame([none.status, ((await none.json()) as Answer).code], [404, 'not_found']);
});

t.test('a failure before the first chunk is a problem response', async (t) => {
  const response = await request('/late', { method: 'POST' });
  t.strictSame([response.status, ((await response.json()) as Answer).code], [404, 'not_found']);
  const failed = await request('/export?count=5&failAt=0');
  t.strictSame([failed.status, ((await failed.json()) as Answer).code], [500, 'internal_error']);
});

t.test('a failure midway aborts the response', async (t) => {
  const response = await request('/export?count=100000&failAt=90000');
  t.equal(response.status, 200);
  await t.rejects(response.text(), TypeError);
  t.strictSame(logged, ['response aborted']);
});

async function open(path: string): Promise<Socket> {
  const socket = connect(server.port, '127.0.0.1');
  await once(socket, 'connect');
  socket.on('error', () => {});
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
  await once(socket, 'data');
  return socket;
}

t.test('the producer is paused while the client does not read, and closed when it disconnects', async (t) => {
  const socket = await open('/export?count=0');
  socket.pause();
  let seen = -1;
  while (seen !== produced.chunks) {
    seen = produced.chunks;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  socket.destroy();
  await produced.ended.promise;
  t.strictSame(logged, []);
});

t.test('a client that does not read is disconnected', async (t) => {
  const socket = await open('/export?count=0');
  socket.pause();
  await produced.ended.promise;
  socket.resume();
  await once(socket, 'close');
  t.strictSame(logged, ['response aborted']);
});

t.test('an inconsistent declaration fails at the start', async (t) => {
  const start = (more: object) => () =>
    createApp<null, object>({ ...options, log, routes: [{ ...read, declaration: { ...read.declaration, ...more } }] });
  t.throws(start({ mediaType: undefined }), /readExport is streamed, so it needs a mediaType and no response/);
  t.throws(start({ response: Type.String() }), /no response/);
  t.throws(start({ method: 'patch' }), /must be a GET or a POST/);
  t.throws(start({ idempotent: true }), /cannot be idempotent/);
  t.type(chunks satisfies (count: number) => Chunks, 'function');
});
