/**
 * Prepared statements of one turn of the event loop share a Sync: what the server receives, and what a failure ends.
 */
import { createTestDatabase } from '@carton/runtime/testing';
import t from 'tap';
import type { Connection } from '../client.ts';
import { connect } from '../connection.ts';
import { openDatabase } from '../database.ts';
import { newId } from '../id.ts';
import { withConnection } from '../pool.ts';
import { queryPrepared, runCommand } from '../prepared-query.ts';

const { url } = await createTestDatabase('empty');
const knex = connect({ url, poolSize: 1 });
t.teardown(() => knex.destroy());

const run = (connection: Connection, text: string, values: unknown[] = [], repeats = false) =>
  queryPrepared<{ n: number }>(connection, { name: text.slice(0, 60), text, values, repeats });
const echo = (connection: Connection, n: number) => run(connection, 'select $1::int as n', [n]);
const divide = (connection: Connection, by: number) => run(connection, 'select 1 / $1::int as n', [by]);

/** The number of times that a connection sends a Sync during the work. */
async function countSyncs(connection: Connection, work: () => Promise<unknown>): Promise<number> {
  const { connection: protocol } = connection as unknown as { connection: { sync(): void } };
  const send = protocol.sync;
  let count = 0;
  protocol.sync = () => {
    count += 1;
    send.call(protocol);
  };
  await work().finally(() => {
    protocol.sync = send;
  });
  return count;
}

const reasons = (outcomes: PromiseSettledResult<unknown>[]) =>
  outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : outcome.reason.code));

t.test('statements that are sent together share one Sync, and each gets its rows', async (t) => {
  await withConnection(knex, async (connection) => {
    const three = () =>
      Promise.all([echo(connection, 1), run(connection, 'select generate_series(1, 2) as n'), echo(connection, 3)]);
    for (const _ of [1, 2]) {
      t.equal(await countSyncs(connection, three), 1);
      t.strictSame(await three(), [[{ n: 1 }], [{ n: 1 }, { n: 2 }], [{ n: 3 }]]);
    }
    t.equal(await countSyncs(connection, async () => [await echo(connection, 1), await echo(connection, 2)]), 2);
  });
});

t.test('a statement of pg in between has a transaction of its own', async (t) => {
  await withConnection(knex, async (connection) => {
    const mixed = () =>
      Promise.all([
        echo(connection, 1),
        connection.query('select 2 as n'),
        echo(connection, 3),
        connection.query({ text: 'select 4 as n' }),
        echo(connection, 5),
      ]);
    const results = await mixed();
    t.strictSame(
      results.map((result) => ('rows' in result ? result.rows : result)),
      [1, 2, 3, 4, 5].map((n) => [{ n }]),
    );
    const outcomes = await Promise.allSettled([
      echo(connection, 1),
      divide(connection, 0),
      connection.query('select 3 as n'),
      echo(connection, 4),
    ]);
    t.strictSame(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
    );
  });
});

t.test('a failure ends the statements behind it, and none in front of it', async (t) => {
  await withConnection(knex, async (connection) => {
    const first = 'select $1::int as n /* prepared by none before */';
    const failing = () =>
      Promise.allSettled([
        echo(connection, 1),
        divide(connection, 0),
        echo(connection, 3),
        run(connection, first, [4]),
      ]);
    for (const _ of [1, 2]) t.strictSame(reasons(await failing()), [[{ n: 1 }], '22012', '25P02', '25P02']);
    t.strictSame(await echo(connection, 5), [{ n: 5 }], 'the connection goes on');
    t.strictSame(await run(connection, first, [6]), [{ n: 6 }], 'one that was skipped is prepared later');
  });
});

t.test('so does one for want of space or memory, after which the connection goes on', async (t) => {
  await withConnection(knex, async (connection) => {
    await connection.query(
      `create function fill_disk() returns int language plpgsql
         as $$ begin raise exception 'no space left on device' using errcode = 'disk_full'; end $$`,
    );
    const sent = [
      echo(connection, 1),
      run(connection, 'select fill_disk() as n'),
      echo(connection, 3),
      echo(connection, 4),
    ];
    t.strictSame(reasons(await Promise.allSettled(sent)), [[{ n: 1 }], '53100', '25P02', '25P02']);
    t.strictSame(await echo(connection, 5), [{ n: 5 }]);
  });
});

t.test('reads behind a failure are sent again', async (t) => {
  await withConnection(knex, async (connection) => {
    const read = (n: number) => run(connection, 'select $1::int as n', [n], true);
    const outcomes = await Promise.allSettled([divide(connection, 0), read(2), read(3)]);
    t.strictSame(reasons(outcomes), ['22012', [{ n: 2 }], [{ n: 3 }]]);
  });
});

t.test('a value that cannot be sent, and one that cannot be read, end their own statement', async (t) => {
  const failing = {
    toPostgres: () => {
      throw Object.assign(new Error('cannot be sent'), { code: 'unsent' });
    },
  };
  await withConnection(knex, async (connection) => {
    for (const _ of [1, 2]) {
      const outcomes = await Promise.allSettled([
        echo(connection, 1),
        run(connection, 'select $1::text as n', [failing]),
        echo(connection, 3),
        echo(connection, 4),
      ]);
      t.strictSame(reasons(outcomes), [[{ n: 1 }], 'unsent', [{ n: 3 }], [{ n: 4 }]]);
    }
  });
  const parsing = connect({ url, poolSize: 1 });
  t.teardown(() => parsing.destroy());
  await withConnection(parsing, async (connection) => {
    const outcomes = await Promise.allSettled([
      run(connection, `select 'infinity'::timestamptz as n`),
      echo(connection, 2),
      echo(connection, 3),
    ]);
    t.match(outcomes[0], { status: 'rejected', reason: RangeError });
    t.strictSame(reasons(outcomes.slice(1)), [[{ n: 2 }], [{ n: 3 }]]);
  });
});

t.test('a connection that ends fails all of its statements', async (t) => {
  const lost = connect({ url, poolSize: 1 });
  t.teardown(() => lost.destroy());
  const work = withConnection(lost, async (connection) => {
    const outcomes = await Promise.allSettled([
      echo(connection, 1),
      run(connection, 'select pg_terminate_backend(pg_backend_pid()) as n'),
      echo(connection, 3),
      echo(connection, 4),
    ]);
    t.strictSame(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'rejected', 'rejected'],
    );
    for (const outcome of outcomes.slice(1)) if (outcome.status === 'rejected') throw outcome.reason;
  });
  await t.rejects(work, { code: '57P01' });
  t.strictSame(await withConnection(lost, (connection) => echo(connection, 5)), [{ n: 5 }], 'the pool has another');
});

t.test('a transaction is one Sync with its beginning and its end', async (t) => {
  await withConnection(knex, async (connection) => {
    await runCommand(connection, 'create table written (n int)');
    const transact = (by: number) => async () => {
      const sent = [
        runCommand(connection, 'begin'),
        run(connection, 'insert into written values ($1)', [by]),
        divide(connection, by),
        runCommand(connection, 'commit'),
      ];
      outcomes = await Promise.allSettled(sent);
    };
    let outcomes: PromiseSettledResult<unknown>[] = [];
    t.equal(await countSyncs(connection, transact(1)), 1);
    t.strictSame(reasons(outcomes), ['BEGIN', [], [{ n: 1 }], 'COMMIT']);
    await transact(0)();
    t.strictSame(reasons(outcomes), ['BEGIN', [], '22012', '25P02']);
    t.equal(await runCommand(connection, 'commit'), 'ROLLBACK', 'the transaction has failed');
    t.strictSame(await run(connection, 'select n from written'), [{ n: 1 }]);
  });
});

t.test('a statement that writes is not pipelined with reads', async (t) => {
  const database = openDatabase({ url, poolSize: 1 });
  t.teardown(() => database.close());
  await database.box.query('create table if not exists counted (tenant_id uuid, n int)');
  const db = database.forTenant(newId());
  const write = 'insert into counted values ($1, 1)';
  await t.rejects(
    db.pipelined((one) => one.query(write)),
    /cannot be pipelined with reads/,
  );
  await db.transaction((tx) => tx.pipelined((one) => one.query(write)));
  t.strictSame(await db.query('select n from counted where tenant_id = $1'), [{ n: 1 }]);
});

t.test("reads that are sent again are sent before the connection is another's", async (t) => {
  const sent: string[] = [];
  const statement = (text: string) => {
    sent.push(text);
    return () => {};
  };
  const observer = { waited: () => {}, statement };
  const database = openDatabase({ url, poolSize: 1, observer });
  t.teardown(() => database.close());
  const [one, other] = [database.forTenant(newId()), database.forTenant(newId())];
  const failing = (db: typeof one) =>
    Promise.all([db.query(`select 1 / 0 where $1::text <> ''`), db.query('select $1::text as again')]);
  const works = [
    () => one.pipelined(failing),
    () => one.transactionThen(async (tx) => ({ sent: tx.query('select $1::text'), value: null }), failing),
  ];
  for (const work of works) {
    for (let round = 0; round < 200; round++) {
      sent.length = 0;
      const rejected = t.rejects(work(), { code: '22012' });
      // The other one waits for the connection.
      while (sent.length === 0) await new Promise(setImmediate);
      const next = other.transaction(async (tx) => [
        await tx.query('select $1::text'),
        await tx.query('select $1::text'),
      ]);
      await rejected;
      await next;
      const [began, ended] = [sent.lastIndexOf('begin'), sent.lastIndexOf('commit')];
      t.notOk(sent.slice(began, ended).some((text) => /again/.test(text)));
      t.equal(sent.filter((text) => /again/.test(text)).length, 2);
    }
  }
});
