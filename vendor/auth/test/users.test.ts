/**
 * Staff accounts and invites: roles, disabling, removing, and the last owner.
 */
import { createTestBox } from '@carton/runtime/testing';
import t from 'tap';
import { hire, logIn, packages, password } from '../testing/index.ts';

const box = await createTestBox(t, { packages, tier: 'basic' });

t.test('only owners change staff', async (t) => {
  const person = await hire(box, 'viewer');
  const path = `/admin/users/${person.id}`;
  t.match(await box.staff.patch(path, { role: 'manager' }), { status: 200, body: { role: 'manager', id: person.id } });
  t.match(await person.get('/admin/me'), { body: { role: 'manager' } }, 'a new role applies from the next request on');
  for (const role of ['manager', 'viewer']) {
    const other = await hire(box, role);
    t.match(await other.get('/admin/users'), { status: 200 });
    t.match(await other.patch(path, { role: 'owner' }), { status: 403, body: { code: 'forbidden' } }, role);
    t.match(await other.patch(`/admin/users/${other.id}`, { role: 'owner' }), { status: 403 });
    t.match(await other.delete(path), { status: 403 });
    t.match(await other.post('/admin/invites', { email: 'x@shop.example', role: 'viewer' }), { status: 403 });
  }
  t.match(await box.staff.patch(path, { email: 'new@shop.example' }), { status: 400 });
  t.match(await box.staff.patch(path, {}), { status: 400 });
});

t.test('disabling an account ends its sessions, and enabling it allows a log-in', async (t) => {
  const person = await hire(box, 'manager');
  const path = `/admin/users/${person.id}`;
  t.match(await box.staff.patch(path, { status: 'disabled' }), { status: 200, body: { status: 'disabled' } });
  t.match(await person.get('/admin/me'), { status: 401 });
  t.match(
    await logIn(box, person.email),
    { status: 401, body: { code: 'wrong_login' } },
    'the same response as for a wrong password',
  );
  t.match(await box.staff.patch(path, { status: 'active' }), { body: { status: 'active' } });
  t.match(await person.get('/admin/me'), { status: 401 }, 'the old session stays closed');
  t.match(await logIn(box, person.email), { status: 200 });
});

t.test('removing an account deletes it with its sessions', async (t) => {
  const person = await hire(box, 'manager');
  const path = `/admin/users/${person.id}`;
  t.strictSame((await box.staff.delete(path)).body, { id: person.id, apiKeys: [] });
  t.match(await person.get('/admin/me'), { status: 401 });
  t.match(await box.staff.get(path), { status: 404 });
  t.match(await box.staff.delete(path), { status: 404, body: { code: 'not_found' } });
  t.match(await box.staff.patch(path, { role: 'viewer' }), { status: 404 });
  const again = await box.staff.post('/admin/invites', { email: person.email, role: 'viewer' });
  t.equal(again.status, 201, 'the person can be invited again');
});

t.test('the last active owner cannot be demoted, disabled or removed', async (t) => {
  const tenant = await box.openTenant();
  const { id } = (await tenant.staff.get('/admin/me')).body;
  const path = `/admin/users/${id}`;
  const refused = { status: 409, body: { code: 'last_owner' } };
  t.match(await tenant.staff.patch(path, { role: 'manager' }), refused);
  t.match(await tenant.staff.patch(path, { status: 'disabled' }), refused);
  t.match(await tenant.staff.delete(path), { status: 409, body: { code: 'own_account' } });
  t.match(
    await tenant.staff.patch(path, { role: 'owner', status: 'active' }),
    { status: 200 },
    'a patch without a change succeeds',
  );

  const second = await hire(box, 'owner', tenant);
  await tenant.staff.patch(`/admin/users/${second.id}`, { status: 'disabled' });
  t.match(await tenant.staff.patch(path, { role: 'viewer' }), refused, 'a disabled owner does not count');
  await tenant.staff.patch(`/admin/users/${second.id}`, { status: 'active' });
  t.match(await tenant.staff.patch(path, { role: 'viewer' }), { status: 200, body: { role: 'viewer' } });
});

t.test('of two owners who concurrently act on each other one stays', async (t) => {
  const acts: [name: string, act: (caller: typeof box.staff, path: string) => Promise<{ status: number }>][] = [
    ['demote', (caller, path) => caller.patch(path, { role: 'manager' })],
    ['disable', (caller, path) => caller.patch(path, { status: 'disabled' })],
    ['remove', (caller, path) => caller.delete(path)],
  ];
  for (const [name, act] of acts) {
    const tenant = await box.openTenant();
    const first = (await tenant.staff.get('/admin/me')).body.id;
    const second = await hire(box, 'owner', tenant);
    const responses = await Promise.all([
      act(tenant.staff, `/admin/users/${second.id}`),
      act(second, `/admin/users/${first}`),
    ]);
    const done = responses.filter(({ status }) => status < 300);
    t.equal(done.length, 1, `${name}: ${responses.map(({ status }) => status)}`);
    const owners = await tenant.db.query(
      "select id from staff_users where tenant_id = $1 and role = 'owner' and status = 'active'",
    );
    t.equal(owners.length, 1, name);
  }
});

t.test('of two concurrent requests one accepts an invite', async (t) => {
  const { token } = (await box.staff.post('/admin/invites', { email: 'once@shop.example', role: 'viewer' })).body;
  const accept = () => box.visitor().post('/admin/invites/accept', { token, name: 'Once', password });
  const responses = await Promise.all([accept(), accept()]);
  t.strictSame(responses.map(({ status }) => status).sort(), [201, 404]);
  t.match(await box.staff.post('/admin/invites', { email: 'Once@shop.example', role: 'viewer' }), {
    status: 409,
    body: { code: 'already_staff' },
  });
});

t.test('invites are listed, revoked and expire', async (t) => {
  const invite = (email: string) => box.staff.post('/admin/invites', { email, role: 'viewer' });
  const created = (await invite('open@shop.example')).body;
  const listed = async () =>
    (await box.staff.get('/admin/invites?limit=100')).body.items.map(({ email }: { email: string }) => email);
  t.ok((await listed()).includes('open@shop.example'));
  t.match(await invite('open@shop.example'), { status: 409, body: { code: 'already_staff' } });
  t.match(await (await box.openTenant()).staff.delete(`/admin/invites/${created.id}`), { status: 404 });
  t.match(await box.staff.delete(`/admin/invites/${created.id}`), { status: 204 });
  t.match(await box.staff.delete(`/admin/invites/${created.id}`), { status: 404 });

  const late = (await invite('open@shop.example')).body;
  await box.db.query("update staff_invites set expires_at = now() - interval '1 s' where tenant_id = $1");
  t.notOk((await listed()).includes('open@shop.example'));
  const accept = { token: late.token, name: 'Late', password };
  t.match(await box.visitor().post('/admin/invites/accept', accept), { status: 404, body: { code: 'invite_unknown' } });
  t.match(await invite('open@shop.example'), { status: 201 });
});
