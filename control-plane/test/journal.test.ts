/**
 * The journal: what is written, that it holds no secrets, and that a changed or missing row is found.
 */
import { randomBytes } from 'node:crypto';
import t from 'tap';
import { startTestControlPlane } from './test-control-plane.ts';

const controlPlane = await startTestControlPlane(t);
const { admin, db } = controlPlane;
const manager = await controlPlane.administrator('manager');
const reader = await controlPlane.administrator('reader');

interface Row {
  id: string;
  position: number;
  createdAt: string;
  hash: string;
  operationId: string;
  change: string;
}
const rowsOf = async (query = ''): Promise<Row[]> => (await admin.get(`/journal?limit=100${query}`)).body.items;
const verify = async () => (await manager.caller.get('/journal/verification')).body;

t.test('each change is a row with who, what and how it ended; reads and refused requests are none', async (t) => {
  const minted = await manager.caller.post(
    '/license/keys',
    { customerId: 'acme', tier: 'growth', notes: 'paid', label: 'office' },
    { headers: { 'x-request-id': 'request-1', 'x-forwarded-for': '2001:db8:1:2:3::4' } },
  );
  const { id: licenseId } = minted.body;
  const [{ id, position, createdAt, hash, ...row } = {} as Row] = await rowsOf();
  t.strictSame(row, {
    administratorId: manager.id,
    administrator: manager.name,
    role: 'manager',
    operationId: 'mintLicense',
    method: 'POST',
    path: '/license/keys',
    requestId: 'request-1',
    status: 201,
    address: '2001:db8:1:2::/64',
    change: JSON.stringify({
      id: licenseId,
      customerId: 'acme',
      tier: 'growth',
      notes: 'not noted',
      label: 'not noted',
    }),
  } as never);
  const before = (await rowsOf()).length;
  await manager.caller.get('/license/keys');
  await reader.caller.post(`/license/keys/${licenseId}/revoke`);
  await controlPlane.visitor().post(`/license/keys/${licenseId}/revoke`);
  t.equal((await rowsOf()).length, before);

  await manager.caller.post(`/license/keys/${licenseId}/revoke`);
  t.equal((await manager.caller.post(`/license/keys/${licenseId}/suspend`)).status, 409);
  await admin.post('/signing-keys/rotate');
  t.equal((await manager.caller.delete('/boxes/domains/free.example.org')).status, 404);
  const rows = (await db('journal').where('position', '>', position).orderBy('position')) as never[];
  t.strictSame(
    rows.map(({ administrator, operationId, path, status }) => [administrator, operationId, path, status]),
    [
      [manager.name, 'revokeLicense', `/license/keys/${licenseId}/revoke`, 200],
      [manager.name, 'suspendLicense', `/license/keys/${licenseId}/suspend`, 409],
      ['ADMIN_SECRET', 'rotateSigningKey', '/signing-keys/rotate', 201],
      [manager.name, 'releaseDomain', '/boxes/domains/free.example.org', 404],
    ],
  );
  const [published] = await rowsOf('&administrator=PUBLISH_SECRET');
  t.match(published, { role: 'publisher', operationId: 'publishRelease', position: 1, administratorId: null });
});

t.test('it is filtered by administrator, operation and time', async (t) => {
  const all = await rowsOf();
  t.strictSame(
    await rowsOf(`&administrator=${manager.name}&operationId=mintLicense`),
    all.filter(({ operationId }) => operationId === 'mintLicense'),
  );
  const [newest] = all as [Row];
  t.equal((await rowsOf(`&from=${newest.createdAt}`))[0]?.id, newest.id);
  t.ok((await rowsOf(`&to=${newest.createdAt}`)).every(({ createdAt }) => createdAt < newest.createdAt));
});

t.test('it holds no key, secret or note', async (t) => {
  const note = randomBytes(12).toString('hex');
  const { body: license } = await admin.post('/license/keys', { customerId: 'quiet', tier: 'basic', notes: note });
  await admin.patch(`/license/keys/${license.id}`, { notes: `${note}, again` });
  const { body: replaced } = await admin.post(`/administrators/${reader.id}/secret`, { overlapHours: 2 });
  const text = JSON.stringify(await db('journal'));
  const { adminSecret, publishSecret } = controlPlane.options;
  for (const secret of [note, license.key, replaced.secret, reader.secret, manager.secret, adminSecret, publishSecret])
    t.notOk(text.includes(secret as string));
  t.match(text, 'overlapHours');
});

t.test('a change whose row cannot be written does not happen', async (t) => {
  await db.raw('alter table journal add constraint journal_full check (status < 0) not valid');
  const before = (await admin.get('/license/keys?customerId=unwritten')).body.items.length;
  t.equal((await admin.post('/license/keys', { customerId: 'unwritten', tier: 'basic' })).status, 500);
  await db.raw('alter table journal drop constraint journal_full');
  t.equal((await admin.get('/license/keys?customerId=unwritten')).body.items.length, before);
});

t.test('concurrent changes follow each other without a gap', async (t) => {
  // Of different licences: changes of one wait for each other anyway.
  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, number) =>
      admin.post('/license/keys', { customerId: `c-${number}`, tier: 'basic' }),
    ),
  );
  t.ok(replies.every(({ status }) => status === 201));
  const [newest] = (await rowsOf()) as [Row];
  t.strictSame(await verify(), { rows: newest.position, hash: newest.hash, firstWrong: null });
});

t.test('rows are not changed or deleted, and a change behind the trigger is found', async (t) => {
  for (const statement of ['update journal set status = 200', 'delete from journal', 'truncate journal'])
    await t.rejects(db.raw(statement), { message: /rows of the journal are neither changed nor deleted/ }, statement);
  const whole = await verify();
  t.equal(whole.firstWrong, null);

  /** Runs statements without the trigger, and undoes them after the verification. */
  const verifyAfter = async (statement: string) => {
    await db.raw('create table kept as select * from journal');
    await db.raw('alter table journal disable trigger journal_append_only');
    await db.raw(statement);
    const verification = await verify();
    await db.raw('delete from journal');
    await db.raw('insert into journal select * from kept');
    await db.raw('drop table kept');
    await db.raw('alter table journal enable trigger journal_append_only');
    return verification;
  };
  const values = [
    "created_at = created_at + interval '1 millisecond'",
    'administrator_id = gen_random_uuid()',
    "administrator = 'nobody'",
    "role = 'reader'",
    "operation_id = 'other'",
    "method = 'PUT'",
    "path = '/other'",
    "request_id = 'other'",
    'status = status + 1',
    "address = '192.0.2.1'",
    "change = '{}x'",
    'id = gen_random_uuid()',
    `hash = '${'0'.repeat(64)}'`,
  ];
  for (const value of values)
    t.match(await verifyAfter(`update journal set ${value} where position = 3`), { rows: 2, firstWrong: 3 }, value);
  t.match(await verifyAfter('delete from journal where position = 3'), { rows: 2, firstWrong: 3 });
  t.match(await verifyAfter('delete from journal where position = 1'), { rows: 0, hash: null, firstWrong: 1 });
  t.strictSame(await verify(), whole, 'all rows are back');
});
