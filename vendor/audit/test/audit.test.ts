/**
 * The audit log: what is recorded, its filters, and that a change and its entry are one transaction.
 */
import { codeOf } from '@carton/auth/testing';
import { createTestBox, exactly, type TestTenant } from '@carton/runtime/testing';
import t from 'tap';

const packages = ['core', 'auth', 'tenant', 'audit'].map((name) => `@carton/${name}`);
const box = await createTestBox(t, { packages });

interface Entry {
  id: string;
  resource: string;
  resourceId: string;
  action: string;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  createdAt: string;
}

/** The entries of a page, apart from those of sessions: every caller of staff has logged in. */
async function log(tenant: TestTenant, query = ''): Promise<Entry[]> {
  return (await page(tenant, query)).filter(({ resource }) => resource !== 'staff_session');
}

async function page(tenant: TestTenant, query = ''): Promise<Entry[]> {
  const answer = await tenant.staff.get(`/admin/audit-log?limit=100${query}`);
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return answer.body.items;
}

t.test('an entry of an update has the actor and only the changed values', async (t) => {
  const tenant = await box.openTenant();
  const me = (await tenant.staff.get('/admin/me')).body;
  t.strictSame(await log(tenant), [], 'creating the tenant and accepting the invite have no staff actor');
  await tenant.staff.patch('/admin/store', { name: 'Renamed', guestCheckout: false });
  await tenant.staff.patch('/admin/store', { name: 'Renamed' });
  const entries = await log(tenant);
  t.equal(entries.length, 1, 'an update without a change leaves no entry');
  t.match(entries[0], {
    actorType: 'staff',
    actorId: me.id,
    actorLabel: tenant.email,
    action: 'updated',
    resource: 'store',
    resourceId: tenant.id,
  });
  t.strictSame(entries[0]?.before, { name: tenant.slug, guestCheckout: true });
  t.strictSame(entries[0]?.after, { name: 'Renamed', guestCheckout: false });
});

t.test('entries of created and deleted rows have all values except hashes of secrets', async (t) => {
  const tenant = await box.openTenant();
  const made = await tenant.staff.post('/admin/invites', { email: 'new@shop.example', role: 'viewer' });
  await tenant.staff.delete(`/admin/invites/${made.body.id}`);
  const [deleted, created] = await log(tenant, '&resource=staff_invite');
  const { id, email, role, createdAt, expiresAt } = made.body;
  const { id: inviterId } = (await tenant.staff.get('/admin/me')).body;
  const invite = { id, email, role, inviterType: 'staff', inviterId, createdAt, expiresAt };
  t.strictSame([created?.action, created?.resourceId, created?.before], ['created', id, null]);
  t.strictSame(created?.after, invite);
  t.strictSame([deleted?.action, deleted?.resourceId, deleted?.after], ['deleted', id, null]);
  t.strictSame(deleted?.before, invite);
});

t.test('hashes of passwords and tokens are never recorded', async (t) => {
  const tenant = await box.openTenant();
  const [staff] = await tenant.db.query<{ id: string; passwordHash: string }>(
    'select id, password_hash from staff_users where tenant_id = $1',
  );
  const actor = { type: 'staff', id: staff?.id ?? '', label: tenant.email } as const;
  const db = box.box.database.forTenant(tenant.id, actor);
  await db.update('staff_users', { id: staff?.id }, { name: 'New name', passwordHash: 'another' });
  await db.update('staff_users', { id: staff?.id }, { passwordHash: staff?.passwordHash });
  await db.remove('staff_sessions', { staffUserId: staff?.id });
  const entries = await tenant.db.query('select * from audit_entries where tenant_id = $1');
  t.equal(entries.length, 3, 'the session, the name and the session again; a new password alone is not recorded');
  t.notMatch(JSON.stringify(entries), /hash|scrypt|another/i);
});

t.test('filters and pages', async (t) => {
  const tenant = await box.openTenant();
  const me = (await tenant.staff.get('/admin/me')).body;
  const invite = await tenant.staff.post('/admin/invites', { email: 'one@shop.example', role: 'viewer' });
  await new Promise((resolve) => setTimeout(resolve, 5));
  await tenant.staff.patch('/admin/store', { name: 'First' });
  await new Promise((resolve) => setTimeout(resolve, 5));
  await tenant.staff.patch('/admin/store', { name: 'Second' });
  const [second, first, invited] = (await log(tenant)) as [Entry, Entry, Entry];
  const cases: [query: string, found: Entry[]][] = [
    ['', [second, first, invited]],
    [`&actorId=${me.id}`, [second, first, invited]],
    [`&actorId=${invite.body.id}`, []],
    ['&resource=store', [second, first]],
    ['&resource=product', []],
    [`&resourceId=${invite.body.id}`, [invited]],
    [`&resource=store&resourceId=${invite.body.id}`, []],
    [`&from=${first.createdAt}`, [second, first]],
    [`&to=${first.createdAt}`, [invited]],
    [`&from=${first.createdAt}&to=${second.createdAt}`, [first]],
    ['&from=2026-03-01T12:00:00%2B02:00&to=2026-03-01T12:00:00Z', []],
  ];
  for (const [query, found] of cases) t.strictSame(await log(tenant, query), found, query || 'everything');

  const paged: Entry[] = [];
  let cursor: string | null = null;
  do {
    const next: string = cursor ? `&cursor=${cursor}` : '';
    const { body } = await tenant.staff.get(`/admin/audit-log?limit=2${next}`);
    paged.push(...body.items);
    cursor = body.nextCursor;
  } while (cursor);
  t.strictSame(paged, await page(tenant));

  const refused: [query: string, pointer: string][] = [
    ['actorId=me', '/actorId'],
    ['resourceId=1', '/resourceId'],
    ['resource=Product', '/resource'],
    ['from=yesterday', '/from'],
    ['to=2026-13-01T00:00:00Z', '/to'],
    ['cursor=nonsense', '/cursor'],
    ['action=created', '/action'],
  ];
  for (const [query, pointer] of refused) {
    const answer = await tenant.staff.get(`/admin/audit-log?${query}`);
    t.match(
      answer,
      { status: 400, body: { code: 'invalid_request', errors: exactly([{ in: 'query', pointer }]) } },
      query,
    );
  }
  t.match(await tenant.staff.get('/admin/audit-log?from=0000-01-01T00:00:00Z'), { status: 400 });
});

t.test('a viewer can read the log', async (t) => {
  const tenant = await box.openTenant();
  const invite = await tenant.staff.post('/admin/invites', { email: 'viewer@shop.example', role: 'viewer' });
  const password = 'a long password';
  await tenant.visitor().post('/admin/invites/accept', { token: invite.body.token, name: 'Viewer', password });
  const login = await tenant.visitor().post('/admin/auth/login', { email: 'viewer@shop.example', password });
  const headers = { authorization: `Bearer ${login.body.token}` };
  t.match(await tenant.visitor().get('/admin/audit-log', { headers }), {
    status: 200,
    body: { items: exactly([{ resource: 'staff_session' }, { resource: 'staff_invite' }, {}]) },
  });
});

t.test('a change and its entry are committed or rolled back together', async (t) => {
  const tenant = await box.openTenant();
  const actor = { type: 'staff', id: tenant.id, label: tenant.email } as const;
  const db = box.box.database.forTenant(tenant.id, actor);
  const failing = db.transaction(async (transaction) => {
    await transaction.update('stores', {}, { name: 'Undone' });
    throw new Error('undone');
  });
  await t.rejects(failing, { message: 'undone' });
  t.strictSame(await log(tenant), [], 'a rolled back change leaves no entry');

  const before = (await tenant.staff.get('/admin/store')).body;
  // The constraint rejects the entry, so the change must be rolled back.
  await box.owner.query(
    `alter table audit_entries add constraint refused check (after->>'name' is distinct from 'Unrecorded')`,
  );
  t.match(await tenant.staff.patch('/admin/store', { name: 'Unrecorded' }), { status: 500 });
  t.strictSame((await tenant.staff.get('/admin/store')).body, before);
  t.match(await tenant.staff.patch('/admin/store', { name: 'Recorded' }), { status: 200 });
  t.equal((await log(tenant)).length, 1, 'inserting the entry is not recorded');
});

t.test('concurrent changes leave consistent entries', async (t) => {
  const tenant = await box.openTenant();
  const names = ['One', 'Two', 'Three', 'Four'];
  await Promise.all(names.map((name) => tenant.staff.patch('/admin/store', { name })));
  const entries = (await log(tenant)).map(({ before, after }) => [before?.name, after?.name]);
  t.equal(entries.length, names.length);
  t.strictSame(entries.map(([, after]) => after).sort(), [...names].sort());
  const { name } = (await tenant.staff.get('/admin/store')).body;
  const next = new Map(entries as [string, string][]);
  let last = tenant.slug;
  for (let step = 0; step < names.length; step++) last = next.get(last) ?? '';
  t.equal(last, name, 'each begins with the value that another wrote');
});

t.test('no route changes or deletes an entry', async (t) => {
  const tenant = await box.openTenant();
  await tenant.staff.patch('/admin/store', { name: 'Kept' });
  const [entry] = await log(tenant);
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    t.match(await tenant.staff.call(method, '/admin/audit-log'), { status: 405 });
    t.match(await tenant.staff.call(method, `/admin/audit-log/${entry?.id}`), { status: 404 });
  }
  t.strictSame(await log(tenant), [entry]);
});

t.test('log-ins, log-outs and ended sessions are recorded with their address', async (t) => {
  const tenant = await box.openTenant();
  const { id } = (await tenant.staff.get('/admin/me')).body;
  const { email, password } = tenant;
  const logIn = async () => {
    const headers = { 'user-agent': 'A browser' };
    const answer = await tenant.visitor().call('POST', '/admin/auth/login', { body: { email, password }, headers });
    const authorization = `Bearer ${answer.body.token}`;
    return {
      call: (method: string, path: string) => tenant.visitor().call(method, path, { headers: { authorization } }),
    };
  };
  t.match(await (await logIn()).call('POST', '/admin/auth/logout'), { status: 204 });
  const other = await logIn();
  const sessions = (await tenant.staff.get('/admin/me/sessions')).body.items;
  t.match(await other.call('DELETE', `/admin/me/sessions/${sessions[0].id}`), { status: 204 });
  t.match(await tenant.visitor().post('/admin/auth/login', { email, password: 'wrong password' }), { status: 401 });

  const entries = (await page(tenant, '&resource=staff_session')).reverse().slice(1);
  const byPerson = { actorType: 'staff', actorId: id, actorLabel: email };
  const state = { address: '127.0.0.1', userAgent: 'A browser' };
  t.match(
    entries,
    exactly([
      { ...byPerson, action: 'created', after: state },
      { ...byPerson, action: 'deleted', before: state },
      { ...byPerson, action: 'created', after: state },
      { ...byPerson, action: 'deleted', before: state },
    ]),
  );
  t.strictSame(
    entries.map(({ resourceId }) => resourceId === entries[0]?.resourceId),
    [true, true, false, false],
  );
  const columns = Object.keys(entries[0]?.after ?? {}).sort();
  t.strictSame(columns, ['address', 'createdAt', 'expiresAt', 'id', 'staffUserId', 'userAgent']);
});

t.test('changes of the second factor are recorded without secrets', async (t) => {
  const tenant = await box.openTenant();
  const { id } = (await tenant.staff.get('/admin/me')).body;
  const { secret } = (await tenant.staff.post('/admin/me/second-factor', { password: tenant.password })).body;
  const { recoveryCodes } = (await tenant.staff.post('/admin/me/second-factor/confirm', { code: codeOf(secret, 0) }))
    .body;
  const off = { password: tenant.password, code: recoveryCodes[0] };
  t.equal((await tenant.staff.post('/admin/me/second-factor/disable', off)).status, 204);
  const entries = (await log(tenant)).reverse();
  t.match(
    entries,
    exactly([
      { action: 'created', resource: 'staff_second_factor', resourceId: id, before: null },
      { action: 'updated', resource: 'staff_second_factor', resourceId: id, before: { enabledAt: null } },
      { action: 'deleted', resource: 'staff_second_factor', resourceId: id, after: null },
    ]),
  );
  const columns = entries.map(({ before, after }) => Object.keys(after ?? before ?? {}).sort());
  t.strictSame(columns, [
    ['createdAt', 'enabledAt', 'lastStep', 'staffUserId'],
    ['enabledAt', 'lastStep'],
    ['createdAt', 'enabledAt', 'lastStep', 'staffUserId'],
  ]);
});
