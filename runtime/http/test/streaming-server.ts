/**
 * A process that takes files and sends long answers, for tests that look at how much memory it takes. It prints its
 * address, then waits; told `memory` on its standard input it prints its largest resident set so far, in bytes.
 */
import { createHash } from 'node:crypto';
import { pino } from 'pino';
import { createApp, listen, object, routeFor, Type } from '../index.ts';

const route = routeFor<object>();
const shared = { tag: 'Files', summary: 'Streams', access: 'public' } as const;
const megabyte = 1024 * 1024;
const Taken = object({ size: Type.Integer(), sha256: Type.String() });

const toDisk = route(
  {
    ...shared,
    method: 'post',
    path: '/disk',
    operationId: 'takeToDisk',
    upload: { files: { film: { size: 300 * megabyte } } },
    status: 201,
    response: Taken,
  },
  ({ files }) => files.film[0] ?? { size: 0, sha256: '' },
);

const streamed = route(
  {
    ...shared,
    method: 'post',
    path: '/streamed',
    operationId: 'takeStreamed',
    upload: { files: { film: { size: 300 * megabyte } }, streamed: true },
    status: 201,
    response: Taken,
  },
  async ({ files }) => {
    const hash = createHash('sha256');
    let size = 0;
    for await (const { content } of files) {
      for await (const piece of content) {
        hash.update(piece);
        size += piece.length;
        // Slower than the sender: it has to be held back.
        if (size % 64 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
    }
    return { size, sha256: hash.digest('hex') };
  },
);

const line = 'x'.repeat(1023);
const answer = route(
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
  routes: [toDisk, streamed, answer],
  accessKinds: [],
  scope: () => null,
  services: () => ({}),
  log: pino({ level: 'silent' }),
  uploadFolder: process.argv[2],
});
const { url } = await listen(app, '127.0.0.1', 0);
process.stdin.on('data', () => process.stdout.write(`${process.resourceUsage().maxRSS * 1024}\n`));
process.stdout.write(`${url}\n`);
