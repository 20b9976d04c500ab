/**
 * Additive migrations: the judgement of statements, and of all migrations of this checkout against what each does to the
 * schema of a real database.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTestDatabase } from '@carton/runtime/testing';
import t from 'tap';
import { connect } from '../../../runtime/db/connection.ts';
import { collectMigrations, migrate, migratorSettings } from '../../../runtime/db/migrations.ts';
import { migrationOwners } from '../../../runtime/engine/migrations.ts';
import { loadPackages } from '../../../runtime/package/load.ts';
import { isAdditive, kindOfMigration } from '../additive.ts';
import { readWorkspace, repository } from '../sources.ts';
import { makeFolder } from './workspace.ts';

t.test('statements', (t) => {
  const additive = [
    'create table notes (tenant_id uuid not null references tenants (id), text text unique)',
    'create table notes (id uuid references orders (id) on delete cascade)',
    'create table a (id uuid primary key); create table b (a uuid references a (id))',
    "alter table orders add column note text, add column tags text[] not null default '{}'",
    'alter table orders add column paid bigint not null default 0 check (paid >= 0)',
    "alter table orders add column a text; alter table orders add constraint c check ((a is null) or a in ('b', 'c d'))",
    'create index orders_note on orders (tenant_id, lower(note)) where note is not null; -- drop table orders',
    'alter table orders add column external_id text; create unique index u on orders (tenant_id, external_id)',
    'create table notes (id uuid); create unique index n on notes (id); alter table notes add unique (id)',
    "comment on table orders is 'drop table orders; delete'",
    'do $$ begin if exists (select from pg_collation where collname = \'x\') then create index a on orders (a); create index b on orders (b collate "x"); end if; end $$;',
  ];
  for (const sql of additive) t.ok(isAdditive(sql), sql);

  const changing = [
    'drop table orders',
    "do $$ begin if exists (select from pg_collation where collname = 'x') then create index a on orders (a); drop table notes; end if; end $$",
    'do $$ begin delete from orders; end $$',
    'do $$ begin if exists (select from a where b) then create unique index a on orders (a); end if; end $$',
    'drop index orders_newest',
    'alter table orders drop column note',
    'alter table orders add column note text, drop column email',
    'alter table orders rename column note to notes',
    'alter table orders rename to purchases',
    'alter table orders alter column total type numeric',
    'alter table orders alter column note set not null',
    'alter table orders alter column note drop not null',
    "alter table orders alter column note set default ''",
    'alter table orders drop constraint orders_total_check',
    'alter table orders add constraint c check (total > 0)',
    'alter table orders add column a int; alter table orders add constraint c check (a <= total)',
    'alter table orders add constraint u unique (number)',
    'alter table orders add column note text not null',
    'alter table orders add column code text unique',
    'alter table orders add column code text references codes (code)',
    'alter table orders add column word text generated always as (lower(email)) stored',
    'alter table orders add column n bigserial',
    'alter table orders add column a int default 1; create unique index u on orders (tenant_id, a)',
    'create unique index u on orders (tenant_id, number)',
    'create table notes (id uuid references orders (id))',
    'create table notes (id uuid references orders (id) on delete set null)',
    'create table if not exists orders (id uuid); create unique index u on orders (id)',
    'create table notes () inherits (orders)',
    'create table notes as select * from orders',
    'create table notes (id uuid); alter table notes rename to orders_2; insert into notes values (null)',
    'insert into notes (id) select id from orders',
    'update orders set note = email',
    'delete from orders',
    'truncate orders',
    'create function f() returns int language sql as $$ select 1 $$',
    'create trigger t before update on orders for each row execute function f()',
    'do $$ begin drop table orders; end $$',
    'create or replace view v as select 1',
    'create table notes (id uuid);; drop table orders',
  ];
  for (const sql of changing) t.notOk(isAdditive(sql), sql);

  const own = new Set(['notes']);
  const additiveIfNew = [
    'alter table notes drop constraint c, add constraint c check (total > 0)',
    'alter table notes add column order_id uuid not null references orders (id) on delete cascade',
    'alter table notes drop column text; create unique index n on notes (id)',
    'create table lines (note_id uuid references notes (id)); alter table notes add unique (id)',
  ];
  for (const sql of additiveIfNew) t.ok(isAdditive(sql, own) && !isAdditive(sql), sql);
  for (const sql of [
    'alter table notes add column order_id uuid references orders (id)',
    'alter table notes rename to orders_2',
    'alter table notes drop column text; alter table orders drop column text',
    'insert into notes select id from orders',
    'drop table notes',
  ]) {
    t.notOk(isAdditive(sql, own), sql);
  }
  t.end();
});

t.test('files', async (t) => {
  const folder = await makeFolder(t);
  const kindOf = async (name: string, source: string) => {
    const path = join(folder, `${name}.mjs`);
    await writeFile(path, source);
    return kindOfMigration(path);
  };
  const table = "knex.raw('create table notes (id uuid)')";
  t.equal(await kindOf('plain', `export const up = (knex) => ${table};`), 'additive');
  t.equal(await kindOf('awaits', `export const up = async (knex) => { await ${table}; await ${table}; };`), 'additive');
  t.equal(await kindOf('said', `export const additive = false; export const up = (knex) => ${table};`), 'changing');
  const own = new Set<string>();
  const second = join(folder, 'second.mjs');
  await writeFile(second, "export const up = (knex) => knex.raw('alter table notes drop column id');");
  t.equal(await kindOfMigration(second, own), 'changing', 'of an unknown table');
  t.equal(await kindOfMigration(join(folder, 'plain.mjs'), own), 'additive');
  t.equal(await kindOfMigration(second, own), 'additiveIfNew', 'of a table of the same package');
  const unknown = {
    claims: "export const additive = true; export const up = (knex) => knex.raw('drop table orders');",
    builder: "export const up = (knex) => knex('orders').delete();",
    schema: "export const up = (knex) => knex.schema.dropTable('orders');",
    bindings: "export const up = (knex) => knex.raw('create table notes (id uuid)', []);",
    result: `export const up = async (knex) => { const { rows } = await ${table}; if (rows.length) await knex.raw('drop table a'); };`,
    caught: `export const up = async (knex) => { try { await knex('orders'); } catch { await ${table}; } };`,
    none: 'export const down = () => {};',
  };
  for (const [name, source] of Object.entries(unknown)) t.equal(await kindOf(name, source), 'changing', name);
});

interface Column {
  table: string;
  name: string;
  type: string;
  required: boolean;
  hasDefault: boolean;
  isGenerated: boolean;
}
interface Rule {
  table: string;
  /** What it is, with its definition. */
  text: string;
  /** Whether it is a foreign key that refuses the deletion of rows of another table, other than the tenants. */
  refersTo: string | null;
  columns: string[];
  kind: string;
}

t.test('what additive migrations of this checkout do to the schema', async (t) => {
  const emptyDatabase = async () => {
    const database = await createTestDatabase('empty');
    const knex = connect({ url: database.url });
    t.teardown(async () => {
      await knex.destroy();
      await database.drop();
    });
    return knex;
  };
  const knex = await emptyDatabase();
  const { packages } = await readWorkspace(repository);
  const names = packages.map(({ manifest }) => manifest.name);
  const owners = migrationOwners(await loadPackages(names, join(repository, 'package.json')));
  const migrations = await collectMigrations(owners);
  await migrate(knex, []);

  const readSchema = async (knex: ReturnType<typeof connect>) => {
    const { rows: columns } = await knex.raw<{ rows: Column[] }>(
      `select relname as "table", attname as name, format_type(atttypid, atttypmod) as type, attnotnull as required,
              atthasdef as "hasDefault", attgenerated <> '' as "isGenerated"
         from pg_attribute join pg_class on pg_class.oid = attrelid
        where relnamespace = 'public'::regnamespace and relkind = 'r' and attnum > 0 and not attisdropped`,
    );
    const { rows: rules } = await knex.raw<{ rows: Rule[] }>(
      `select relname as "table", contype::text as kind, conname || ' ' || pg_get_constraintdef(pg_constraint.oid) as text,
              case when contype = 'f' and confdeltype <> 'c' and confrelid <> 'tenants'::regclass
                   then confrelid::regclass::text end as "refersTo",
              array(select attname::text from pg_attribute where attrelid = conrelid and attnum = any(conkey)) as columns
         from pg_constraint join pg_class on pg_class.oid = conrelid
        where connamespace = 'public'::regnamespace and contype in ('c', 'f', 'p', 'u', 'x')
       union all
       select tables.relname, case when indisunique then 'i' else 'index' end, pg_get_indexdef(indexrelid), null,
              array(select attname::text from pg_attribute where attrelid = indrelid and attnum = any(indkey))
         from pg_index join pg_class tables on tables.oid = indrelid
        where tables.relnamespace = 'public'::regnamespace
       union all
       select tgrelid::regclass::text, 't', pg_get_triggerdef(oid), null, '{}' from pg_trigger where not tgisinternal`,
    );
    return { columns, rules, tables: new Set(columns.map(({ table }) => table)) };
  };
  const settings = migratorSettings(migrations, owners);
  let before = { columns: [] as Column[], rules: [] as Rule[], tables: new Set<string>() };
  let additive = 0;
  let ifNew = 0;
  const tablesOf = new Map<string, Set<string>>();
  /** Tables of a package that were there before its first migration: none. */
  const foreign = (owned: ReadonlySet<string>, { tables }: typeof before) =>
    [...tables].filter((table) => !owned.has(table));
  for (const migration of migrations) {
    await knex.migrate.up({ ...settings, name: migration.file });
    const after = await readSchema(knex);
    const owned = tablesOf.get(migration.package) ?? new Set();
    tablesOf.set(migration.package, owned);
    const known = new Set(owned);
    const kind = await kindOfMigration(migration.path, owned);
    if (kind === 'additiveIfNew') {
      ifNew += 1;
      const others = new Set(foreign(known, before));
      const ofOthers = (list: readonly { table: string }[]) =>
        list
          .filter(({ table }) => others.has(table))
          .map((each) => JSON.stringify(each))
          .sort();
      t.strictSame(ofOthers(after.columns), ofOthers(before.columns), `${migration.file} changes no table of others`);
      t.strictSame(ofOthers(after.rules), ofOthers(before.rules), `${migration.file} changes no rule of others`);
      const refusing = after.rules.filter(({ refersTo }) => refersTo && others.has(refersTo)).map(({ text }) => text);
      const former = new Set(before.rules.map(({ text }) => text));
      t.strictSame(
        refusing.filter((text) => !former.has(text)),
        [],
        `${migration.file} keeps nobody from deleting`,
      );
    }
    if (kind === 'additive') {
      additive += 1;
      const keysOf = (list: readonly object[]) => new Set(list.map((each) => JSON.stringify(each)));
      const [columnsAfter, rulesAfter] = [keysOf(after.columns), keysOf(after.rules)];
      const lost = [
        ...before.columns.filter((each) => !columnsAfter.has(JSON.stringify(each))),
        ...before.rules.filter((each) => !rulesAfter.has(JSON.stringify(each))),
      ];
      t.strictSame(lost, [], `${migration.file} leaves everything as it is`);
      const [columnsBefore, rulesBefore] = [keysOf(before.columns), keysOf(before.rules)];
      const added = after.columns.filter(
        (each) => before.tables.has(each.table) && !columnsBefore.has(JSON.stringify(each)),
      );
      const demanding = added.filter(
        ({ required, hasDefault, isGenerated }) => (required && !hasDefault) || isGenerated,
      );
      t.strictSame(demanding, [], `${migration.file} demands nothing of the former release`);
      const isNew = (table: string, column: string) =>
        added.some((each) => each.table === table && each.name === column);
      const refusing = after.rules.filter((rule) => {
        if (rulesBefore.has(JSON.stringify(rule))) return false;
        if (rule.refersTo && before.tables.has(rule.refersTo)) return true;
        if (!before.tables.has(rule.table) || rule.kind === 'index') return false;
        if (rule.kind === 'c') return !rule.columns.every((column) => isNew(rule.table, column));
        if (rule.kind === 'i') return !rule.columns.some((column) => isNew(rule.table, column));
        return true;
      });
      t.strictSame(refusing, [], `${migration.file} refuses nothing to the former release`);
    }
    before = after;
  }
  t.ok(ifNew > 5, `${ifNew} of ${migrations.length} are additive if their package is new`);
  t.ok(additive > 50, `${additive} of ${migrations.length} are additive`);

  // A new box applies them all in one transaction.
  const atOnce = await emptyDatabase();
  await migrate(atOnce, owners);
  const sorted = (list: readonly object[]) => list.map((each) => JSON.stringify(each)).sort();
  const stateOf = async (knex: ReturnType<typeof connect>) => {
    const { columns, rules } = await readSchema(knex);
    const policies = await knex('pg_policies').select();
    const records = await knex('applied_migrations').select('file', 'package', 'sha256');
    const names = await knex('knex_migrations').select('name');
    return [columns, rules, policies, records, names].map(sorted);
  };
  const oneByOne = await stateOf(knex);
  t.ok(oneByOne.every(({ length }) => length > 100));
  t.strictSame(await stateOf(atOnce), oneByOne, 'at once they leave the same as one by one');
  const { rows } = await atOnce.raw('select count(distinct xmin::text)::int as transactions from applied_migrations');
  t.strictSame(rows, [{ transactions: 1 }]);
});
