/**
 * Things: what staff can do with them. The contract suite tests the rules of all routes.
 */
import { createTestBox } from '@carton/runtime/testing';
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
  const events = await box.db.query<{ payload: unknown }>(
    'select payload from event_outbox where tenant_id = $1 and resource_id = $2 order by created_at, id',
    [created.body.id],
  );
  t.strictSame(
    events.map(({ payload }) => payload),
    [
      { title: 'First', deleted: false },
      { title: 'Second', deleted: false },
      { title: 'Second', deleted: true },
    ],
  );
});
