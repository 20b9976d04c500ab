/**
 * An invite is worth what its inviter may grant when it is accepted: it does not bring back whom an owner has demoted, and a
 * key does not outlast its own end by one.
 */
import { hire } from '@carton/auth/testing';
import { createTestBox } from '@carton/runtime/testing';
import t from 'tap';
import { createKey, packages } from './keys.ts';

const box = await createTestBox(t, { packages, tier: 'enterprise' });
let invited = 0;

async function inviteBy(inviter: Pick<typeof box.staff, 'post'>, role: string) {
  invited += 1;
  const { status, body } = await inviter.post('/admin/invites', { email: `invited-${invited}@shop.example`, role });
  t.equal(status, 201);
  return body as { id: string; token: string };
}
const accept = ({ token }: { token: string }) =>
  box.visitor().post('/admin/invites/accept', { token, name: 'Eve', password: 'correct horse battery' });
const isListed = async ({ id }: { id: string }) => {
  const { items } = (await box.staff.get('/admin/invites?limit=100')).body;
  return items.some((each: { id: string }) => each.id === id);
};
const unknown = { status: 404, body: { code: 'invite_unknown' } };

const endings: [string, (id: string) => Promise<{ status: number }>][] = [
  ['demoted', (id) => box.staff.patch(`/admin/users/${id}`, { role: 'manager' })],
  ['disabled', (id) => box.staff.patch(`/admin/users/${id}`, { status: 'disabled' })],
  ['disabled, keys kept', (id) => box.staff.patch(`/admin/users/${id}`, { status: 'disabled', keepApiKeys: true })],
  ['removed', (id) => box.staff.delete(`/admin/users/${id}`)],
];
for (const [how, end] of endings)
  t.test(`invites of an owner who is ${how} are withdrawn`, async (t) => {
    const owner = await hire(box, 'owner');
    const own = await inviteBy(owner, 'owner');
    const weaker = await inviteBy(owner, 'viewer');
    const others = await inviteBy(box.staff, 'viewer');
    t.equal((await end(owner.id)).status, 200);
    t.match(await accept(own), unknown);
    t.notOk(await isListed(own));
    // A manager may not invite, but has all that a viewer is granted.
    t.equal((await accept(weaker)).status, how === 'demoted' ? 201 : 404);
    t.equal((await accept(others)).status, 201);
  });

t.test('invites end with the key that has sent them', async (t) => {
  const owner = await hire(box, 'owner');
  const key = await createKey(box, ['*'], { creator: owner });
  const [first, second, third] = [
    await inviteBy(key, 'owner'),
    await inviteBy(key, 'manager'),
    await inviteBy(key, 'viewer'),
  ];
  await box.staff.patch(`/admin/users/${owner.id}`, { role: 'manager' });
  t.match(await accept(first), unknown, 'its person may not invite owners');
  t.equal((await accept(second)).status, 201);
  t.equal((await box.staff.post(`/admin/api-keys/${key.id}/revoke`)).status, 200);
  t.match(await accept(third), unknown);
  t.notOk(await isListed(third));
  const brief = await createKey(box, ['*']);
  const late = await inviteBy(brief, 'owner');
  await box.db.query("update api_keys set expires_at = now() - interval '1 second' where tenant_id = $1 and id = $2", [
    brief.id,
  ]);
  t.match(await accept(late), unknown, 'expired');
});

t.test('an invite of an earlier release, and one of the operator, stay valid', async (t) => {
  const before = await inviteBy(box.staff, 'owner');
  await box.db.query(
    'update staff_invites set inviter_type = null, inviter_id = null where tenant_id = $1 and id = $2',
    [before.id],
  );
  t.equal((await accept(before)).status, 201);
});
