/**
 * The job deletes what has expired and nothing else.
 */
import { createTestBox } from '@carton/runtime/testing';
import t from 'tap';
import { forgetExpired } from '../sweep.ts';
import { hire, packages } from '../testing/index.ts';

const box = await createTestBox(t, { packages, tier: 'basic', idleJobs: true });
const tables = ['staff_sessions', 'staff_invites', 'staff_tokens', 'auth_attempts'];

const counts = async () => {
  const rows = await Promise.all(
    tables.map((table) =>
      box.db.query<{ old: number; all: number }>(
        `select count(*) filter (where expires_at <= now())::integer as old, count(*)::integer as all
           from ${table} where tenant_id = $1`,
      ),
    ),
  );
  return rows.map(([row]) => row);
};

t.test('the job deletes the expired rows of one tenant', async (t) => {
  const other = await box.openTenant();
  const person = await hire(box, 'viewer');
  for (const tenant of [box, other]) {
    await tenant.staff.post('/admin/invites', { email: 'late@shop.example', role: 'viewer' });
    await tenant.staff.post('/admin/invites', { email: 'soon@shop.example', role: 'viewer' });
    await tenant.visitor().post('/admin/auth/password/forgot', { email: tenant.email });
    await tenant.visitor().post('/admin/auth/login', { email: 'nobody@shop.example', password: 'wrong password' });
  }
  await box.visitor().post('/admin/auth/password/forgot', { email: person.email });
  const before = await counts();
  t.strictSame(
    before.map((row) => row?.old),
    [0, 0, 0, 0],
  );
  const expire = "set expires_at = now() - interval '1 second' where tenant_id = $1";
  await box.db.query(`update staff_sessions ${expire} and staff_user_id = $2`, [person.id]);
  await box.db.query(`update staff_tokens ${expire} and email = $2`, [person.email]);
  for (const tenant of [box, other]) {
    await tenant.db.query(`update staff_invites ${expire} and email = 'late@shop.example'`);
    await tenant.db.query(`update auth_attempts ${expire} and kind = 'staff password account'`);
  }
  const expired = (await counts()).map((row) => row?.old);
  t.strictSame(expired, [1, 1, 1, 1]);
  await forgetExpired.run(box.db);
  t.strictSame(
    await counts(),
    before.map((row) => ({ old: 0, all: (row?.all as number) - 1 })),
  );
  t.match(await box.staff.get('/admin/me'), { status: 200 });
  const elsewhere = await other.db.query('select 1 from staff_invites where tenant_id = $1 and expires_at <= now()');
  t.equal(elsewhere.length, 1, 'the rows of another tenant are left to its own run');
});
