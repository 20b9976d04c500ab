/**
 * Row-level security: the rows that PostgreSQL hides from a connection even if a statement lacks the condition, for
 * each kind of owner a database may have.
 */
import { randomBytes } from 'node:crypto';
import t, { type Test } from 'tap';
import { administer, createTestDatabase, urlOfDatabase } from '../../testing/database.ts';
import { openDatabase } from '../database.ts';
import { newId } from '../id.ts';
import { withMigrationLock } from '../migrations.ts';
import { withConnection } from '../pool.ts';
import { createPolicies, prepareRuntimeRole, seeAllTenants, tablesWithoutPolicy } from '../row-security.ts';

/** A statement that has the tenant as parameter but lacks the condition. */
const withoutCondition = 'select text from notes where $1::uuid is not null order by text';

interface Owner {
  name: string;
  /** Attributes of the owner's role. Default: superuser. */
  rights?: string;
  role: boolean;
  enforced: boolean;
  summary: RegExp;
}

const owners: Owner[] = [
  { name: 'a superuser', role: true, enforced: true, summary: /applies to the role \w+_box/ },
  { name: 'a user with createrole', rights: 'createrole', role: true, enforced: true, summary: /applies to the role/ },
  {
    name: 'an ordinary user',
    rights: '',
    role: false,
    enforced: true,
    summary: /forced on the owner .*permission denied/,
  },
  {
    name: 'a user with bypassrls',
    rights: 'bypassrls',
    role: false,
    enforced: false,
    summary: /does not apply to .*permission denied/,
  },
];

/** A database with one table, owned by a user with these rights, and the box's connections to it. */
async function openFor(t: Test, rights: string | undefined) {
  const { url, drop } = await createTestDatabase('empty');
  const name = new URL(url.replace(/^postgres/, 'http')).pathname.slice(1);
  const user = `owner_${randomBytes(4).toString('hex')}`;
  let ownerUrl = url;
  if (rights !== undefined) {
    await administer(`create role ${user} login password 'x' ${rights}`, `alter database ${name} owner to ${user}`);
    ownerUrl = urlOfDatabase(name).replace(/\/\/[^@]*@/, `//${user}:x@`);
  }
  const owner = openDatabase({ url: ownerUrl });
  const { knex } = owner;
  await owner.box.query(`create table notes (tenant_id uuid, id uuid, text text, primary key (tenant_id, id))`);
  await owner.box.query('create table hosts (host text primary key)');
  await createPolicies(knex);
  const security = await withMigrationLock(knex, () => prepareRuntimeRole(knex, ['hosts']));
  const database = openDatabase({ url: ownerUrl, role: security.role, poolSize: 1 });
  t.teardown(async () => {
    await database.close();
    await owner.close();
    await drop();
    if (rights !== undefined) await administer(`drop role if exists ${user}_box`, `drop role ${user}`);
  });
  return { owner, database, security };
}

for (const { name, rights, role, enforced, summary } of owners) {
  t.test(`the owner is ${name}`, async (t) => {
    const { owner, database, security } = await openFor(t, rights);
    t.match(security, { enforced, summary });
    t.equal(security.role !== null, role);
    const [one, other] = [database.forTenant(newId()), database.forTenant(newId())];
    await one.insert('notes', { id: newId(), text: 'mine' });
    await other.insert('notes', { id: newId(), text: 'theirs' });
    if (!enforced) return;

    t.strictSame(await one.query(withoutCondition), [{ text: 'mine' }]);
    t.strictSame(await other.query(withoutCondition), [{ text: 'theirs' }], 'on the same connection');
    t.strictSame(await one.table('notes').orWhereRaw('true').select('text'), [{ text: 'mine' }]);
    t.strictSame(await database.box.query('select text from notes'), [], 'the box itself has no tenant');
    t.strictSame(await one.transaction((tx) => tx.query(withoutCondition)), [{ text: 'mine' }]);
    await t.rejects(
      other.transaction(async () => {
        throw new Error('no');
      }),
      /no/,
    );
    t.strictSame(await other.query(withoutCondition), [{ text: 'theirs' }], 'after a rollback');
    t.strictSame(await one.query(withoutCondition), [{ text: 'mine' }]);
    await t.rejects(
      one.query(`insert into notes (tenant_id, id, text) values ($2, $1, 'smuggled')`, [other.tenantId]),
      /row-level security/,
    );
    t.strictSame(await one.query('update notes set text = text where $1::uuid is not null returning text'), [
      { text: 'mine' },
    ]);
    await t.rejects(one.query('update notes set tenant_id = $2 where tenant_id = $1', [other.tenantId]), /row-level/);
    t.strictSame(await one.query('delete from notes where $1::uuid is not null returning text'), [{ text: 'mine' }]);
    t.strictSame(await database.box.query(`insert into hosts values ('a') returning host`), [{ host: 'a' }]);
    if (role) await t.rejects(database.box.query('alter table notes disable row level security'), /must be owner/);

    const seen = await owner.knex.transaction(async (transaction) => {
      await seeAllTenants(transaction);
      return transaction('notes').update({ text: 'migrated' });
    });
    t.equal(seen, 1, 'a migration sees the rows of all tenants');
  });
}

t.test('a connection whose tenant cannot be set returns no rows', async (t) => {
  const { database } = await openFor(t, undefined);
  const real = database.forTenant(newId());
  await withConnection(database.knex, async (connection) => {
    const query = connection.query as (...parameters: unknown[]) => Promise<never>;
    connection.query = ((...parameters: [{ text?: string }, ...unknown[]]) =>
      parameters[0].text?.includes('set_config')
        ? Promise.reject(new Error('failed'))
        : query.apply(connection, parameters)) as typeof connection.query;
    t.teardown(() => {
      connection.query = query;
    });
  });
  await t.rejects(real.query(withoutCondition), /failed/);
  await t.rejects(real.table('notes').select(), /failed/);
  await t.rejects(
    real.transaction((tx) => tx.query(withoutCondition)),
    /failed/,
  );
});

t.test('policies are created where they are missing, and only there', async (t) => {
  const { owner } = await openFor(t, undefined);
  t.strictSame(await tablesWithoutPolicy(owner.knex), []);
  await owner.box.query('create table old (tenant_id uuid primary key)');
  await owner.box.query('alter table notes no force row level security');
  t.strictSame(await tablesWithoutPolicy(owner.knex), ['notes', 'old']);
  await createPolicies(owner.knex);
  t.strictSame(await tablesWithoutPolicy(owner.knex), []);
});
