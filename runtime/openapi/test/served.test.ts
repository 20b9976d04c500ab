/**
 * `/docs/json` over HTTP: content encodings, a strong ETag for each of them, and generation at the first request.
 */
import { createHash } from 'node:crypto';
import { get, type IncomingMessage } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import t from 'tap';
import { prepareOnce } from '../../http/prepared.ts';
import { createTestBox } from '../../testing/box.ts';
import { serveDocument } from '../served.ts';

const box = await createTestBox(t, { packages: ['@carton/core', '@carton/auth', '@carton/tenant'] });

/** Sends exactly these headers: fetch would add its own. */
async function request(headers: Record<string, string> = {}, method = 'GET') {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(`${box.url}/docs/json`, { headers, method }, resolve).on('error', reject);
  });
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return { status: response.statusCode, headers: response.headers, bytes: Buffer.concat(chunks) };
}

const plain = await request();
const text = plain.bytes.toString();

t.test('the document is JSON that caches must revalidate', async (t) => {
  t.match(plain, {
    status: 200,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-cache',
      vary: /Accept-Encoding/,
    },
  });
  t.match(JSON.parse(text), { openapi: '3.1.0', info: { title: 'Box Backend' } });
});

t.test('the response has the smallest encoding that the client accepts', async (t) => {
  const rows: [accepted: string, encoding: string | undefined][] = [
    ['gzip', 'gzip'],
    ['br', 'br'],
    ['gzip, deflate, br, zstd', 'br'],
    ['br;q=0, gzip', 'gzip'],
    ['*', 'br'],
    ['deflate', undefined],
    ['identity', undefined],
    ['', undefined],
  ];
  const decode = { gzip: gunzipSync, br: brotliDecompressSync };
  for (const [accepted, encoding] of rows) {
    const { status, headers, bytes } = await request({ 'accept-encoding': accepted });
    t.equal(status, 200);
    t.equal(headers['content-encoding'], encoding, accepted);
    t.equal(Number(headers['content-length']), bytes.length);
    const decoded = encoding ? decode[encoding as keyof typeof decode](bytes) : bytes;
    t.equal(digest(decoded), digest(plain.bytes), 'the same document');
    if (encoding) t.ok(bytes.length < plain.bytes.length / 4);
  }
});

t.test('each encoding has its own strong ETag, and If-None-Match returns 304', async (t) => {
  const tags = new Set<string>();
  for (const encoding of ['identity', 'gzip', 'br']) {
    const headers = { 'accept-encoding': encoding };
    const tag = (await request(headers)).headers.etag as string;
    t.match(tag, /^"[^"]+"$/);
    tags.add(tag);
    const again = await request({ ...headers, 'if-none-match': tag });
    t.match(again, { status: 304, headers: { etag: tag, vary: /Accept-Encoding/ } });
    t.equal(again.bytes.length, 0);
    t.equal(again.headers['content-encoding'], undefined);
  }
  t.equal(tags.size, 3);
  t.match(await request({ 'if-none-match': '"another"' }), { status: 200 });
  t.match(await request({ 'if-none-match': '*' }), { status: 304 });
});

t.test('HEAD returns the same headers without a body', async (t) => {
  const { status, headers, bytes } = await request({ 'accept-encoding': 'gzip' }, 'HEAD');
  t.equal(status, 200);
  t.equal(headers['content-encoding'], 'gzip');
  t.equal(bytes.length, 0);
});

t.test('the document is generated once, at the first request', async (t) => {
  let calls = 0;
  const document = serveDocument(() => {
    calls++;
    return { title: 'Store', version: '1', description: '', groups: [], accessKinds: [] };
  });
  t.equal(calls, 0);
  const bodies = await Promise.all([document.prepared(), document.prepared()]);
  t.equal(calls, 1);
  t.equal(bodies[0], bodies[1]);
  t.match(JSON.parse(String(bodies[0])), { info: { title: 'Store' } });
});

t.test('a failed generation is retried at the next request', async (t) => {
  let attempts = 0;
  const prepared = prepareOnce(async () => {
    attempts++;
    if (attempts === 1) throw new Error('not yet');
    return 'done';
  });
  await t.rejects(prepared(), /not yet/);
  t.equal(String(await prepared()), 'done');
  await prepared();
  t.equal(attempts, 2);
});

function digest(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
