/**
 * The migrations of the engine and of packages: one list in the order of timestamps, each applied once, and an applied
 * migration cannot move to another package.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { connect } from '../../db/connection.ts';
import { collectMigrations, type MigrationOwner, migrate, pendingMigrations } from '../../db/migrations.ts';
import { createTestDatabase } from '../../testing/database.ts';
import { packageName } from '../../vendor.ts';
import { migrationOwners } from '../migrations.ts';

const folder = await mkdtemp(join(tmpdir(), 'engine-migrations-'));
const { url, drop } = await createTestDatabase('empty');
const knex = connect({ url });
t.teardown(async () => {
  await knex.destroy();
  await drop();
  await rm(folder, { recursive: true, force: true });
});

const [engine] = migrationOwners([]) as [MigrationOwner];
const core: MigrationOwner = { fullName: packageName('core'), folder: join(folder, 'core'), boxTables: ['tenants'] };
const own: MigrationOwner = { ...engine, folder: join(folder, 'runtime') };

async function write({ folder }: MigrationOwner, file: string, sql: string): Promise<void> {
  await mkdir(join(folder, 'migrations'), { recursive: true });
  await writeFile(
    join(folder, 'migrations', file),
    `export const up = (knex) => knex.raw(\`${sql}\`);\nexport const down = () => {};\n`,
  );
}

t.test('the engine has the folder of its manifest, and declares its box table', async (t) => {
  const manifest = JSON.parse(await readFile(join(engine.folder, 'package.json'), 'utf8'));
  t.equal(engine.fullName, manifest.name);
  t.strictSame(engine.boxTables, ['session_keys']);
  t.strictSame(migrationOwners([core]), [engine, core]);
});

t.test('migrations of the engine and of packages are one list', async (t) => {
  await write(core, '20260101000000_core_create_tenants.js', 'create table tenants (id uuid primary key)');
  await write(core, '20260103000000_core_create_session_keys.js', 'create table session_keys (id integer primary key)');
  await migrate(knex, migrationOwners([core], own));

  await write(own, '20260102000000_runtime_create_marks.js', 'create table marks (tenant_id uuid primary key)');
  await write(own, '20260104000000_runtime_add_secret.js', 'alter table session_keys add column secret bytea');
  const owners = migrationOwners([core], own);
  const collected = await collectMigrations(owners);
  t.strictSame(
    collected.map(({ package: owner, file }) => [owner, file]),
    [
      ['@carton/core', '20260101000000_core_create_tenants.js'],
      ['@carton/runtime', '20260102000000_runtime_create_marks.js'],
      ['@carton/core', '20260103000000_core_create_session_keys.js'],
      ['@carton/runtime', '20260104000000_runtime_add_secret.js'],
    ],
  );
  const pending = ['20260102000000_runtime_create_marks.js', '20260104000000_runtime_add_secret.js'];
  t.strictSame((await pendingMigrations(knex, collected)).sort(), pending);
  const report = await migrate(knex, owners);
  t.strictSame(
    report.applied.map(({ file }) => file),
    pending,
    'migrations applied by core are not applied again',
  );
  t.strictSame(report.orphaned, []);
  t.strictSame((await migrate(knex, owners)).applied, []);
  t.strictSame(await knex('applied_migrations').select('package').where({ file: pending[0] }), [
    { package: '@carton/runtime' },
  ]);
});

t.test('an applied migration cannot move to another package', async (t) => {
  const file = '20260103000000_core_create_session_keys.js';
  await write(own, file, 'create table session_keys (id integer primary key)');
  await rm(join(core.folder, 'migrations', file));
  await t.rejects(
    migrate(knex, migrationOwners([core], own)),
    /was applied by @carton\/core and is now in @carton\/runtime/,
  );
});
