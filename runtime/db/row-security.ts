/**
 * The second net under the tenants: PostgreSQL itself shows a connection the rows of one tenant only (row-level
 * security, forced), whatever a statement forgets. The policies are laid from the catalogue: packages write none.
 *
 * The box works as a role that owns nothing and cannot look past the policies. Where the database lets us make no such
 * role, the box works as the owner, to whom forced policies apply too. With Citus none are forced: it moves rows between
 * nodes as their owner, and could not.
 */
import type { Knex } from 'knex';
import { vendor } from '../vendor.ts';
import { isCitus } from './citus/detect.ts';
import type { Connection } from './client.ts';
import { quoteName } from './connection.ts';

/** The setting that says which tenant a connection speaks for; empty or absent, it sees no tenant's rows. */
export const tenantSetting = `${vendor.name}.tenant_id`;
/** The setting by which a migration, run by the tables' owner, sees the rows of all tenants. */
const migratingSetting = `${vendor.name}.migrating`;

type Query = Parameters<Connection['query']>[0];
type Answer = Awaited<ReturnType<Connection['query']>>;

/** Lets the rest of a transaction of the tables' owner work on the rows of all tenants, as a migration may have to. */
export async function seeAllTenants(transaction: Knex): Promise<void> {
  await transaction.raw(`set local ${migratingSetting} = 'on'`);
}

/**
 * Makes a connection speak for a tenant; '' for none. Undefined when it does already, which is how it is most of the
 * time. Not in a transaction: a rollback would take it back. It travels with the statement that follows; whoever sends
 * that must wait for both.
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
 * Sends one statement for a tenant.
 * @param hold makes it a transaction that begins with this (placement.ts); all of it is sent in one go
 */
export async function queryAsTenant(connection: Connection, tenantId: string, query: Query, hold?: Query) {
  const spoken = setTenant(connection, tenantId);
  if (hold) {
    const before = [spoken, connection.query({ text: 'begin' }), connection.query(hold)];
    const sent = [...before, connection.query(query), connection.query({ text: 'commit' })];
    const answers = await Promise.allSettled(sent);
    // The first failure is the reason of those after it.
    const failed = answers.find((answer) => answer.status === 'rejected');
    if (failed) throw failed.reason;
    return (answers[before.length] as PromiseFulfilledResult<Answer>).value;
  }
  const answer = connection.query(query);
  return spoken ? (await Promise.all([answer, spoken]))[0] : answer;
}

/** Tables with a tenant whose policies are missing or not forced as they should be; empty means the net is whole. */
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

/** Lays the policies that are missing. */
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

/** How a box's connections are kept to one tenant. */
export interface RowSecurity {
  /** The role they take on; null when they work as the owner. */
  role: string | null;
  /** True when the policies bind them. */
  enforced: boolean;
  /** One line for the log of the start. */
  summary: string;
}

interface Account {
  name: string;
  super: boolean;
  bypasses: boolean;
}

/**
 * Makes the role of the box, once for all databases of an owner, and lets it work on the tables of every tenant and
 * on the box's own.
 */
export async function prepareRuntimeRole(knex: Knex, boxTables: readonly string[]): Promise<RowSecurity> {
  const { rows } = await knex.raw<{ rows: [Account] }>(
    `select rolname as name, rolsuper as super, rolbypassrls as bypasses from pg_roles where rolname = current_user`,
  );
  const [owner] = rows;
  const role = `${owner.name}_box`;
  const refusal = await makeRole(knex, owner, role);
  if (refusal === null) {
    await grantTables(knex, role, boxTables);
    return { role, enforced: true, summary: `row-level security binds the role ${role}` };
  }
  const enforced = !owner.super && !owner.bypasses && !(await isCitus(knex));
  return {
    role: null,
    enforced,
    summary: enforced
      ? `row-level security is forced on the owner ${owner.name}: no role of its own could be made (${refusal})`
      : `row-level security does not bind ${owner.name}, who may bypass it, and no other role could be made (${refusal})`,
  };
}

/** Makes the role or finds it made; answers why it cannot be used, or null. */
async function makeRole(knex: Knex, owner: Account, role: string): Promise<string | null> {
  const quoted = quoteName(role);
  const find = async (): Promise<{ bypasses: boolean } | undefined> =>
    (await knex.raw('select rolsuper or rolbypassrls as bypasses from pg_roles where rolname = ?', [role])).rows[0];
  let refusal: string | null = null;
  if (!(await find())) {
    refusal = await refusalOf(knex.raw(`create role ${quoted} nologin nosuperuser nobypassrls noinherit`));
  }
  // Citus reaches its other nodes as whoever asks. Without a password, nobody else can come as this role.
  if (await isCitus(knex)) refusal = await refusalOf(knex.raw(`alter role ${quoted} login`));
  const found = await find(); // whoever made it: another box may have been quicker
  if (!found) return refusal;
  if (found.bypasses) return `${role} may bypass it`;
  const become = () => refusalOf(knex.transaction((transaction) => transaction.raw(`set local role ${quoted}`)));
  if ((await become()) === null) return null;
  refusal = await refusalOf(knex.raw(`grant ${quoted} to current_user`));
  return (await become()) === null ? null : (refusal ?? `${owner.name} may not become ${role}`);
}

function refusalOf(work: PromiseLike<unknown>): Promise<string | null> {
  return Promise.resolve(work).then(
    () => null,
    (error: Error) => error.message.replace(/^.* - /, ''),
  );
}

/** Grants what is missing: a grant that changes nothing would still make every session plan anew. */
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
