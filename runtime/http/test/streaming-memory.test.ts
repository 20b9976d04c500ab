/**
 * What is streamed is never held whole: the memory of a process that takes and sends files of 200 MB.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setImmediate } from 'node:timers/promises';
import t from 'tap';

const megabyte = 1024 * 1024;
/** Half of what is streamed: what has been read is let go when the engine finds the time to. */
const mostGrowth = 100 * megabyte;

const folder = await mkdtemp(join(tmpdir(), 'streaming-memory-'));
const server = new URL('./streaming-server.ts', import.meta.url).pathname;
const child = spawn(process.execPath, ['--conditions=workspace-source', server, folder], {
  stdio: ['pipe', 'pipe', 'inherit'],
});
t.teardown(async () => {
  const ended = once(child, 'exit');
  child.kill();
  await ended;
  await rm(folder, { recursive: true, force: true });
});
const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
const url = (await lines.next()).value as string;

async function memory(): Promise<number> {
  child.stdin.write('memory\n');
  return Number((await lines.next()).value);
}

const piece = Buffer.alloc(megabyte, 'film');
const pieces = 200;
const size = pieces * megabyte;
const hash = createHash('sha256');
for (let count = 0; count < pieces; count++) hash.update(piece);
const sha256 = hash.digest('hex');

async function* form(count = pieces) {
  yield '--x\r\nContent-Disposition: form-data; name="film"; filename="film"\r\n\r\n';
  for (let sent = 0; sent < count; sent++) yield piece;
  yield '\r\n--x--';
}

async function upload(path: string, count = pieces) {
  const headers = { 'content-type': 'multipart/form-data; boundary=x' };
  const body = ReadableStream.from(form(count)) as unknown as RequestInit['body'];
  const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body, duplex: 'half' } as RequestInit);
  return answer.json();
}

for (const path of ['/disk', '/streamed']) {
  t.test(`a file of 200 MB, ${path}`, async (t) => {
    await upload(path, 5);
    const before = await memory();
    t.strictSame(await upload(path), { size, sha256 });
    const grown = (await memory()) - before;
    t.ok(grown < mostGrowth, `it grew by ${Math.round(grown / megabyte)} MB`);
  });
}

t.test('an answer of 200 MB to a reader who is slow to begin', async (t) => {
  const before = await memory();
  const asked = request(`${url}/long`).end();
  const [response] = await once(asked, 'response');
  // Long enough for all of it to be made, were it not held back.
  for (let turn = 0; turn < 20; turn++) {
    await memory();
    await setImmediate();
  }
  let read = 0;
  for await (const bytes of response) read += bytes.length;
  t.equal(read, size);
  const grown = (await memory()) - before;
  t.ok(grown < mostGrowth, `it grew by ${Math.round(grown / megabyte)} MB`);
});
