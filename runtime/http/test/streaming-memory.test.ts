/**
 * Streaming does not buffer files: the memory of a process that receives and sends 200 MB.
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
/** Half of the streamed size: garbage is collected with a delay. */
const maxGrowth = 100 * megabyte;

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

const chunk = Buffer.alloc(megabyte, 'film');
const chunks = 200;
const size = chunks * megabyte;
const hash = createHash('sha256');
for (let count = 0; count < chunks; count++) hash.update(chunk);
const sha256 = hash.digest('hex');

async function* form(count = chunks) {
  yield '--x\r\nContent-Disposition: form-data; name="film"; filename="film"\r\n\r\n';
  for (let sent = 0; sent < count; sent++) yield chunk;
  yield '\r\n--x--';
}

async function upload(path: string, count = chunks) {
  const headers = { 'content-type': 'multipart/form-data; boundary=x' };
  const body = ReadableStream.from(form(count)) as unknown as RequestInit['body'];
  const response = await fetch(`${url}${path}`, { method: 'POST', headers, body, duplex: 'half' } as RequestInit);
  return response.json();
}

for (const path of ['/disk', '/streamed']) {
  t.test(`an upload of 200 MB, ${path}`, async (t) => {
    await upload(path, 5);
    const before = await memory();
    t.strictSame(await upload(path), { size, sha256 });
    const growth = (await memory()) - before;
    t.ok(growth < maxGrowth, `it grew by ${Math.round(growth / megabyte)} MB`);
  });
}

t.test('a response of 200 MB to a client that starts to read late', async (t) => {
  const before = await memory();
  const pending = request(`${url}/long`).end();
  const [response] = await once(pending, 'response');
  // Long enough to produce the entire response without back-pressure.
  for (let turn = 0; turn < 20; turn++) {
    await memory();
    await setImmediate();
  }
  let read = 0;
  for await (const bytes of response) read += bytes.length;
  t.equal(read, size);
  const growth = (await memory()) - before;
  t.ok(growth < maxGrowth, `it grew by ${Math.round(growth / megabyte)} MB`);
});
