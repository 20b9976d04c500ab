/**
 * Things: what staff can do with them. The contract suite tests the rules of all routes.
 */
import { createTestBox, payloadsOf } from '@carton/runtime/testing';
import t from 'tap';

const packages = ['core', 'auth', 'tenant', 'thing'].map((name) => `@carton/${name}`);
const box = await createTestBox(t, { packages, tier: 'basic' });

t.test('each creation, change and deletion publishes an event', async (t) => {
  const created = await box.staff.post('/admin/things', { title: 'First' });
  t.match(created, { status: 201, body: { title: 'First', externalId: null } });
  const path = `/admin/things/${created.body.id}`;
  t.match(await box.staff.patch(path, { title: 'Second' }), { status: 200, body: { title: 'Second' } });
  t.match(await box.staff.delete(path), { status: 204 });
  t.match(await box.staff.get(path), { status: 404 });
  t.strictSame(await payloadsOf(box, created.body.id), [
    { title: 'First', deleted: false },
    { title: 'Second', deleted: false },
    { title: 'Second', deleted: true },
  ]);
});
