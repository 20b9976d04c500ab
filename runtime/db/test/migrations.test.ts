/**
 * Each migration runs exactly once, in the order of timestamps, with concurrent starts and after a kill
 * (contract, "What the service does", 4).
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { createTestDatabase } from '../../testing/database.ts';
import { exactly } from '../../testing/exactly.ts';
import { connect } from '../connection.ts';
import { collectMigrations, type MigrationOwner, migrate, pendingMigrations } from '../migrations.ts';

const folder = await mkdtemp(join(tmpdir(), 'migrations-'));
t.teardown(() => rm(folder, { recursive: true }));

/** Writes a package with migrations. @param files file names and the SQL of `up` */
async function owner(name: string, files: Record<string, string>): Promise<MigrationOwner> {
  const packageFolder = join(folder, `${name}-${Math.random().toString(36).slice(2)}`);
  await mkdir(join(packageFolder, 'migrations'), { recursive: true });
  await writeFile(join(packageFolder, 'package.json'), '{"type":"module"}');
  for (const [file, sql] of Object.entries(files))
    await writeFile(join(packageFolder, 'migrations', file), source(sql));
  return { fullName: `@test/${name}`, folder: packageFolder };
}

const source = (sql: string) =>
  `export const up = (knex) => knex.raw(${JSON.stringify(sql)});\nexport const down = () => {};\n`;
const table = (name: string) => `create table ${name} (tenant_id uuid primary key)`;

async function database(t: { teardown(task: () => Promise<void>): void }) {
  const { url, drop } = await createTestDatabase('empty');
  const knex = connect({ url });
  t.teardown(async () => {
    await knex.destroy();
    await drop();
  });
  return { url, knex };
}

t.test('migrations run once, in the order of their timestamps, across packages', async (t) => {
  const { knex } = await database(t);
  const first = await owner('first', {
    '20260101000000_first_one.js': table('one'),
    '20260103000000_first_three.js': 'alter table two add column three text',
  });
  const second = await owner('second', { '20260102000000_second_two.js': table('two') });
  const announced: string[] = [];
  const report = await migrate(knex, [first, second], ({ file }) => announced.push(file));
  const expected = ['20260101000000_first_one.js', '20260102000000_second_two.js', '20260103000000_first_three.js'];
  t.strictSame(announced, expected);
  t.strictSame(
    report.applied.map(({ file }) => file),
    expected,
  );
  const again = await migrate(knex, [first, second], () => t.fail('nothing is pending'));
  t.strictSame(again, { applied: [], orphaned: [] });
  t.strictSame(await pendingMigrations(knex, await collectMigrations([first, second])), []);
});

t.test('a package bought later runs its older migrations; the tables of one that leaves stay', async (t) => {
  const { knex } = await database(t);
  const basic = await owner('basic', { '20260105000000_basic.js': table('basic') });
  const growth = await owner('growth', { '20260101000000_growth.js': table('growth') });
  await migrate(knex, [basic]);
  t.equal((await migrate(knex, [basic, growth])).applied.length, 1);
  const back = await migrate(knex, [basic]);
  t.match(back, {
    applied: exactly([]),
    orphaned: exactly([{ package: '@test/growth', file: '20260101000000_growth.js' }]),
  });
  t.ok(await knex.schema.hasTable('growth'));
  t.strictSame((await migrate(knex, [basic, growth])).applied, [], 'bought again, nothing runs twice');
});

t.test('a failing migration is rolled back and named', async (t) => {
  const { url, knex } = await database(t);
  const broken = await owner('broken', {
    '20260101000000_good.js': table('good'),
    '20260102000000_bad.js': `${table('half')}; select 1/0`,
  });
  await t.rejects(migrate(knex, [broken]), /20260102000000_bad\.js of @test\/broken failed: .*division by zero/);
  t.ok(await knex.schema.hasTable('good'));
  t.notOk(await knex.schema.hasTable('half'));
  await writeFile(join(broken.folder, 'migrations/20260102000000_bad.js'), source(table('half')));
  t.equal(await migrateInOtherProcess(url, [broken]).ended, '1', 'once corrected, it runs at the next start');
});

t.test('an applied file that was edited stops the start and is named', async (t) => {
  const { knex } = await database(t);
  const edited = await owner('edited', { '20260101000000_edited.js': table('edited') });
  await migrate(knex, [edited]);
  await writeFile(join(edited.folder, 'migrations/20260101000000_edited.js'), source(table('other')));
  await t.rejects(migrate(knex, [edited]), /20260101000000_edited\.js was applied and has been edited/);
});

t.test('two files with the same name stop the start and are named', async (t) => {
  const one = await owner('one', { '20260101000000_same.js': table('a') });
  const two = await owner('two', { '20260101000000_same.js': table('b') });
  await t.rejects(collectMigrations([one, two]), {
    message: new RegExp(`${one.folder}.*${two.folder}|${two.folder}.*${one.folder}`),
  });
  const unnamed = await owner('unnamed', { 'create_table.js': table('c') });
  await t.rejects(collectMigrations([unnamed]), /14 digits/);
});

t.test('a table whose keys or foreign keys do not begin with the tenant is refused', async (t) => {
  const { knex } = await database(t);
  const cases: [name: string, sql: string, refused: RegExp | null][] = [
    ['other_first', 'create table x (id uuid primary key, tenant_id uuid)', /x_pkey on x begins with id/],
    [
      'unique',
      'create table x (tenant_id uuid primary key, handle text unique)',
      /x_handle_key on x begins with handle/,
    ],
    [
      'index',
      'create table x (tenant_id uuid primary key, a text); create unique index u on x (lower(a))',
      /an expression/,
    ],
    ['none', 'create table x (tenant_id uuid)', /x has no primary key/],
    [
      'reference',
      `create table x (tenant_id uuid, id uuid, primary key (tenant_id, id));
       create table y (tenant_id uuid, id uuid, x_tenant uuid, x_id uuid, primary key (tenant_id, id),
                       constraint y_x foreign key (x_tenant, x_id) references x (tenant_id, id))`,
      /y_x from y to x/,
    ],
    ['right', 'create table x (tenant_id uuid, id uuid, primary key (tenant_id, id), unique (tenant_id))', null],
  ];
  for (const [name, sql, refused] of cases) {
    const package_ = await owner(name, { [`20260101000000_${name}.js`]: sql });
    if (refused) await t.rejects(migrate(knex, [package_]), refused, name);
    else await t.resolves(migrate(knex, [package_]), name);
  }
  const box = await owner('box', { '20260102000000_box.js': 'create table hosts (host text primary key)' });
  await t.resolves(migrate(knex, [{ ...box, boxTables: ['hosts'] }]), 'a table in boxTables may');
});

/** Runs the migrations in another process. */
function migrateInOtherProcess(url: string, owners: MigrationOwner[]) {
  const script = `
    import { connect } from ${JSON.stringify(fileURLToPath(new URL('../connection.ts', import.meta.url)))};
    import { migrate } from ${JSON.stringify(fileURLToPath(new URL('../migrations.ts', import.meta.url)))};
    const knex = connect({ url: ${JSON.stringify(url)} });
    const { applied } = await migrate(knex, ${JSON.stringify(owners)});
    console.log(applied.length);
    await knex.destroy();
  `;
  const child = spawn(process.execPath, ['--conditions=workspace-source', '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  const ended = once(child, 'exit').then(() => output.trim());
  return { child, ended };
}

t.test('runtimes that start concurrently apply each migration once', async (t) => {
  const { url, knex } = await database(t);
  const files = Array.from({ length: 10 }, (_, n) => [`2026010100000${n}_step_${n}.js`, table(`step_${n}`)] as const);
  const owners = [await owner('many', Object.fromEntries(files))];
  const counts = await Promise.all([1, 2, 3].map(() => migrateInOtherProcess(url, owners).ended));
  t.strictSame(counts.map(Number).sort(), [0, 0, 10]);
  const { rows } = await knex.raw('select count(*) from applied_migrations');
  t.equal(rows[0].count, 10);
});

t.test('an empty database gets all migrations in one transaction, and later ones get one each', async (t) => {
  const { knex } = await database(t);
  const files = {
    '20260101000000_one.js': table('one'),
    '20260102000000_two.js': table('two'),
    '20260103000000_three.js': 'alter table two add column three text',
  };
  const transactions = async () => {
    const { rows } = await knex.raw('select xmin::text as id, count(*)::int from applied_migrations group by 1');
    return rows.map(({ count }: { count: number }) => count).sort();
  };
  await migrate(knex, [await owner('at_once', files)]);
  t.strictSame(await transactions(), [3]);
  t.strictSame(await knex('knex_migrations').pluck('name'), Object.keys(files));
  const later = await owner('later', {
    '20260104000000_four.js': table('four'),
    '20260105000000_five.js': table('five'),
  });
  await migrate(knex, [later]);
  t.strictSame(await transactions(), [1, 1, 3]);
});

t.test('migrations that cannot be applied in one transaction are applied one by one', async (t) => {
  const { knex } = await database(t);
  const files = {
    '20260101000000_type.js': `create type size as enum ('s'); ${table('sizes')}`,
    '20260102000000_value.js': "alter type size add value 'm'",
    '20260103000000_use.js': "alter table sizes add column size size not null default 'm'",
  };
  const { applied } = await migrate(knex, [await owner('enumerated', files)]);
  t.equal(applied.length, 3);
  t.ok(await knex.schema.hasColumn('sizes', 'size'));
  t.strictSame(await knex('applied_migrations').pluck('file'), Object.keys(files));
});

for (const isFirst of [true, false]) {
  t.test(`kill -9 during a migration leaves all of it or nothing${isFirst ? ', in an empty database' : ''}`, (t) =>
    killDuringMigration(t, isFirst),
  );
}

async function killDuringMigration(t: Test, isFirst: boolean): Promise<void> {
  const { url, knex } = await database(t);
  if (!isFirst) await migrate(knex, [await owner('earlier', { '20250101000000_earlier.js': table('earlier') })]);
  const lock = 4242;
  const slow = await owner('slow', {
    '20260101000000_before.js': table('before'),
    '20260102000000_slow.js': `${table('slow')}; select pg_advisory_xact_lock(${lock})`,
    '20260103000000_after.js': table('after'),
  });
  const holder = await knex.client.acquireConnection();
  await holder.query('select pg_advisory_lock($1)', [lock]);
  const { child, ended } = migrateInOtherProcess(url, [slow]);
  const waiting = "select 1 from pg_locks where locktype = 'advisory' and objid = 4242 and not granted";
  while ((await holder.query(waiting)).rows.length === 0) await sleep(20);
  child.kill('SIGKILL');
  await ended;
  await holder.query('select pg_advisory_unlock($1)', [lock]);
  knex.client.releaseConnection(holder);
  t.equal(await knex.schema.hasTable('before'), !isFirst);
  const { applied } = await migrate(knex, [slow]);
  t.strictSame(
    applied.map(({ file }) => file),
    [...(isFirst ? ['20260101000000_before.js'] : []), '20260102000000_slow.js', '20260103000000_after.js'],
  );
  t.ok(await knex.schema.hasTable('after'));
}
