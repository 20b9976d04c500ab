/**
 * Uploads are admitted before a byte of them is stored, and hold a bounded space together.
 */
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import t from 'tap';
import { createApp, listen, notFound, object, routeFor, Type } from '../index.ts';
import { UploadSpace } from '../upload-space.ts';

const folder = await mkdtemp(join(tmpdir(), 'upload-admission-'));
const route = routeFor<{ owner: string }>();
const shared = { method: 'post', tag: 'Files', summary: 'Upload a file', access: 'public', status: 204 } as const;
const admitted: (number | null)[] = [];
const admit = async ({ owner, params }: { owner: string; params: { token: string } }, announced: number | null) => {
  if (params.token !== 'right') throw notFound(`${owner} has no such upload.`);
  admitted.push(announced);
  return 2000;
};
const params = object({ token: Type.String() });
const raw = route(
  {
    ...shared,
    path: '/raw/:token',
    operationId: 'uploadRaw',
    params,
    upload: { raw: true, files: { file: { size: 5000 } }, admit },
  },
  () => {},
);
const form = route(
  {
    ...shared,
    path: '/form/:token',
    operationId: 'uploadForm',
    params,
    upload: { files: { file: { size: 2_000_000 } }, admit },
  },
  () => {},
);
const app = createApp<string, { owner: string }>({
  routes: [raw, form],
  accessKinds: [],
  scope: (ctx) => ctx.get('x-owner'),
  services: (_, owner) => ({ owner }),
  log: pino({ level: 'silent' }),
  bodyDeadline: 5000,
  uploadFolder: folder,
  uploadSpace: new UploadSpace(2_400_000),
  owner: (owner) => owner || null,
});
const server = await listen(app, '127.0.0.1', 0);
t.teardown(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

/** The most bytes that were stored while the work ran. */
async function storedDuring(work: () => Promise<unknown>): Promise<number> {
  let most = 0;
  let isRunning = true;
  const watching = (async () => {
    while (isRunning) {
      // The folder of an upload may be removed while it is read; the next look is soon.
      const names = await readdir(folder, { recursive: true }).catch((error) => {
        if (error.code !== 'ENOENT') throw error;
        return [];
      });
      const sizes = names.map((name) => stat(join(folder, name)).then((entry) => (entry.isFile() ? entry.size : 0)));
      const found = await Promise.allSettled(sizes);
      most = Math.max(
        most,
        found.reduce((sum, size) => sum + (size.status === 'fulfilled' ? size.value : 0), 0),
      );
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  })();
  await work();
  isRunning = false;
  await watching;
  return most;
}

/** Sends a body of this size in chunks, without announcing its size. */
async function sendChunked(path: string, bytes: number, chunk = Buffer.alloc(1000, 'a')) {
  const body = new ReadableStream({
    pull(controller) {
      if (bytes <= 0) return controller.close();
      bytes -= chunk.length;
      controller.enqueue(chunk);
    },
  });
  const response = await fetch(server.url + path, { method: 'POST', body, duplex: 'half' } as RequestInit);
  return { status: response.status, body: response.status === 204 ? null : await response.json() };
}

async function send(path: string, bytes: number) {
  const response = await fetch(server.url + path, { method: 'POST', body: Buffer.alloc(bytes) });
  return { status: response.status, body: response.status === 204 ? null : await response.json() };
}

t.test('an upload that is refused stores nothing', async (t) => {
  for (const path of ['/raw/wrong', '/form/wrong']) {
    const body = path.startsWith('/raw') ? Buffer.alloc(4000) : new FormData();
    if (body instanceof FormData) body.append('file', new Blob(['a'.repeat(1_500_000)]), 'a.txt');
    const stored = await storedDuring(async () => {
      const response = await fetch(server.url + path, { method: 'POST', body });
      t.match(
        { status: response.status, body: await response.json() },
        { status: 404, body: { detail: ' has no such upload.' } },
      );
    });
    t.equal(stored, 0, path);
  }
  const stored = await storedDuring(async () => t.match(await sendChunked('/raw/wrong', 1_000_000), { status: 404 }));
  t.equal(stored, 0, 'nor one that does not announce its size');
});

t.test('what is admitted limits what is received', async (t) => {
  admitted.length = 0;
  t.match(await send('/raw/right', 2000), { status: 204 });
  t.match(await send('/raw/right', 2001), { status: 413, body: { detail: 'The limit is 2000 bytes.' } });
  t.match(await sendChunked('/raw/right', 2000), { status: 204 });
  const stored = await storedDuring(async () => {
    t.match(await sendChunked('/raw/right', 900_000), { status: 413, body: { detail: 'The limit is 2000 bytes.' } });
  });
  t.ok(stored <= 2000, `${stored} bytes`);
  t.strictSame(admitted, [2000, 2001, null, null]);
});

t.test('all uploads together hold no more than the space', async (t) => {
  const sockets = await Promise.all(
    Array.from({ length: 3 }, async (_, at) => {
      const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
      const answer = new Promise<string>((resolve) => socket.once('data', (data) => resolve(data.toString())));
      const head = `POST /form/right HTTP/1.1\r\nHost: x\r\nX-Owner: owner ${at}\r\nContent-Type: multipart/form-data; boundary=x`;
      socket.write(`${head}\r\nContent-Length: 1000000\r\n\r\n--x\r\n`);
      return { socket, answer };
    }),
  );
  const refused = await Promise.any(sockets.map(({ answer }) => answer));
  t.match(refused, /^HTTP\/1\.1 503 [\s\S]*Retry-After: 10[\s\S]*Too many files are being uploaded/i);
  for (const { socket } of sockets) socket.destroy();
  // Once the others have ended there is room again.
  while ((await sendForm(900)) !== 204) await new Promise((resolve) => setTimeout(resolve, 10));
  t.strictSame(await readdir(folder), []);
});

async function sendForm(bytes: number): Promise<number> {
  const body = new FormData();
  body.append('file', new Blob(['a'.repeat(bytes)]), 'a.txt');
  return (await fetch(`${server.url}/form/right`, { method: 'POST', body })).status;
}

t.test('space is counted by owner, and given back', (t) => {
  const space = new UploadSpace(100);
  const refusal = { message: 'Too many files are being uploaded.' };
  const one = space.hold('one', 40);
  t.throws(() => space.hold('one', 20), refusal, 'no owner has more than half');
  const other = space.hold('other', 50);
  t.throws(() => space.hold('third', 20), refusal, 'all have no more than there is');
  other.grow(50);
  t.throws(() => other.grow(11), refusal, 'what was not announced counts as it arrives');
  other.release();
  other.release();
  const large = space.hold('other', 60);
  t.throws(() => space.hold('other', 1), refusal, 'a file above the share is received alone');
  large.release();
  one.release();
  const unknown = space.hold(null, 0);
  unknown.grow(100);
  t.throws(() => space.hold('one', 1), refusal);
  unknown.release();
  space.hold('one', 50).release();
  t.end();
});
