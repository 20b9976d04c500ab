/**
 * Deleting a tenant: it is suspended immediately, can be reinstated for a time, and is removed afterwards.
 */
import { createTestBox, eventsOf, exactly, type TestTenant, until } from '@carton/runtime/testing';
import t from 'tap';
import { removeDeleted } from '../removal.ts';

const packages = ['core', 'auth', 'tenant'].map((name) => `@carton/${name}`);
const box = await createTestBox(t, { packages, tier: 'basic', environment: { TENANT_DELETION_DAYS: '7' } });
const day = 86_400_000;

const pathOf = ({ id }: TestTenant) => `/admin/tenants/${id}`;
const storeOf = (tenant: TestTenant) => tenant.visitor().get('/store');
const expire = ({ id }: TestTenant) =>
  box.owner.query("update tenants set deletion_at = now() - interval '1 second' where id = $1", [id]);
const untilRemoved = (tenant: TestTenant) =>
  until(
    () => box.operator.get(pathOf(tenant)),
    ({ status }) => status === 404,
  );

t.test('a deleted tenant is suspended immediately, and says when its data is removed', async (t) => {
  const tenant = await box.openTenant();
  t.match(await box.operator.get(pathOf(tenant)), { body: { deletedAt: null, deletionAt: null } });
  const deleted = await box.operator.delete(pathOf(tenant));
  t.match(deleted, { status: 200, body: { id: tenant.id, status: 'suspended' } });
  const { deletedAt, deletionAt } = deleted.body;
  t.equal(Date.parse(deletionAt) - Date.parse(deletedAt), 7 * day);
  t.ok(Math.abs(Date.parse(deletedAt) - Date.now()) < day);
  t.match(await storeOf(tenant), { status: 403, body: { code: 'tenant_suspended' } });
  t.match(await tenant.staff.get('/admin/store'), { status: 403, body: { code: 'tenant_suspended' } });
  t.strictSame((await box.operator.delete(pathOf(tenant))).body.deletionAt, deletionAt, 'the first deletion counts');
  const { slug } = tenant;
  t.match(
    await eventsOf(tenant, { type: /^tenant\./ }),
    exactly([
      { type: 'tenant.created' },
      { type: 'tenant.suspended', payload: { slug } },
      { type: 'tenant.deleted', payload: { slug, deletionAt } },
    ]),
  );
  await removeDeleted.run(tenant.db);
  t.equal((await box.operator.get(pathOf(tenant))).status, 200, 'it is not removed early');
});

t.test('the operator takes a deletion back until the removal begins', async (t) => {
  const tenant = await box.openTenant();
  await box.operator.delete(pathOf(tenant));
  t.match(await box.operator.patch(pathOf(tenant), { name: 'Renamed' }), { body: { status: 'suspended' } });
  const reinstated = await box.operator.patch(pathOf(tenant), { status: 'active' });
  t.match(reinstated, { status: 200, body: { status: 'active', deletedAt: null, deletionAt: null } });
  t.equal((await storeOf(tenant)).status, 200);
  await removeDeleted.run(tenant.db);
  t.equal((await storeOf(tenant)).status, 200);
  await box.operator.delete(pathOf(tenant));
  await box.owner.query('update tenants set removal_started_at = now() where id = $1', [tenant.id]);
  t.match(await box.operator.patch(pathOf(tenant), { status: 'active' }), {
    status: 409,
    body: { code: 'tenant_removal_started' },
  });
  t.match(await box.operator.get(pathOf(tenant)), { body: { status: 'suspended' } });
});

t.test('only the operator deletes tenants', async (t) => {
  t.match(await box.staff.delete(pathOf(box)), { status: 403, body: { code: 'forbidden' } });
  const other = await box.openTenant();
  t.match(await box.staff.delete(pathOf(other)), { status: 404 });
  t.match(await box.visitor().delete(pathOf(box)), { status: 401 });
  t.match(await box.operator.delete('/admin/tenants/0198f5a2-7c1e-7b5a-9f51-3f6a52a1c001'), { status: 404 });
  t.equal((await storeOf(box)).status, 200);
});

t.test('after the removal, the slug and the hosts are free again', async (t) => {
  const tenant = await box.openTenant('leaving');
  const host = { host: 'leaving.example' };
  t.equal((await box.operator.post(`${pathOf(tenant)}/domains`, host)).status, 201);
  await box.operator.delete(pathOf(tenant));
  const create = { slug: 'leaving', name: 'Leaving', staffEmail: 'new@leaving.example' };
  t.match(await box.operator.post('/admin/tenants', create), { status: 409 });
  await expire(tenant);
  await Promise.all([removeDeleted.run(tenant.db), removeDeleted.run(tenant.db).catch(() => {})]);
  await untilRemoved(tenant);
  t.match(await box.operator.get(pathOf(box)), { status: 200 });
  const created = await box.operator.post('/admin/tenants', create);
  t.equal(created.status, 201);
  t.equal((await box.operator.post(`/admin/tenants/${created.body.id}/domains`, host)).status, 201);
});

t.test('the worker removes what is due', async (t) => {
  const tenant = await box.openTenant();
  await box.operator.delete(pathOf(tenant));
  await expire(tenant);
  await box.owner.query('update background_tasks set due_at = now() where tenant_id = $1', [tenant.id]);
  await untilRemoved(tenant);
  t.equal((await storeOf(tenant)).status, 404);
});
