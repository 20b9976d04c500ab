/**
 * In test boxes PostgreSQL itself finds what writes reference data or goods without a new version. Triggers on the reference
 * tables look at each commit whether the same transaction has replaced the version of the tenant. Triggers on the tables of
 * the goods, whose version is replaced behind the commit, record the write until then.
 */
import type { BoxDatabase } from '../db/database.ts';
import { goodsTables, referenceTables, unreadColumns } from '../db/reference-data.ts';
import { tenantSetting } from '../db/row-security.ts';

/**
 * Creates the triggers. What the owner writes for no tenant, as an operator with psql does, is left alone, as are changes
 * of columns that no reference query reads, and tenants that are being removed. Not for Citus, which refuses triggers.
 */
export async function refuseUnversionedWrites(owner: BoxDatabase): Promise<void> {
  const [found] = await owner.query<{ isCitus: boolean }>(
    `select to_regclass('pg_dist_node') is not null as "isCitus"`,
  );
  if (found?.isCitus) return;
  const tables = await owner.query<{ name: string }>(
    `select relname as name from pg_class
      where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and relname = any($1)`,
    [referenceTables()],
  );
  const triggers = tables.map(
    ({ name }) => `
      create constraint trigger test_version after insert or update or delete on ${name}
        deferrable initially deferred for each row
        execute function test_refuse_unversioned('{${unreadColumns(name).join(',')}}')`,
  );
  await owner.query(`
    do $do$ begin
      create or replace function test_refuse_unversioned() returns trigger language plpgsql as $body$
        declare
          tenant uuid := nullif(current_setting('${tenantSetting}', true), '')::uuid;
        begin
          if tenant is null or to_jsonb(new) - tg_argv[0]::text[] = to_jsonb(old) - tg_argv[0]::text[] then
            return null;
          end if;
          if exists (select from tenants where id = tenant and removal_started_at is null)
             and not exists (select from reference_versions
                              where tenant_id = tenant and xmin = pg_current_xact_id()::xid) then
            raise 'a transaction has written % without replacing the version of the reference data', tg_table_name;
          end if;
          return null;
        end $body$;
      ${triggers.map((trigger) => `${trigger};`).join('')}
    end $do$`);
}

/** Creates the triggers that record what is written of the goods, for `unversionedGoods`. Not for Citus. */
export async function recordGoodsWrites(owner: BoxDatabase): Promise<void> {
  const [found] = await owner.query<{ isCitus: boolean }>(
    `select to_regclass('pg_dist_node') is not null as "isCitus"`,
  );
  if (found?.isCitus) return;
  const tables = await owner.query<{ name: string }>(
    `select relname as name from pg_class
      where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and relname = any($1)`,
    [goodsTables()],
  );
  if (tables.length === 0) return;
  const triggers = tables.map(
    ({ name }) => `
      create constraint trigger test_goods after insert or update or delete on ${name}
        deferrable initially deferred for each row execute function test_goods.record()`,
  );
  await owner.query(`
    do $do$ begin
      create schema test_goods;
      create table test_goods.writes (tenant_id uuid, written text);
      create function test_goods.record() returns trigger language plpgsql security definer as $body$
        declare
          tenant uuid := nullif(current_setting('${tenantSetting}', true), '')::uuid;
        begin
          if tenant is not null then insert into test_goods.writes values (tenant, tg_table_name); end if;
          return null;
        end $body$;
      create function test_goods.forget() returns trigger language plpgsql security definer as $body$
        begin
          -- Not named in the trigger, so that tests can undo the migration of the column.
          if old is null or to_jsonb(old) ->> 'goods' is distinct from to_jsonb(new) ->> 'goods' then
            delete from test_goods.writes where tenant_id = new.tenant_id;
          end if;
          return null;
        end $body$;
      create trigger test_goods after insert or update on reference_versions
        for each row execute function test_goods.forget();
      ${triggers.map((trigger) => `${trigger};`).join('')}
    end $do$`);
}

/** The tables of the goods in which something was written without a new version behind the commit. */
export async function unversionedGoods(owner: BoxDatabase): Promise<string[]> {
  const [found] = await owner.query<{ recorded: boolean }>(
    `select to_regclass('test_goods.writes') is not null as recorded`,
  );
  if (!found?.recorded) return [];
  const rows = await owner.query<{ written: string }>(
    `select distinct written from test_goods.writes
      where tenant_id in (select id from tenants where removal_started_at is null) order by written`,
  );
  return rows.map(({ written }) => written);
}
