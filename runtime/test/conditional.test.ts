/**
 * If-Match: a write succeeds only if the resource has not changed since the caller read it, also with concurrent
 * writes.
 */
import { setTimeout } from 'node:timers/promises';
import t from 'tap';
import { type Answer, createTestBox, eventsOf } from '../testing/index.ts';

const packages = ['core', 'auth', 'tenant'].map((name) => `@carton/${name}`);
const settings = '/admin/store';

const etagOf = ({ headers }: Answer) => headers.get('etag') as string;
const ifMatch = (value: string) => ({ headers: { 'if-match': value } });

const box = await createTestBox(t, { packages });
const { staff } = box;

t.test('a conditional write', async (t) => {
  const first = etagOf(await staff.get(settings));
  const changed = await staff.patch(settings, { name: 'First' }, ifMatch(first));
  t.match(changed, { status: 200, body: { name: 'First' } });
  t.equal(etagOf(changed), etagOf(await staff.get(settings)), 'the response has the ETag of its body');

  const stale = await staff.patch(settings, { name: 'Second' }, ifMatch(first));
  t.match(stale, { status: 412, body: { code: 'precondition_failed' } });
  t.match(await staff.get(settings), { body: { name: 'First' } });
  t.equal((await eventsOf(box, { type: 'store.updated' })).length, 1);

  t.match(await staff.patch(settings, { name: 'Second' }), { status: 200 }, 'without the header it is unconditional');
  t.match(await staff.patch(settings, { name: 'Third' }, ifMatch(etagOf(await staff.get(settings)))), { status: 200 });
});

t.test('which values match', async (t) => {
  const present = etagOf(await staff.get(settings));
  const values: [value: string, status: number][] = [
    ['*', 200],
    [' * ', 200],
    [present, 200],
    [`"a,b", ${present}`, 200],
    [`,, ${present} ,"x"`, 200],
    [`W/${present}`, 200],
    [`W/"x${present.slice(1)}`, 412],
    ['"a"', 412],
    ['', 412],
    [present.replaceAll('"', ''), 412],
    [`${present} ${present}`, 412],
    [`"${present}"`, 412],
    ['*, "a"', 412],
  ];
  for (const [value, status] of values) {
    // Each write changes `updatedAt`, so that the ETag has to be read again.
    const now = etagOf(await staff.get(settings));
    const sent = value.replaceAll(present, now).replaceAll(present.slice(1, -1), now.slice(1, -1));
    t.match(await staff.patch(settings, { name: 'N' }, ifMatch(sent)), { status }, JSON.stringify(value));
  }
});

t.test('of concurrent writes with the same ETag exactly one succeeds', async (t) => {
  for (let round = 0; round < 5; round++) {
    const tag = etagOf(await staff.get(settings));
    const names = Array.from({ length: 8 }, (_, index) => `Round ${round}, ${index}`);
    const answers = await Promise.all(names.map((name) => staff.patch(settings, { name }, ifMatch(tag))));
    const won = answers.flatMap(({ status, body }) => (status === 200 ? [body.name] : []));
    t.equal(won.length, 1, JSON.stringify(answers.map(({ status }) => status)));
    t.equal(answers.filter(({ status }) => status === 412).length, 7);
    t.match(await staff.get(settings), { body: { name: won[0] } });
  }
});

t.test('a concurrent unconditional write is never overwritten', async (t) => {
  for (let round = 0; round < 10; round++) {
    const tag = etagOf(await staff.get(settings));
    const [conditional, plain] = await Promise.all([
      staff.patch(settings, { name: `If ${round}` }, ifMatch(tag)),
      staff.patch(settings, { name: `Plain ${round}` }),
    ]);
    t.equal(plain.status, 200);
    // A conditional write before the plain one is overwritten; one after it must have been refused.
    t.match(await staff.get(settings), { body: { name: `Plain ${round}` } }, `${conditional.status}`);
  }
});

t.test('a write that waits for another transaction, which changes the row, is refused', async (t) => {
  const tag = etagOf(await staff.get(settings));
  const waits = async () => {
    const found = await box.box.database.box.query(
      `select 1 from pg_locks join pg_stat_activity using (pid)
        where not granted and datname = current_database()`,
    );
    return found.length > 0;
  };
  let late: Promise<Answer> | undefined;
  await box.db.transaction(async (db) => {
    await db.query("update stores set name = 'By a job' where tenant_id = $1");
    late = staff.patch(settings, { name: 'Late' }, ifMatch(tag));
    while (!(await waits())) await setTimeout(5);
  });
  t.match(await late, { status: 412, body: { code: 'precondition_failed' } });
  t.match(await staff.get(settings), { body: { name: 'By a job' } });
});

t.test('a write outside a tenant: the operator renames a tenant', async (t) => {
  const path = `/admin/tenants/${box.id}`;
  const tag = etagOf(await box.operator.get(path));
  const answers = await Promise.all(
    Array.from({ length: 4 }, (_, index) => box.operator.patch(path, { name: `N${index}` }, ifMatch(tag))),
  );
  t.strictSame(answers.map(({ status }) => status).sort(), [200, 412, 412, 412]);
});

t.test('unknown, unauthorised and invalid requests have the same result as without the header', async (t) => {
  const other = await box.openTenant();
  t.match(await staff.patch(`/admin/tenants/${other.id}`, { name: 'Mine' }, ifMatch('*')), { status: 404 });
  t.match(await box.visitor().patch(settings, { name: 'Mine' }, ifMatch('*')), { status: 401 });
  t.match(await staff.patch(settings, { name: '' }, ifMatch('"stale"')), { status: 400 });
});
