/**
 * Uploads to a box: idempotency keys include the files, and files of a killed process are removed at the next start.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { createTestBox } from '../testing/box.ts';
import { boxTarget, checkContract } from '../testing/contract/index.ts';
import { printsPackage } from './prints-package.ts';

const folder = await mkdtemp(join(tmpdir(), 'uploads-'));
t.teardown(() => rm(folder, { recursive: true, force: true }));

t.test('files of a killed process are removed when a box starts', async (t) => {
  const server = new URL('../http/test/streaming-server.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, ['--conditions=workspace-source', server, folder]);
  const [url] = await once(child.stdout, 'data');
  const sent = request(`${String(url).trim()}/disk`, {
    method: 'POST',
    headers: { 'content-type': 'multipart/form-data; boundary=x' },
  });
  sent.on('error', () => {});
  sent.write('--x\r\nContent-Disposition: form-data; name="film"; filename="film"\r\n\r\nthe beginning');
  while ((await readdir(folder)).length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  child.kill('SIGKILL');
  await once(child, 'exit');
  t.equal((await readdir(folder)).length, 1);
  const box = await createTestBox(t, { ...(await printsPackage(t)), uploadFolder: folder });
  t.strictSame(await readdir(folder), []);

  const upload = async (text: string, key: string) => {
    const form = new FormData();
    form.append('title', 'A lighthouse');
    form.append('motif', new Blob([text], { type: 'text/plain' }), 'a.txt');
    const headers = { ...box.staff.headers, 'idempotency-key': key };
    const response = await fetch(`${box.url}/admin/prints`, { method: 'POST', body: form, headers });
    const replayed = response.headers.get('idempotent-replayed');
    return { status: response.status, replayed, body: await response.json() };
  };
  const created = await upload('light', 'a');
  t.match(created, { status: 201, replayed: null, body: { title: 'A lighthouse', sha256: /^[0-9a-f]{64}$/ } });
  t.strictSame(await upload('light', 'a'), { ...created, replayed: 'true' });
  t.match(await upload('house', 'a'), { status: 409, body: { code: 'idempotency_key_reused' } });
  t.strictSame(await readdir(folder), []);
});

t.test('the contract suite supports routes with uploads and streamed responses', async (t) => {
  const box = await createTestBox(t, { ...(await printsPackage(t)), uploadFolder: folder });
  const target = await boxTarget(box, (task) => t.teardown(task));
  const declarations = target.declarations.filter(({ path }) => path.startsWith('/admin/prints'));
  const result = await checkContract({ ...target, declarations }, { seed: 7, runs: 20 });
  t.strictSame(result.failures, []);
  t.strictSame(result.succeeded.toSorted(), [
    'GET /admin/prints/export',
    'GET /admin/prints/exported',
    'POST /admin/prints',
    'POST /admin/prints/weigh',
  ]);
  t.strictSame(await readdir(folder), []);
});
