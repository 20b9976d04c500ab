/**
 * The key of the journal: who may change the database cannot make changed rows fit, and a journal of before the key, or
 * with another SIGNING_KEY_SECRET, is still verified.
 */
import { createHash } from 'node:crypto';
import { callerOf } from '@carton/runtime/testing';
import type { Knex } from 'knex';
import t from 'tap';
import { startControlPlane } from '../index.ts';
import { makeDatabase, optionsFor, startTestControlPlane, type TestOptions } from './test-control-plane.ts';

const signingKeySecret = 'a secret of the signing keys';
const controlPlane = await startTestControlPlane(t, { signingKeySecret });
const { admin, db } = controlPlane;
for (const customerId of ['ada', 'acme', 'ocean']) await admin.post('/license/keys', { customerId, tier: 'basic' });
const verify = async (caller = admin) => (await caller.get('/journal/verification')).body;

/** Changes the database as its owner may, without the trigger, and returns the verification of that. Then it is undone. */
async function verifyAfter(work: (transaction: Knex) => Promise<unknown>) {
  const tables = ['journal', 'hash_keys'];
  for (const table of tables) await db.raw(`create table kept_${table} as select * from ${table}`);
  await db.raw('alter table journal disable trigger journal_append_only');
  await work(db);
  const { status, body } = await admin.get('/journal/verification');
  for (const table of tables) {
    await db.raw(`delete from ${table}`);
    await db.raw(`insert into ${table} select * from kept_${table}`);
    await db.raw(`drop table kept_${table}`);
  }
  await db.raw('alter table journal enable trigger journal_append_only');
  return { status, ...body };
}

const columns = [
  ...['position', 'id', 'createdAt', 'administratorId', 'administrator', 'role', 'operationId', 'method', 'path'],
  ...['requestId', 'status', 'address', 'change'],
];

/** Computes all hashes again from a position on, without a key. */
async function hashAgain(transaction: Knex, from = 1) {
  let hash =
    (
      await transaction('journal')
        .where({ position: from - 1 })
        .first('hash')
    )?.hash ?? null;
  for (const row of await transaction('journal').where('position', '>=', from).orderBy('position')) {
    const values = columns.map((column) => (column === 'position' ? Number(row.position) : row[column]));
    hash = createHash('sha256')
      .update(JSON.stringify([hash, ...values]))
      .digest('hex');
    await transaction('journal').where({ position: row.position }).update({ hash });
  }
}

t.test('hashes that were computed again in the database are found', async (t) => {
  t.match(await verify(), { rows: 4, firstWrong: null, keyedFrom: 1 });
  const rename = (transaction: Knex) => transaction('journal').where({ position: 3 }).update({ administrator: 'eve' });
  t.match(await verifyAfter(rename), { rows: 2, firstWrong: 3 });
  const renamed = await verifyAfter(async (transaction) => {
    await rename(transaction);
    await hashAgain(transaction, 3);
  });
  t.match(renamed, { rows: 2, firstWrong: 3 });
  t.match(await verifyAfter((transaction) => hashAgain(transaction)), { rows: 0, firstWrong: 1 });
  t.match(await verify(), { rows: 4, firstWrong: null, keyedFrom: 1 });
});

t.test('a key that someone else has stored is refused, and a missing one shows', async (t) => {
  const key = JSON.stringify({ key: Buffer.alloc(32).toString('base64'), from: 1 });
  const replaced = await verifyAfter((transaction) => transaction('hash_keys').update({ secret: key }));
  t.equal(replaced.status, 500);
  const moved = await verifyAfter((transaction) =>
    transaction('hash_keys').update({ id: db.raw('gen_random_uuid()') }),
  );
  t.equal(moved.status, 500);
  const [stored] = await db('hash_keys');
  t.notMatch(stored.secret, /from|key/);
  t.match(await verifyAfter((transaction) => transaction('hash_keys').delete()), { rows: 0, firstWrong: 1 });
  const without = await verifyAfter(async (transaction) => {
    await transaction('hash_keys').delete();
    await hashAgain(transaction);
  });
  t.equal(without.firstWrong, null);
  t.notOk('keyedFrom' in without, 'keyedFrom was noted elsewhere');
});

t.test('a journal of before goes on with a key, which stays when SIGNING_KEY_SECRET is replaced', async (t) => {
  const { url, db } = await makeDatabase(t);
  const fixed = optionsFor(url);
  const during = async <R>(options: Partial<TestOptions>, work: (caller: typeof admin) => Promise<R>) => {
    const server = await startControlPlane({ ...fixed, ...options });
    try {
      return await work(callerOf(server.url, { authorization: `Bearer ${fixed.adminSecret}` }));
    } finally {
      await server.stop();
    }
  };
  const change = async (caller: typeof admin) => {
    t.equal((await caller.post('/license/keys', { customerId: 'ada', tier: 'basic' })).status, 201);
    return verify(caller);
  };
  await during({}, change);
  const [plain] = await Promise.all([during({}, change)]);
  t.match(plain, { rows: 2, firstWrong: null });
  t.notOk('keyedFrom' in plain);
  t.match(await during({ signingKeySecret }, change), { rows: 3, firstWrong: null, keyedFrom: 3 });
  const next = 'the next secret of the signing keys';
  const values = { values: [next, signingKeySecret] };
  t.match(await during({ signingKeySecret: values as never }, change), { rows: 4, firstWrong: null, keyedFrom: 3 });
  t.match(await during({ signingKeySecret: next }, change), { rows: 5, firstWrong: null, keyedFrom: 3 });

  await db.raw('alter table journal disable trigger journal_append_only');
  await db('journal').where({ position: 1 }).update({ administrator: 'eve' });
  await hashAgain(db);
  const forged = await during({ signingKeySecret: next }, verify);
  t.match(forged, { rows: 2, firstWrong: 3 }, 'rows of before the key are sealed by the first with one');
});
