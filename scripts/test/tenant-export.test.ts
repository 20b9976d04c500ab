/**
 * The export of a tenant from a box with all packages: all of its rows and files, nothing of another tenant, no secrets.
 */

import { createHash } from 'node:crypto';
import { createGunzip } from 'node:zlib';
import { exportTenantRows } from '@carton/runtime';
import { createTestBox, until } from '@carton/runtime/testing';
import t from 'tap';
import { extract } from 'tar-stream';
import { isSecretColumn, isTransientTable } from '../../runtime/db/secrets.ts';
import { listExportedTables } from '../../runtime/engine/tenant-export.ts';
import { fillTenant } from '../../tools/plans/full-tenant.ts';

const box = await createTestBox(t);
const other = await box.openTenant();
for (const tenant of [box, other]) await fillTenant(box, tenant);

/** Columns whose names suggest a secret, with the reason why they are none. */
const harmless: Record<string, string> = {
  sha256: 'of a file',
  proof: 'in DNS, for everyone',
};

const path = `/admin/tenants/${box.id}/export`;
const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** Makes an export and downloads it; returns the state and the entries of the archive. */
async function download() {
  const asked = await box.operator.post(path);
  if (asked.status !== 202) throw new Error(`no export: ${asked.status} ${JSON.stringify(asked.body)}`);
  const { body: state } = await until(
    () => box.operator.get(`${path}/state`),
    ({ body }) => body.state === 'ready' || body.state === 'failed',
  );
  const response = await fetch(`${box.url}${path}`, { headers: box.operator.headers });
  const bytes = Buffer.from(await response.arrayBuffer());
  const entries = new Map<string, Buffer>();
  const archive = extract();
  const unzip = createGunzip();
  unzip.end(bytes);
  (unzip as NodeJS.ReadableStream).pipe(archive as unknown as NodeJS.WritableStream);
  for await (const entry of archive) {
    const parts: Buffer[] = [];
    for await (const part of entry) parts.push(part as Buffer);
    entries.set(entry.header.name, Buffer.concat(parts));
  }
  return { state, response, bytes, entries };
}

const { state, response, bytes, entries } = await download();
const manifest = JSON.parse(String(entries.get('manifest.json')));
const text = [...entries].map(([name, content]) => (name.startsWith('files/') ? '' : String(content))).join('\n');
const rowsOf = (name: string) =>
  String(entries.get(`tables/${name}.ndjson`))
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

t.test('the archive is complete and as the manifest describes it', async (t) => {
  t.match(state, { state: 'ready', size: bytes.length, sha256: digest(bytes), error: null });
  t.equal(response.status, 200);
  t.equal(response.headers.get('content-type'), 'application/gzip');
  const exported = await listExportedTables(box.db);
  t.ok(exported.length > 70, `${exported.length} tables`);
  t.strictSame(
    manifest.tables.map(({ name }: { name: string }) => name),
    exported.map(({ name }) => name),
  );
  for (const { name, rows, columns, sha256 } of manifest.tables) {
    t.equal(digest(entries.get(`tables/${name}.ndjson`) as Buffer), sha256, name);
    const stored = rowsOf(name);
    t.equal(stored.length, rows, name);
    for (const row of stored) t.strictSame(Object.keys(row).sort(), [...columns].sort());
  }
  t.equal(state.progress.tables, manifest.tables.length);
});

t.test('all rows of the tenant are in it, and none of another', async (t) => {
  /** The worker writes these at any time. */
  const busy = ['event_outbox', 'notifications'];
  for (const { name, tenantColumn } of await listExportedTables(box.db)) {
    const stored = rowsOf(name);
    t.strictSame(
      stored.filter((row) => row[tenantColumn] !== box.id),
      [],
      name,
    );
    if (busy.includes(name)) continue;
    const text = `select count(*)::integer as count from "${name}" where "${tenantColumn}" = $1`;
    const [row] = await box.owner.query<{ count: number }>(text, [box.id]);
    t.equal(stored.length, row?.count, name);
  }
  t.ok(rowsOf('orders').length > 1);
  t.notOk(text.includes(other.id));
  t.notOk(text.includes(other.slug));
});

t.test('the original files are in it', async (t) => {
  const assets = await box.db.query<{ sha256: string }>(
    'select sha256 from media_assets where tenant_id = $1 union all select sha256 from downloads where tenant_id = $1',
  );
  t.ok(assets.length > 3, 'pictures and downloads');
  const digests = [...entries]
    .filter(([name]) => name.startsWith('files/media/'))
    .map(([, content]) => digest(content));
  t.strictSame(digests.sort(), assets.map(({ sha256 }) => sha256).sort());
  t.equal(manifest.files.count, assets.length);
});

t.test('no secret is in it', async (t) => {
  const suspicious =
    /hash|secret|token|password|credential|salt|cipher|encrypt|proof|totp|recovery|sha256|(^|_)pin(_|$)/;
  const columns = await box.owner.query<{ table: string; column: string }>(
    `select table_name as table, column_name as column from information_schema.columns
      where table_schema = 'public' order by 1, 2`,
  );
  const exported = new Map((await listExportedTables(box.db)).map(({ name, columns }) => [name, columns]));
  t.strictSame(
    columns
      .filter(({ table, column }) => suspicious.test(column) && exported.get(table)?.includes(column))
      .filter(({ column }) => !(column in harmless))
      .map(({ table, column }) => `${table}.${column}`),
    [],
    'a new column with a secret is left out, or declared harmless here',
  );
  let values = 0;
  for (const { table, column } of columns) {
    if (!isSecretColumn(table, column) || !exported.has(table)) continue;
    const found = await box.owner.query<{ value: string }>(
      `select "${column}"::text as value from "${table}" where tenant_id = $1 and length("${column}"::text) > 10`,
      [box.id],
    );
    for (const { value } of found) t.notOk(text.includes(value), `${table}.${column}`);
    values += found.length;
  }
  t.ok(values > 0, `${values} values`);
  for (const table of ['staff_sessions', 'staff_tokens', 'member_sessions', 'idempotency_keys']) {
    t.ok(isTransientTable(table));
    t.notOk(entries.has(`tables/${table}.ndjson`));
  }
});

t.test('all tables are read from one snapshot', async (t) => {
  const names: string[] = [];
  let tables = 0;
  await exportTenantRows(box.db, async ({ name, rows }) => {
    // The snapshot is that of the first statement.
    if (++tables === 2) {
      t.equal((await box.staff.post('/admin/products', { title: 'Later' })).status, 201);
    }
    for await (const row of rows()) if (name === 'products') names.push(JSON.parse(row).title);
  });
  t.ok(names.length > 1);
  t.notOk(names.includes('Later'));
});
