/**
 * A complete box: health, resolution of the tenant, authentication, store settings, and a stop that drops no request.
 */
import pg from 'pg';
import t from 'tap';
import { createTestBox } from '../testing/box.ts';
import { callerOf } from '../testing/client.ts';
import { payloadsOf } from '../testing/events.ts';
import { exactly } from '../testing/exactly.ts';
import { untilWaiting } from '../testing/waiting.ts';
import { vendor } from '../vendor.ts';

const packages = ['core', 'auth', 'tenant'].map((name) => `@carton/${name}`);

t.test('health is ok, and not_ready when migrations are pending', async (t) => {
  const box = await createTestBox(t, { packages });
  const anyone = callerOf(box.url);
  t.strictSame((await anyone.get('/health')).body, {
    status: 'ok',
    version: vendor.version,
    tier: 'enterprise',
    checks: { database: 'ok', migrations: 'ok' },
  });
  await box.owner.query("delete from applied_migrations where file like '%tenant_domains%'");
  const pending = await anyone.get('/health');
  t.match(pending, { status: 503, body: { code: 'not_ready', detail: /tenant_create_tenant_domains/ } });
  t.match(await anyone.get('/health?probe=live'), { status: 200, body: { checks: { database: 'not_asked' } } });
  t.match(await anyone.get('/health?probe=other'), { status: 400 });
});

t.test('a box with one tenant serves it on any host; with two, the host decides', async (t) => {
  const box = await createTestBox(t, { packages });
  t.match(await callerOf(box.url).get('/store'), { status: 200, body: { name: box.slug } });
  await box.openTenant();
  const later = callerOf(box.url);
  // The only tenant is cached for a few seconds; creating another one invalidates the cache immediately.
  t.match(await later.get('/store'), { status: 404, body: { code: 'tenant_not_found' } });
});

t.test("one tenant's staff have no access to another", async (t) => {
  const box = await createTestBox(t, { packages });
  const other = await box.openTenant();
  const { authorization } = box.staff.headers as { authorization: string };
  t.match(await other.visitor().get('/admin/me', { headers: { authorization } }), { status: 401 });
  t.match(await box.staff.get('/admin/me'), { status: 200, body: { email: box.email, role: 'owner' } });
  const capabilities = await box.staff.get('/admin/capabilities');
  t.strictSame(capabilities.body.packages.map(({ name }: { name: string }) => name).sort(), [...packages].sort());
});

t.test('settings of the store', async (t) => {
  const box = await createTestBox(t, { packages });
  const changed = await box.staff.patch('/admin/store', { name: 'Renamed', orderNumberFormat: 'A-{number}' });
  t.match(changed, { status: 200, body: { name: 'Renamed', orderNumberFormat: 'A-{number}' } });
  t.match(await box.visitor().get('/store'), { body: { name: 'Renamed' } });
  t.match(await payloadsOf(box, { type: 'store.updated' }), exactly([{ defaultCurrency: 'EUR' }]));
  const refused: [body: object, pointer: string][] = [
    [{ defaultCurrency: 'EEE' }, '/defaultCurrency'],
    [{ orderNumberFormat: 'no number' }, '/orderNumberFormat'],
    [{ logoUrl: 'javascript:alert(1)' }, '/logoUrl'],
    [{}, ''],
  ];
  for (const [body, pointer] of refused) {
    t.match(
      await box.staff.patch('/admin/store', body),
      { status: 400, body: { errors: exactly([{ pointer }]) } },
      pointer,
    );
  }
});

t.test('requests in progress are completed before the box stops', async (t) => {
  const box = await createTestBox(t, { packages });
  // Blocked in the database, so that they are in progress when the box is stopped.
  const holder = new pg.Client({ connectionString: box.databaseUrl });
  await holder.connect();
  await holder.query('begin; lock table staff_sessions in exclusive mode');
  await box.owner.query('select 1'); // connected before the processor is busy with passwords
  const calls = Array.from({ length: 5 }, () =>
    box.visitor().post('/admin/auth/login', { email: box.email, password: box.password }),
  );
  await untilWaiting(box, calls.length);
  const stopped = box.box.stop();
  await holder.end();
  await stopped;
  for (const { status } of await Promise.all(calls)) t.equal(status, 200);
  await t.rejects(callerOf(box.url).get('/health'), 'no new request is accepted');
});
