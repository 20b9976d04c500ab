/**
 * Sessions listed and ended by their owner.
 */
import { newId } from '@carton/runtime';
import { callerOf, createTestBox } from '@carton/runtime/testing';
import t from 'tap';
import { hire, packages, password, signIn } from '../testing/index.ts';

// Hashing a password is slow on purpose.
t.setTimeout(600_000);

const box = await createTestBox(t, { packages, tier: 'basic' });
const viewer = await hire(box, 'viewer');
const other = await hire(box, 'owner');
const second = await signIn(box, box, { email: viewer.email, password });

const listed = async (caller: { get: typeof viewer.get }) =>
  (await caller.get('/admin/me/sessions')).body.items as { id: string; current: boolean }[];

t.test('a person lists the own sessions, newest first', async (t) => {
  const sessions = await listed(viewer);
  t.strictSame(
    sessions.map(({ current }) => current),
    [false, true],
  );
  t.strictSame(Object.keys(sessions[0] ?? {}).sort(), [
    'address',
    'createdAt',
    'current',
    'expiresAt',
    'id',
    'userAgent',
  ]);
  t.strictSame((await listed(other)).length, 1, 'not those of others, not even for owners');
  await box.db.query('update staff_sessions set expires_at = now() where tenant_id = $1 and id = $2', [
    (await listed(other))[0]?.id,
  ]);
  t.equal((await other.get('/admin/me/sessions')).status, 401);
  const page = await viewer.get('/admin/me/sessions?limit=1');
  t.equal((await viewer.get(`/admin/me/sessions?cursor=${page.body.nextCursor}`)).body.items[0].id, sessions[1]?.id);
});

t.test('a person ends the own sessions only', async (t) => {
  const colleague = await hire(box, 'owner');
  const [newest, oldest] = await listed(viewer);
  const path = (id: string | undefined) => `/admin/me/sessions/${id}`;
  t.match(await colleague.delete(path(newest?.id)), { status: 404, body: { code: 'not_found' } });
  t.equal((await viewer.delete(path(newId()))).status, 404);
  t.equal((await second.get('/admin/me')).status, 200);
  t.equal((await viewer.delete(path(newest?.id))).status, 204);
  t.equal((await second.get('/admin/me')).status, 401, 'it ended immediately');
  t.equal((await viewer.delete(path(newest?.id))).status, 404);
  t.equal((await viewer.delete(path(oldest?.id))).status, 204, 'also the session of the request');
  t.equal((await viewer.get('/admin/me')).status, 401);
});

t.test('ending the session of the request deletes its cookie', async (t) => {
  const { headers } = await box.visitor().post('/admin/auth/login', { email: viewer.email, password, cookie: true });
  const cookie = headers.get('set-cookie')?.split(';')[0] as string;
  const browser = callerOf(box.url, { ...box.visitor().headers, cookie });
  const current = (await listed(browser)).find((session) => session.current);
  const ended = await browser.delete(`/admin/me/sessions/${current?.id}`);
  t.match(ended.headers.get('set-cookie'), /^carton_staff=;/);
});
