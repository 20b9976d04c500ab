/**
 * The export of a tenant: its states, who may have it, and what happens when it is interrupted.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createTestBox, type TestTenant, until } from '@carton/runtime/testing';
import t from 'tap';
import { makeExport } from '../exports/job.ts';
import { requestExport } from '../exports/service.ts';

const run = promisify(execFile);
const packages = ['core', 'auth', 'tenant'].map((name) => `@carton/${name}`);
const folder = await mkdtemp(join(tmpdir(), 'exports-'));
t.teardown(() => rm(folder, { recursive: true, force: true }));
const box = await createTestBox(t, { packages, tier: 'basic', environment: { TENANT_EXPORT_FOLDER: folder } });
const pathOf = ({ id }: TestTenant) => `/admin/tenants/${id}/export`;
const stateOf = async (tenant: TestTenant) => (await box.operator.get(`${pathOf(tenant)}/state`)).body;
const filesOf = ({ id }: TestTenant) => readdir(join(folder, id)).catch(() => []);
const untilEnded = (tenant: TestTenant) =>
  until(
    () => stateOf(tenant),
    ({ state }) => state === 'ready' || state === 'failed',
  );
/** An export that the worker does not begin. */
async function prepare(values: string): Promise<TestTenant & { exportId: string }> {
  const tenant = await box.openTenant();
  const { id } = await tenant.db.transaction(async (tx) => {
    const row = await requestExport(tx);
    await tx.query(
      "insert into background_tasks (tenant_id, name, due_at) values ($1, 'tenant.export', 'infinity') on conflict (tenant_id, name) do update set due_at = 'infinity'",
    );
    await tx.query(`update tenant_exports set ${values} where tenant_id = $1`);
    return row;
  });
  return { ...tenant, exportId: id };
}

t.test('an export is made in the background and downloaded', async (t) => {
  t.match(await box.operator.get(pathOf(box)), { status: 404 });
  t.match(await box.operator.get(`${pathOf(box)}/state`), { status: 404 });
  const asked = await box.operator.post(pathOf(box));
  t.match(asked, { status: 202, body: { size: null, error: null, expiresAt: null } });
  const ended = await untilEnded(box);
  t.match(ended, { id: asked.body.id, state: 'ready' });
  const response = await fetch(`${box.url}${pathOf(box)}`, { headers: box.operator.headers });
  t.equal(response.status, 200);
  t.equal((await response.arrayBuffer()).byteLength, ended.size);
  t.strictSame(await filesOf(box), [`${ended.id}.1.tar.gz`]);
  const part = await fetch(`${box.url}${pathOf(box)}`, { headers: { ...box.operator.headers, range: 'bytes=0-9' } });
  t.strictSame([part.status, (await part.arrayBuffer()).byteLength], [206, 10]);
  const again = await box.operator.post(pathOf(box));
  t.not(again.body.id, ended.id, 'an export that has ended is replaced');
  t.equal((await untilEnded(box)).id, again.body.id);
  t.strictSame(await filesOf(box), [`${again.body.id}.1.tar.gz`]);
});

t.test('only the operator exports', async (t) => {
  const other = await box.openTenant();
  for (const suffix of ['', '/state']) {
    t.match(await box.staff.get(`${pathOf(box)}${suffix}`), { status: 403, body: { code: 'forbidden' } });
    t.match(await box.staff.get(`${pathOf(other)}${suffix}`), { status: 404 });
  }
  t.match(await box.staff.post(pathOf(box)), { status: 403, body: { code: 'forbidden' } });
});

t.test('an export in progress is not begun again, and cannot be downloaded', async (t) => {
  const tenant = await prepare("state = 'running', attempts = 1");
  t.match(await box.operator.get(pathOf(tenant)), { status: 409, body: { code: 'tenant_export_not_ready' } });
  t.equal((await box.operator.post(pathOf(tenant))).body.id, tenant.exportId);
  const [task] = await tenant.db.query(
    "select due_at::text from background_tasks where tenant_id = $1 and name = 'tenant.export'",
  );
  t.match(task, { dueAt: 'infinity' });
});

t.test('an interrupted export is made again, and its file deleted', async (t) => {
  const tenant = await prepare("state = 'running', attempts = 1");
  await mkdir(join(folder, tenant.id));
  for (const end of ['', '.rows'])
    await writeFile(join(folder, tenant.id, `${tenant.exportId}.1.tar.gz${end}`), 'part');
  await makeExport(tenant.db);
  t.match(await stateOf(tenant), { id: tenant.exportId, state: 'ready' });
  t.strictSame(await filesOf(tenant), [`${tenant.exportId}.2.tar.gz`]);
});

t.test('after three interruptions it has failed', async (t) => {
  const tenant = await prepare("state = 'running', attempts = 3");
  await makeExport(tenant.db);
  t.match(await stateOf(tenant), { state: 'failed', error: /interrupted/ });
  t.strictSame(await filesOf(tenant), []);
  t.match(await box.operator.get(pathOf(tenant)), { status: 409 });
});

t.test('an export that cannot be written has failed', async (t) => {
  const tenant = await prepare('attempts = 0');
  await writeFile(join(folder, tenant.id), 'a file in place of the folder');
  await t.rejects(makeExport(tenant.db));
  t.match(await stateOf(tenant), { state: 'failed', error: /could not be written/ });
});

t.test('a full disk ends the export, not the box', { skip: process.getuid?.() !== 0 && 'needs root' }, async (t) => {
  const tenant = await prepare('attempts = 0');
  const small = join(folder, tenant.id);
  await mkdir(small);
  await run('mount', ['-t', 'tmpfs', '-o', 'size=4k', 'tmpfs', small]);
  try {
    await t.rejects(makeExport(tenant.db), { code: 'ENOSPC' });
    t.match(await stateOf(tenant), { state: 'failed', error: /could not be written/ });
    t.strictSame(await filesOf(tenant), []);
  } finally {
    await run('umount', [small]);
  }
});

t.test('its file is deleted when it expires, and with the tenant', async (t) => {
  const tenant = await prepare('attempts = 0');
  await makeExport(tenant.db);
  t.equal((await filesOf(tenant)).length, 1);
  await tenant.db.query("update tenant_exports set expires_at = now() - interval '1 second' where tenant_id = $1");
  await makeExport(tenant.db);
  t.strictSame(await filesOf(tenant), []);
  t.match(await box.operator.get(pathOf(tenant)), { status: 404 });
});
