/**
 * Functions for other packages: finding and locking regions.
 */
import { createTestBox, exactly, extendBox, untilWaiting } from '@carton/runtime/testing';
import pg from 'pg';
import t from 'tap';
import { findRegion, findRegionOfCountry, holdRegion, regionLocks } from '../index.ts';

const packages = ['core', 'auth', 'tenant', 'region'].map((name) => `@carton/${name}`);
const box = await createTestBox(t, { packages, tier: 'basic' });
const created = await box.staff.post('/admin/regions', { name: 'Europe', currency: 'EUR', countries: ['DE', 'AT'] });
const region = created.body;

t.test('regions of a tenant are found by id and by country', async (t) => {
  t.match(await findRegion(box.db, region.id), { name: 'Europe', currency: 'EUR', countries: exactly(['AT', 'DE']) });
  t.equal((await findRegionOfCountry(box.db, 'AT'))?.id, region.id);
  t.equal(await findRegionOfCountry(box.db, 'FR'), null);

  const other = await box.openTenant();
  t.equal(await findRegion(other.db, region.id), null);
  t.equal(await findRegionOfCountry(other.db, 'AT'), null);
  t.equal(await holdRegion(other.db, region.id), null);
});

t.test('a locked region cannot change until the transaction ends', async (t) => {
  let changing: Promise<unknown> = Promise.resolve();
  await box.db.transaction(async (db) => {
    t.match(await holdRegion(db, region.id), { currency: 'EUR' });
    changing = box.staff.patch(`/admin/regions/${region.id}`, { currency: 'USD' });
    await untilWaiting(box);
    t.match(await findRegion(box.db, region.id), { currency: 'EUR' });
  });
  t.match(await changing, { status: 200, body: { currency: 'USD' } });
});

t.test('a region with prices cannot change its currency, but everything else', async (t) => {
  extendBox(t, box, [regionLocks.with(async (_, id) => id === region.id)]);
  const path = `/admin/regions/${region.id}`;
  const { currency } = (await box.staff.get(path)).body;
  t.match(await box.staff.patch(path, { currency: 'GBP' }), { status: 409, body: { code: 'region_priced' } });
  t.match(await box.staff.patch(path, { currency, name: 'Same' }), { status: 200, body: { currency, name: 'Same' } });
  const free = (await box.staff.post('/admin/regions', { name: 'Free', currency: 'EUR' })).body;
  t.match(await box.staff.patch(`/admin/regions/${free.id}`, { currency: 'GBP' }), { status: 200 });
});

t.test('a region that is referred to cannot be deleted', async (t) => {
  const createTable = `create table region_users (
    tenant_id uuid, region_id uuid, primary key (tenant_id, region_id),
    foreign key (tenant_id, region_id) references regions (tenant_id, id))`;
  const owner = new pg.Client({ connectionString: box.databaseUrl });
  await owner.connect();
  t.teardown(() => owner.end());
  await owner.query(createTable);
  await owner.query('insert into region_users values ($1, $2)', [box.id, region.id]);
  const path = `/admin/regions/${region.id}`;
  t.match(await box.staff.delete(path), { status: 409, body: { code: 'region_in_use' } });
  t.strictSame((await box.staff.get(path)).body.countries, ['AT', 'DE'], 'it still has its countries');
});
