/**
 * The currencies of regions are among those of the store.
 */
import { openDatabase } from '@carton/runtime/service';
import { createTestBox } from '@carton/runtime/testing';
import t from 'tap';

const packages = ['core', 'auth', 'tenant', 'region'].map((name) => `@carton/${name}`);
const box = await createTestBox(t, { packages, tier: 'basic' });
const { staff } = box;
const currencies = async () => (await staff.get('/admin/store')).body.currencies;
const set = (list: string[]) => staff.patch('/admin/store', { currencies: list });

t.test('a region adds its currency, which then stays', async (t) => {
  const { id } = (await staff.post('/admin/regions', { name: 'Nordics', currency: 'SEK' })).body;
  t.strictSame(await currencies(), ['EUR', 'SEK']);
  t.match(await staff.patch(`/admin/regions/${id}`, { currency: 'NOK' }), { status: 200 });
  t.strictSame(await currencies(), ['EUR', 'SEK', 'NOK']);
  t.match(await set(['EUR', 'SEK']), {
    status: 409,
    body: { code: 'currency_in_use', detail: 'There are regions in NOK.' },
  });
  t.strictSame(await currencies(), ['EUR', 'SEK', 'NOK']);
  t.equal((await set(['NOK'])).status, 200);
  t.strictSame(await currencies(), ['EUR', 'NOK']);
  t.match(await staff.delete(`/admin/regions/${id}`), { status: 204 });
  t.equal((await set([])).status, 200);
  t.strictSame(await currencies(), ['EUR']);
});

t.test('concurrent changes keep the currency of each region', async (t) => {
  for (let round = 0; round < 5; round++) {
    const answers = await Promise.all([
      staff.post('/admin/regions', { name: 'A', currency: 'CHF' }),
      staff.post('/admin/regions', { name: 'B', currency: 'GBP' }),
      set(['EUR', 'USD']),
    ]);
    t.ok(answers.every(({ status }) => [200, 201, 409].includes(status)));
    for (const currency of ['CHF', 'GBP']) t.ok((await currencies()).includes(currency));
    for (const { id } of (await staff.get('/admin/regions')).body.items) await staff.delete(`/admin/regions/${id}`);
    await set([]);
  }
});

t.test('the currencies of regions of an earlier release are added', async (t) => {
  await staff.post('/admin/regions', { name: 'Isles', currency: 'GBP' });
  await box.owner.query("update stores set currencies = '{EUR}' where tenant_id = $1", [box.id]);
  const migration = new URL('../migrations/20261123082600_region_list_currencies.js', import.meta.url).href;
  const { knex, close } = openDatabase({ url: box.databaseUrl });
  t.teardown(close);
  await (await import(migration)).up(knex);
  t.strictSame(await currencies(), ['EUR', 'GBP']);
});
