/**
 * The job forgets expired sessions, and registrations and links that were not used in time; others stay.
 */
import { createMember } from '@carton/member/testing';
import { json, newId } from '@carton/runtime';
import { createTestBox, type TestTenant } from '@carton/runtime/testing';
import t from 'tap';
import { forgetExpired } from '../sweep.ts';
import { newEmail } from './helpers.ts';

const packages = ['core', 'auth', 'tenant', 'member'].map((name) => `@carton/${name}`);
const box = await createTestBox(t, { packages, tier: 'basic', idleJobs: true });

/** Addresses with a registration or link, and members with a session. */
async function rowsOf({ db }: TestTenant): Promise<[addresses: string[], members: string[]]> {
  const links = await db.query<{ email: string }>('select email from member_tokens where tenant_id = $1 order by id');
  const sessions = await db.query<{ memberId: string }>(
    'select member_id from member_sessions where tenant_id = $1 order by id',
  );
  return [links.map(({ email }) => email), sessions.map(({ memberId }) => memberId)];
}

t.test('expired rows of one tenant are deleted', async (t) => {
  const other = await box.openTenant();
  const [late, timely] = [newEmail(), newEmail()];
  const expire = "set expires_at = now() - interval '1 second' where tenant_id = $1";
  const create = async (tenant: TestTenant) => {
    for (const email of [late, timely]) {
      const registration = { id: newId(), purpose: 'registration', email, profile: json({ name: 'Ada Lovelace' }) };
      await tenant.db.insert('member_tokens', { ...registration, expiresAt: new Date(Date.now() + 86_400_000) });
    }
    const [left, present] = [await createMember(tenant), await createMember(tenant)];
    await tenant.db.query(`update member_tokens ${expire} and email = $2`, [late]);
    await tenant.db.query(`update member_sessions ${expire} and member_id = $2`, [left.id]);
    return { left: left.id, present: present.id };
  };
  const [own, foreign] = [await create(box), await create(other)];
  t.strictSame(await rowsOf(box), [
    [late, timely],
    [own.left, own.present],
  ]);
  await forgetExpired.run(box.db);
  t.strictSame(await rowsOf(box), [[timely], [own.present]]);
  t.strictSame(
    await rowsOf(other),
    [
      [late, timely],
      [foreign.left, foreign.present],
    ],
    'the rows of another tenant are left to its own run',
  );
});
