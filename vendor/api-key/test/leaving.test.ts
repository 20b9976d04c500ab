/**
 * Keys do not outlive the work of who answers for them: disabling or removing a person lists their keys and revokes
 * them.
 */
import { callerOf, createTestBox, exactly } from '@carton/runtime/testing';
import t from 'tap';
import { makeKey, packages } from './keys.ts';

// Each password costs its hash, on purpose.
t.setTimeout(600_000);

const box = await createTestBox(t, { packages, tier: 'enterprise' });
const password = 'correct horse battery';
let hired = 0;

/** A manager, signed in. */
async function hire(tenant = box as Pick<typeof box, 'staff' | 'visitor'>) {
  hired += 1;
  const email = `manager-${hired}@shop.example`;
  const { token } = (await tenant.staff.post('/admin/invites', { email, role: 'manager' })).body;
  const { id } = (await tenant.visitor().post('/admin/invites/accept', { token, name: 'Ada', password })).body;
  const login = await tenant.visitor().post('/admin/auth/login', { email, password });
  const caller = callerOf(box.url, { ...tenant.visitor().headers, authorization: `Bearer ${login.body.token}` });
  return { ...caller, id, path: `/admin/users/${id}` };
}

const works = async (key: { get: typeof box.staff.get }) => (await key.get('/admin/store')).status === 200;
const revokedEvents = async () =>
  (
    await box.db.query<{ id: string }>(
      "select resource_id as id from event_outbox where tenant_id = $1 and type = 'api_key.revoked' order by event_outbox.id",
    )
  ).map(({ id }) => id);

for (const way of ['disable', 'remove'] as const) {
  const leave = async (person: { path: string }, keep?: boolean) => {
    const keepApiKeys = keep === undefined ? {} : { keepApiKeys: keep };
    if (way === 'disable') return box.staff.patch(person.path, { status: 'disabled', ...keepApiKeys });
    return box.staff.delete(`${person.path}${keep === undefined ? '' : `?keepApiKeys=${keep}`}`);
  };

  t.test(`${way}: their keys are listed and revoked, with those that their keys made`, async (t) => {
    const person = await hire();
    const own = await makeKey(box, ['core:read', 'api-key:write'], { maker: person, name: 'Own' });
    const made = await makeKey(box, ['core:read'], { maker: own, name: 'Made by a key' });
    const gone = await makeKey(box, ['core:read'], { maker: person, name: 'Gone before' });
    await box.staff.post(`/admin/api-keys/${gone.id}/revoke`);
    const owners = await makeKey(box, ['core:read']);
    const before = (await box.staff.get(person.path)).body;
    t.strictSame(
      before.apiKeys.map(({ id, revokedAt }: { id: string; revokedAt: string | null }) => [id, revokedAt !== null]),
      [
        [gone.id, true],
        [made.id, false],
        [own.id, false],
      ],
      'who manages staff sees them first',
    );

    const { status, body } = await leave(person);
    t.equal(status, 200);
    t.strictSame(
      body.apiKeys.map(({ revokedAt, ...key }: { revokedAt: string; createdAt: string }) => [key, revokedAt !== null]),
      before.apiKeys.map(({ revokedAt: _, ...key }: { revokedAt: unknown }) => [key, true]),
    );
    t.strictSame([await works(own), await works(made), await works(owners)], [false, false, true]);
    t.strictSame((await revokedEvents()).slice(-3), [gone.id, own.id, made.id]);
    t.match(await person.get('/admin/me'), { status: 401 }, 'their session has ended too');
    t.match((await box.staff.get(`/admin/api-keys/${made.id}`)).body, { createdById: person.id, revokedAt: /Z$/ });
    const { items } = (await box.staff.get(`/admin/audit-log?resource=api_key&resourceId=${own.id}`)).body;
    t.match(
      items[0],
      { action: 'update', actorType: 'staff', actorLabel: box.email },
      'the audit log says who revoked them',
    );
  });

  t.test(`${way}: they are kept when that is asked for`, async (t) => {
    const person = await hire();
    const key = await makeKey(box, ['core:read'], { maker: person });
    t.match(await leave(person, true), { status: 200, body: { apiKeys: exactly([{ id: key.id, revokedAt: null }]) } });
    t.ok(await works(key));
    t.match((await box.staff.get(`/admin/api-keys/${key.id}`)).body, { createdById: person.id });
    const second = await hire();
    const other = await makeKey(box, ['core:read'], { maker: second });
    t.match(await leave(second, false), {
      status: 200,
      body: { apiKeys: exactly([{ id: other.id, revokedAt: /Z$/ }]) },
    });
    t.notOk(await works(other));
  });

  t.test(`${way}: a key that is made at the same time is revoked, or not made`, async (t) => {
    for (let round = 0; round < 3; round++) {
      const person = await hire();
      const own = await makeKey(box, ['core:read', 'api-key:write'], { maker: person });
      const body = { name: 'Late', kind: 'secret', scopes: ['core:read'] };
      const makers = [person, own, person, own];
      const [answer, ...late] = await Promise.all([
        leave(person),
        ...makers.map((who) => who.post('/admin/api-keys', body)),
      ]);
      t.equal(answer?.status, 200);
      for (const { status, body: made } of late) {
        if (status !== 201) t.equal(status, 401);
        else t.notOk(await works(callerOf(box.url, { ...box.visitor().headers, authorization: `Bearer ${made.key}` })));
      }
      const left = await box.db.query(
        'select id from api_keys where tenant_id = $1 and created_by_id = $2 and revoked_at is null',
        [person.id],
      );
      t.strictSame(left, []);
    }
  });
}

t.test('what is not disabling keeps keys, and says so when it is told to', async (t) => {
  const person = await hire();
  const key = await makeKey(box, ['core:read'], { maker: person });
  t.match(await box.staff.patch(person.path, { role: 'viewer' }), {
    status: 200,
    body: { apiKeys: exactly([{ id: key.id }]) },
  });
  t.ok(await works(key));
  for (const body of [
    { keepApiKeys: true },
    { role: 'manager', keepApiKeys: true },
    { status: 'active', keepApiKeys: false },
  ])
    t.match(await box.staff.patch(person.path, body), {
      status: 400,
      body: { errors: exactly([{ pointer: '/keepApiKeys' }]) },
    });
  t.match(await box.staff.delete(`${person.path}?keepApiKeys=maybe`), { status: 400 });
  t.ok(await works(key));
});

t.test('the last owner stays, with their keys', async (t) => {
  const { id } = (await box.staff.get('/admin/me')).body;
  const key = await makeKey(box, ['core:read']);
  t.match(await box.staff.patch(`/admin/users/${id}`, { status: 'disabled' }), {
    status: 409,
    body: { code: 'last_owner' },
  });
  const manager = await makeKey(box, ['*']);
  t.match(await manager.delete(`/admin/users/${id}`), { status: 409, body: { code: 'last_owner' } });
  t.ok(await works(key), 'what was refused has revoked nothing');
});

t.test("another shop's people and keys are out of reach", async (t) => {
  const other = await box.openTenant();
  const person = await hire(other);
  const key = await makeKey(box, ['core:read'], { tenant: other, maker: person });
  t.match(await box.staff.delete(person.path), { status: 404 });
  t.match(await box.staff.patch(person.path, { status: 'disabled' }), { status: 404 });
  t.ok(await works(key));
});
