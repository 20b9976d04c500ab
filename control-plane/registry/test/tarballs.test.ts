// Tarballs: ranges and conditions (RFC 9110, sections 13 and 14), and which responses complete a download.

import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { selectRange } from '../tarballs.ts';
import { openRegistry, prepareStorage, send, waitUntil } from '../testing/index.ts';

const storageWithCart = await prepareStorage(t, { name: '@carton/cart', version: '1.2.0', carton: { tier: 'basic' } });
const storage = await storageWithCart(t);
const { controlPlane, registry, tokenOf } = await openRegistry(t, { storage });
const token = await tokenOf();
const path = '/@carton/cart/-/cart-1.2.0.tgz';
const get = (headers: Record<string, string> = {}, method = 'GET') => send(registry, path, token, { headers, method });
const whole = await get();
const size = whole.body.length;
const { etag = '' } = whole.headers;
await waitUntil(() => controlPlane.state.received.length === 1);

/** Status and the headers of representations and ranges. */
const summary = ({ status, headers, body }: Awaited<ReturnType<typeof get>>) => ({
  status,
  length: headers['content-length'],
  range: headers['content-range'],
  body,
});
const wholeSummary = { status: 200, length: String(size), range: undefined, body: whole.body };

t.test('a tarball has its digest as entity tag, its length, and accepts ranges', async (t) => {
  const digest = createHash('sha512').update(Buffer.from(whole.body, 'latin1')).digest('base64');
  t.equal(etag, `"sha512-${digest}"`);
  const { status, headers } = whole;
  t.strictSame(
    [status, headers['content-length'], headers['accept-ranges'], headers['content-type']],
    [200, String(size), 'bytes', 'application/octet-stream'],
  );
  const head = await get({ Range: 'bytes=1-2' }, 'HEAD');
  t.strictSame(summary(head), { ...wholeSummary, body: '' }, 'ranges are for GET alone');
  t.equal(head.headers.etag, etag);
});

t.test('the bytes of one range, each way to write it', async (t) => {
  const cases: [header: string, first: number, last: number][] = [
    ['bytes=0-0', 0, 0],
    ['bytes=10-19', 10, 19],
    ['BYTES=10-19', 10, 19],
    ['bytes=10-', 10, size - 1],
    ['bytes=-10', size - 10, size - 1],
    [`bytes=10-${size + 100}`, 10, size - 1],
  ];
  for (const [header, first, last] of cases) {
    const response = await get({ Range: header });
    t.strictSame(
      summary(response),
      {
        status: 206,
        length: String(last - first + 1),
        range: `bytes ${first}-${last}/${size}`,
        body: whole.body.slice(first, last + 1),
      },
      header,
    );
    t.equal(response.headers.etag, etag);
  }
});

t.test('a range that covers the file, several, malformed and other ones are answered with the file', async (t) => {
  for (const header of [
    'bytes=0-',
    `bytes=-${size + 1}`,
    'bytes=0-1,3-4',
    'bytes=5-4',
    'bytes=a-b',
    'bytes=-',
    'bytes 0-1',
    'lines=0-1',
    `bytes=0-${size - 1}`,
  ]) {
    t.strictSame(summary(await get({ Range: header })), wholeSummary, header);
  }
});

t.test('a range behind the end is 416 with the size', async (t) => {
  for (const header of [`bytes=${size}-`, `bytes=${size}-${size + 1}`, 'bytes=-0', `bytes=${'9'.repeat(400)}-`]) {
    const expected = { status: 416, length: '0', range: `bytes */${size}`, body: '' };
    t.strictSame(summary(await get({ Range: header })), expected, header);
  }
});

t.test('If-Range applies the range only to the same file', async (t) => {
  const ranged = { status: 206, length: '2', range: `bytes 1-2/${size}`, body: whole.body.slice(1, 3) };
  t.strictSame(summary(await get({ Range: 'bytes=1-2', 'If-Range': etag })), ranged);
  for (const other of ['"sha512-another"', `W/${etag}`, new Date().toUTCString()]) {
    t.strictSame(summary(await get({ Range: 'bytes=1-2', 'If-Range': other })), wholeSummary, other);
  }
});

t.test('If-None-Match with the tag is 304 without a body', async (t) => {
  for (const header of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const response = await get({ 'If-None-Match': header, Range: 'bytes=1-2' });
    t.strictSame([response.status, response.body, response.headers.etag], [304, '', etag], header);
  }
  t.equal((await get({ 'If-None-Match': '"other"' })).status, 200);
});

t.test('selectRange never leaves the file', async (t) => {
  t.strictSame(selectRange(undefined, 1), { first: 0, last: 0 });
  t.strictSame(selectRange('bytes=0-0', 1), { first: 0, last: 0 });
  t.strictSame(selectRange(`bytes=-${'9'.repeat(400)}`, 7), { first: 0, last: 6 });
  t.strictSame(selectRange(`bytes=3-${'9'.repeat(400)}`, 7), { first: 3, last: 6 });
  t.equal(selectRange('bytes=7-7', 7), null);
});

t.test('a download is reported with its last byte, and not before', async (t) => {
  await waitUntil(async () => (await readdir(join(storage, 'reports', 'ready'))).length === 0);
  const reportsOf = async (ranges: string[]) => {
    controlPlane.state.received.length = 0;
    for (const range of ranges) await get({ Range: range });
    await get({ Range: `bytes=${size}-` });
    await get({ 'If-None-Match': etag });
    await get({}, 'HEAD');
    // Reports are delivered in order: this one is the last.
    await send(registry, path, await tokenOf({ sub: 'last' }));
    await waitUntil(() => controlPlane.state.received.some(({ report }) => report.customerId === 'last'));
    return controlPlane.state.received.slice(0, -1).map(({ report }) => report);
  };
  const allowed = { tier: 'basic', packageName: '@carton/cart', version: '1.2.0', outcome: 'allowed' };
  const report = { customerId: 'customer-1', ...allowed };
  t.strictSame(await reportsOf(['bytes=0-9', 'bytes=10-19', `bytes=20-${size - 2}`]), []);
  t.strictSame(await reportsOf(['bytes=0-99', 'bytes=100-']), [report], 'resumed after 100 bytes');
  t.strictSame(await reportsOf(['bytes=-1']), [report]);
  t.strictSame(await readdir(join(storage, 'reports', 'begun')), []);
});
