/**
 * Disabling or removing a member of staff lists and revokes the keys for which the person is responsible.
 */
import { callerOf, createTestBox, eventsOf, exactly } from '@carton/runtime/testing';
import t from 'tap';
import { createKey, packages } from './keys.ts';

const box = await createTestBox(t, { packages, tier: 'enterprise' });
const password = 'correct horse battery';
let hired = 0;

/** Hires a manager and logs in. */
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
const revokedEvents = async () => (await eventsOf(box, { type: 'api_key.revoked' })).map(({ resource }) => resource.id);

for (const way of ['disable', 'remove'] as const) {
  const leave = async (person: { path: string }, keep?: boolean) => {
    const keepApiKeys = keep === undefined ? {} : { keepApiKeys: keep };
    if (way === 'disable') return box.staff.patch(person.path, { status: 'disabled', ...keepApiKeys });
    return box.staff.delete(`${person.path}${keep === undefined ? '' : `?keepApiKeys=${keep}`}`);
  };

  t.test(`${way}: the person's keys are listed and revoked, with those that these keys created`, async (t) => {
    const person = await hire();
    const own = await createKey(box, ['core:read', 'api-key:write'], { creator: person, name: 'Own' });
    const second = await createKey(box, ['core:read'], { creator: own, name: 'Created by a key' });
    const revoked = await createKey(box, ['core:read'], { creator: person, name: 'Revoked before' });
    await box.staff.post(`/admin/api-keys/${revoked.id}/revoke`);
    const owners = await createKey(box, ['core:read']);
    const before = (await box.staff.get(person.path)).body;
    t.strictSame(
      before.apiKeys.map(({ id, revokedAt }: { id: string; revokedAt: string | null }) => [id, revokedAt !== null]),
      [
        [revoked.id, true],
        [second.id, false],
        [own.id, false],
      ],
      'the account lists them',
    );

    const { status, body } = await leave(person);
    t.equal(status, 200);
    t.strictSame(
      body.apiKeys.map(({ revokedAt, ...key }: { revokedAt: string; createdAt: string }) => [key, revokedAt !== null]),
      before.apiKeys.map(({ revokedAt: _, ...key }: { revokedAt: unknown }) => [{ ...key, permissions: [] }, true]),
    );
    t.strictSame([await works(own), await works(second), await works(owners)], [false, false, true]);
    t.strictSame((await revokedEvents()).slice(-3), [revoked.id, own.id, second.id]);
    t.match(await person.get('/admin/me'), { status: 401 }, 'their session has ended, too');
    t.match((await box.staff.get(`/admin/api-keys/${second.id}`)).body, { createdById: person.id, revokedAt: /Z$/ });
    const { items } = (await box.staff.get(`/admin/audit-log?resource=api_key&resourceId=${own.id}`)).body;
    t.match(
      items[0],
      { action: 'update', actorType: 'staff', actorLabel: box.email },
      'the audit log names the person who revoked them',
    );
  });

  t.test(`${way}: keepApiKeys leaves the keys valid`, async (t) => {
    const person = await hire();
    const key = await createKey(box, ['core:read'], { creator: person });
    t.match(await leave(person, true), { status: 200, body: { apiKeys: exactly([{ id: key.id, revokedAt: null }]) } });
    t.ok(await works(key));
    t.match((await box.staff.get(`/admin/api-keys/${key.id}`)).body, { createdById: person.id });
    const second = await hire();
    const other = await createKey(box, ['core:read'], { creator: second });
    t.match(await leave(second, false), {
      status: 200,
      body: { apiKeys: exactly([{ id: other.id, revokedAt: /Z$/ }]) },
    });
    t.notOk(await works(other));
  });

  t.test(`${way}: a key that is created concurrently is revoked or refused`, async (t) => {
    for (let round = 0; round < 3; round++) {
      const person = await hire();
      const own = await createKey(box, ['core:read', 'api-key:write'], { creator: person });
      const body = { name: 'Late', kind: 'secret', scopes: ['core:read'] };
      const creators = [person, own, person, own];
      const [answer, ...late] = await Promise.all([
        leave(person),
        ...creators.map((caller) => caller.post('/admin/api-keys', body)),
      ]);
      t.equal(answer?.status, 200);
      for (const { status, body: created } of late) {
        if (status !== 201) t.equal(status, 401);
        else
          t.notOk(await works(callerOf(box.url, { ...box.visitor().headers, authorization: `Bearer ${created.key}` })));
      }
      const left = await box.db.query(
        'select id from api_keys where tenant_id = $1 and created_by_id = $2 and revoked_at is null',
        [person.id],
      );
      t.strictSame(left, []);
    }
  });
}

t.test('other changes leave keys valid, and refuse keepApiKeys', async (t) => {
  const person = await hire();
  const key = await createKey(box, ['core:read'], { creator: person });
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

t.test('the last owner cannot be removed and keeps the keys', async (t) => {
  const { id } = (await box.staff.get('/admin/me')).body;
  const key = await createKey(box, ['core:read']);
  t.match(await box.staff.patch(`/admin/users/${id}`, { status: 'disabled' }), {
    status: 409,
    body: { code: 'last_owner' },
  });
  const manager = await createKey(box, ['*']);
  t.match(await manager.delete(`/admin/users/${id}`), { status: 409, body: { code: 'last_owner' } });
  t.ok(await works(key), 'the refused request has revoked nothing');
});

t.test('staff cannot remove the staff of another tenant', async (t) => {
  const other = await box.openTenant();
  const person = await hire(other);
  const key = await createKey(box, ['core:read'], { tenant: other, creator: person });
  t.match(await box.staff.delete(person.path), { status: 404 });
  t.match(await box.staff.patch(person.path, { status: 'disabled' }), { status: 404 });
  t.ok(await works(key));
});
