/**
 * A process that receives files and sends long responses, for tests of its memory. It prints its URL and waits; for
 * `memory` on its standard input it prints its peak resident set size, in bytes.
 */
import { createHash } from 'node:crypto';
import { pino } from 'pino';
import { createApp, listen, object, routeFor, Type } from '../index.ts';

const route = routeFor<object>();
const shared = { tag: 'Files', summary: 'Streams', access: 'public' } as const;
const megabyte = 1024 * 1024;
const Received = object({ size: Type.Integer(), sha256: Type.String() });

const toDisk = route(
  {
    ...shared,
    method: 'post',
    path: '/disk',
    operationId: 'receiveToDisk',
    upload: { files: { film: { size: 300 * megabyte } } },
    status: 201,
    response: Received,
  },
  ({ files }) => files.film[0] ?? { size: 0, sha256: '' },
);

const streamed = route(
  {
    ...shared,
    method: 'post',
    path: '/streamed',
    operationId: 'receiveStreamed',
    upload: { files: { film: { size: 300 * megabyte } }, streamed: true },
    status: 201,
    response: Received,
  },
  async ({ files }) => {
    const hash = createHash('sha256');
    let size = 0;
    for await (const { content } of files) {
      for await (const chunk of content) {
        hash.update(chunk);
        size += chunk.length;
        // Slower than the sender, which needs back-pressure.
        if (size % 64 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
    }
    return { size, sha256: hash.digest('hex') };
  },
);

const line = 'x'.repeat(1023);
const long = route(
  {
    ...shared,
    method: 'get',
    path: '/long',
    operationId: 'readLong',
    mediaType: 'text/plain; charset=utf-8',
    streamed: true,
    status: 200,
  },
  async function* () {
    for (let count = 0; count < 200 * 1024; count++) yield `${line}\n`;
  },
);

const app = createApp<null, object>({
  routes: [toDisk, streamed, long],
  accessKinds: [],
  scope: () => null,
  services: () => ({}),
  log: pino({ level: 'silent' }),
  uploadFolder: process.argv[2],
});
const { url } = await listen(app, '127.0.0.1', 0);
process.stdin.on('data', () => process.stdout.write(`${process.resourceUsage().maxRSS * 1024}\n`));
process.stdout.write(`${url}\n`);
