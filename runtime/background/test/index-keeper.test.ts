/**
 * A box works on indexes beside its requests, and stops at once.
 */
import { createTestBox, createTestDatabase, until } from '@carton/runtime/testing';
import pg from 'pg';
import { pino } from 'pino';
import t from 'tap';
import { createIndexKeeper } from '../index-keeper.ts';

t.test('a box creates the index of a language, and rebuilds those of another version', async (t) => {
  const { owner, staff } = await createTestBox(t, { indexWorkAfter: 4000 });
  await staff.patch('/admin/store', { defaultLocale: 'sv' });
  const stale = 'Collations: und-x-icu 1.0';
  await owner.query(`comment on index products_published_title_icu is '${stale}'`);
  const find = () =>
    owner.query<{ comment: string; language: string | null }>(
      `select obj_description('products_published_title_icu'::regclass) as comment,
              obj_description(to_regclass('products_title_sv')) as language`,
    );
  const [found] = await until(find, ([row]) => row?.comment !== stale && row?.language != null);
  t.match(found, { comment: /^Collations: .*und-x-icu/, language: /^Collations: sv-x-icu [\d.]+$/ });
});

t.test('a box that stops ends the build in progress', async (t) => {
  const database = await createTestDatabase('empty');
  const [client, other] = [1, 2].map(() => new pg.Client({ connectionString: database.url })) as [pg.Client, pg.Client];
  await Promise.all([client.connect(), other.connect()]);
  t.teardown(async () => {
    await Promise.all([client.end(), other.end()]);
    await database.drop();
  });
  await client.query('create table notes (title text); create index notes_title on notes (title collate "und-x-icu")');
  await client.query(`comment on index notes_title is 'Collations: und-x-icu 1.0'`);
  await client.query('begin; lock table notes in share row exclusive mode');
  const keeper = createIndexKeeper(database.url, pino({ enabled: false }), 0);
  keeper.start([]);
  const sessions = (condition = 'true') =>
    other.query(
      `select from pg_stat_activity where application_name = 'box indexes' and datname = current_database() and ${condition}`,
    );
  await until(
    () => sessions("wait_event_type = 'Lock' and query like 'reindex%'"),
    ({ rowCount }) => rowCount === 1,
  );
  await keeper.stop();
  await client.query('commit');
  await until(sessions, ({ rowCount }) => rowCount === 0);
  const { rows } = await client.query("select obj_description('notes_title'::regclass) as comment");
  t.strictSame(rows, [{ comment: 'Collations: und-x-icu 1.0' }]);
});
