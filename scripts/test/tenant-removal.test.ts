/**
 * Removing a tenant from a box with all packages: nothing of it is left, in any table or folder, and nothing of another
 * tenant is missing; also when the process that removes it is killed.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { createTestBox, type TestTenant } from '@carton/runtime/testing';
import t from 'tap';
import { fillTenant } from '../../tools/plans/full-tenant.ts';
import { removeDeleted } from '../../vendor/tenant/removal.ts';

const dataFolder = await mkdtemp(join(tmpdir(), 'removal-'));
const box = await createTestBox(t, { dataFolder });
t.teardown(() => rm(dataFolder, { recursive: true, force: true }));

// The names are the same in both, as the data of two stores can be.
const [kept, leaving, killed] = [box, await box.openTenant(), await box.openTenant()];
for (const tenant of [kept, leaving, killed]) await fillTenant(box, tenant);

const tables = await box.owner.query<{ name: string }>(
  "select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'",
);

/** Rows of each table that have the id of a tenant in any column. */
async function rowsWith({ id }: TestTenant): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    const [row] = await box.owner.query<{ count: number }>(
      `select count(*)::integer as count from "${name}" counted where strpos(counted::text, $1) > 0`,
      [id],
    );
    if (row && row.count > 0) counts[name] = row.count;
  }
  return counts;
}

/** The worker and its jobs change these at any time. */
const isQuiet = ([name]: [string, number]) =>
  !/^(background_tasks|event_deliveries|event_outbox|notifications|product_stock_refreshes)$/.test(name);
const quiet = (counts: Record<string, number>) => Object.fromEntries(Object.entries(counts).filter(isQuiet));

async function expire({ id }: TestTenant): Promise<void> {
  const { status } = await box.operator.delete(`/admin/tenants/${id}`);
  if (status !== 200) throw new Error(`the tenant was not deleted: ${status}`);
  await box.owner.query("update tenants set deletion_at = now() - interval '1 second' where id = $1", [id]);
}

t.test('the tenants have rows in almost all tables', async (t) => {
  const filled = Object.keys(await rowsWith(leaving));
  t.ok(filled.length > 60, `${filled.length} tables`);
  t.ok(filled.includes('invoices'));
  t.strictSame((await readdir(join(dataFolder, 'media'))).sort(), [kept.id, leaving.id, killed.id].sort());
});

t.test('all of a tenant is removed, and nothing of another', async (t) => {
  const before = quiet(await rowsWith(kept));
  await expire(leaving);
  await removeDeleted.run(leaving.db);
  t.strictSame(await rowsWith(leaving), {});
  t.strictSame(quiet(await rowsWith(kept)), before);
  t.strictSame((await readdir(join(dataFolder, 'media'))).sort(), [kept.id, killed.id].sort());
  t.equal((await kept.visitor().get('/store')).status, 200);
});

t.test('a removal that is killed is continued', async (t) => {
  const before = quiet(await rowsWith(kept));
  await expire(killed);
  const script = new URL('./support/remove-tenant.ts', import.meta.url).pathname;
  const rows = async () => Object.values(await rowsWith(killed)).reduce((sum, count) => sum + count, 0);
  let kills = 0;
  for (let last = await rows(); kills < 3; ) {
    const args = ['--conditions=workspace-source', script, box.databaseUrl, killed.id];
    const child = spawn(process.execPath, args, { stdio: 'inherit' });
    const closed = once(child, 'exit');
    while (child.exitCode === null && (await rows()) >= last) await setTimeout(2);
    child.kill('SIGKILL');
    const [code] = await closed;
    if (code !== null) break;
    kills += 1;
    last = await rows();
    t.comment(`killed with ${last} rows left`);
  }
  t.ok(kills > 0, `${kills} kills`);
  await removeDeleted.run(killed.db);
  t.strictSame(await rowsWith(killed), {});
  t.strictSame(quiet(await rowsWith(kept)), before);
});
