/**
 * The second line of defence between tenants: with forced row-level security PostgreSQL shows a connection the rows of
 * one tenant only, even if a statement lacks the condition. The policies are created for every table in the catalogue
 * with a `tenant_id`: packages define none.
 *
 * The box connects as a role that owns nothing and cannot bypass the policies. Where no such role can be created, the
 * box works as the owner, to whom forced policies apply as well. On Citus policies are not forced, since Citus moves
 * rows between nodes as their owner.
 */
import type { Knex } from 'knex';
import { vendor } from '../vendor.ts';
import { isCitus } from './citus/detect.ts';
import type { Connection } from './client.ts';
import { quoteName } from './connection.ts';

/** The setting with the tenant of a connection; while it is empty or not set, no tenant's rows are visible. */
export const tenantSetting = `${vendor.name}.tenant_id`;
/** The setting that lets a migration, run by the tables' owner, see the rows of all tenants. */
export const migratingSetting = `${vendor.name}.migrating`;

/** Makes the rows of all tenants visible to the tables' owner until the transaction ends; for migrations. */
export async function seeAllTenants(transaction: Knex): Promise<void> {
  await transaction.raw(`set local ${migratingSetting} = 'on'`);
}

/**
 * Sets the tenant of a connection; '' for none. Returns undefined when it is set already, as it is most of the time.
 * Call it outside a transaction: a rollback would undo it. It shares the round trip of the next statement; await both.
 */
export function setTenant(connection: Connection, tenantId: string): Promise<unknown> | undefined {
  if (connection.tenantId === tenantId) return undefined;
  connection.tenantId = tenantId;
  const text = `select set_config('${tenantSetting}', $1, false)`;
  return connection.query({ name: 'tenant', text, values: [tenantId] }).catch((error) => {
    connection.tenantId = undefined;
    throw error;
  });
}

/**
 * Sends one statement as a tenant.
 * @param send sends the statement at once
 * @param shardLock runs the statement in a transaction that begins with this lock (placement.ts), in one round trip
 */
export async function queryAsTenant<T>(
  connection: Connection,
  tenantId: string,
  send: () => Promise<T>,
  shardLock?: { text: string },
): Promise<T> {
  const tenantSet = setTenant(connection, tenantId);
  if (shardLock) {
    const before = [tenantSet, connection.query({ text: 'begin' }), connection.query(shardLock)];
    const sent = [...before, send(), connection.query({ text: 'commit' })];
    const results = await Promise.allSettled(sent);
    // The first failure is the cause of those after it.
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
    return (results[before.length] as PromiseFulfilledResult<T>).value;
  }
  const result = send();
  return tenantSet ? (await Promise.all([result, tenantSet]))[0] : result;
}

/** Tables with a `tenant_id` whose policies are missing or not forced as required; empty when all are protected. */
export async function tablesWithoutPolicy(knex: Knex): Promise<string[]> {
  const { rows } = await knex.raw<{ rows: { name: string }[] }>(
    `select relname as name from pg_class tables
      where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
        and exists (select from pg_attribute where attrelid = tables.oid and attname = 'tenant_id' and not attisdropped)
        and not (relrowsecurity and relforcerowsecurity = ?
                 and (select count(*) from pg_policy where polrelid = tables.oid and polname in ('tenant', 'migration')) = 2)
      order by relname`,
    [!(await isCitus(knex))],
  );
  return rows.map(({ name }) => name);
}

/** Creates the policies that are missing. */
export async function createPolicies(knex: Knex): Promise<void> {
  const force = (await isCitus(knex)) ? 'no force' : 'force';
  for (const name of await tablesWithoutPolicy(knex)) {
    const table = quoteName(name);
    const isTenant = `tenant_id = nullif(current_setting('${tenantSetting}', true), '')::uuid`;
    await knex.raw(`alter table ${table} enable row level security, ${force} row level security`);
    await knex.raw(`drop policy if exists tenant on ${table}`);
    await knex.raw(`create policy tenant on ${table} using (${isTenant}) with check (${isTenant})`);
    await knex.raw(`drop policy if exists migration on ${table}`);
    await knex.raw(
      `create policy migration on ${table} to current_user using (current_setting('${migratingSetting}', true) = 'on')`,
    );
  }
}

/** How a box's connections are restricted to one tenant. */
export interface RowSecurity {
  /** The role that connections switch to; null when they work as the owner. */
  role: string | null;
  /** True when the policies apply to the connections. */
  enforced: boolean;
  /** One line for the start-up log. */
  summary: string;
}

interface Account {
  name: string;
  super: boolean;
  bypasses: boolean;
}

/**
 * Creates the role of the box, once for all databases of an owner, and grants it the tables with a tenant and the box's
 * own tables.
 */
export async function prepareRuntimeRole(knex: Knex, boxTables: readonly string[]): Promise<RowSecurity> {
  const { rows } = await knex.raw<{ rows: [Account] }>(
    `select rolname as name, rolsuper as super, rolbypassrls as bypasses from pg_roles where rolname = current_user`,
  );
  const [owner] = rows;
  const role = `${owner.name}_box`;
  const obstacle = await createRole(knex, owner, role);
  if (obstacle === null) {
    await grantTables(knex, role, boxTables);
    return { role, enforced: true, summary: `row-level security applies to the role ${role}` };
  }
  const enforced = !owner.super && !owner.bypasses && !(await isCitus(knex));
  return {
    role: null,
    enforced,
    summary: enforced
      ? `row-level security is forced on the owner ${owner.name}: no separate role could be created (${obstacle})`
      : `row-level security does not apply to ${owner.name}, who may bypass it, and no other role could be created (${obstacle})`,
  };
}

/** Creates the role unless it exists. Returns null, or the reason why it cannot be used. */
async function createRole(knex: Knex, owner: Account, role: string): Promise<string | null> {
  const quoted = quoteName(role);
  const find = async (): Promise<{ bypasses: boolean } | undefined> =>
    (await knex.raw('select rolsuper or rolbypassrls as bypasses from pg_roles where rolname = ?', [role])).rows[0];
  let obstacle: string | null = null;
  if (!(await find())) {
    obstacle = await errorMessageOf(knex.raw(`create role ${quoted} nologin nosuperuser nobypassrls noinherit`));
  }
  // Citus connects to its other nodes as the current role. The role has no password, so nobody else can log in as it.
  if (await isCitus(knex)) obstacle = await errorMessageOf(knex.raw(`alter role ${quoted} login`));
  const found = await find(); // another box may have created it concurrently
  if (!found) return obstacle;
  if (found.bypasses) return `${role} may bypass it`;
  const setRole = () => errorMessageOf(knex.transaction((transaction) => transaction.raw(`set local role ${quoted}`)));
  if ((await setRole()) === null) return null;
  obstacle = await errorMessageOf(knex.raw(`grant ${quoted} to current_user`));
  return (await setRole()) === null ? null : (obstacle ?? `${owner.name} may not switch to ${role}`);
}

function errorMessageOf(work: PromiseLike<unknown>): Promise<string | null> {
  return Promise.resolve(work).then(
    () => null,
    (error: Error) => error.message.replace(/^.* - /, ''),
  );
}

/**
 * Grants only missing privileges: any grant, even one without effect, makes all sessions plan their statements again.
 */
async function grantTables(knex: Knex, role: string, boxTables: readonly string[]): Promise<void> {
  const { rows } = await knex.raw<{ rows: { name: string; writable: boolean }[] }>(
    `select name, writable
       from (select oid, relname as name, relname = any(:boxTables) or exists (
                      select from pg_attribute
                       where attrelid = pg_class.oid and attname = 'tenant_id' and not attisdropped) as writable
               from pg_class
              where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')) tables
      where not has_table_privilege(:role, oid, 'select') or (writable and not has_table_privilege(:role, oid, 'delete'))`,
    { boxTables, role },
  );
  for (const { name, writable } of rows) {
    const privileges = writable ? 'select, insert, update, delete' : 'select';
    await knex.raw(`grant ${privileges} on ${quoteName(name)} to ${quoteName(role)}`);
  }
  const sequences = await knex.raw<{ rows: { name: string }[] }>(
    `select relname as name from pg_sequence join pg_class on pg_class.oid = seqrelid
      where relnamespace = current_schema()::regnamespace and not has_sequence_privilege(:role, seqrelid, 'usage')`,
    { role },
  );
  for (const { name } of sequences.rows) {
    await knex.raw(`grant usage on sequence ${quoteName(name)} to ${quoteName(role)}`);
  }
  await knex.raw(
    `do $$ begin
       if not has_schema_privilege('${role.replaceAll("'", "''")}', current_schema(), 'usage') then
         execute format('grant usage on schema %I to %I', current_schema(), '${role.replaceAll("'", "''")}');
       end if;
     end $$`,
  );
}
