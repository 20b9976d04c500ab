/**
 * Rates of postal codes hold for the codes that match, in whatever form an earlier release has stored them.
 */
import { bodyOf, createTestBox, exactly } from '@carton/runtime/testing';
import t from 'tap';
import { createRate, type NewRate, openStoreWith, taxedAt } from './helpers.ts';

const box = await createTestBox(t);
const storeWith = (...rates: NewRate[]) => openStoreWith(box, rates);

t.test('rates of postal codes', async (t) => {
  const at = await storeWith(
    { code: 'vat', country: 'GB', rate: 20 },
    { code: 'ni', country: 'GB', postalCode: 'bt *', rate: 10, override: true },
    { code: 'city', country: 'GB', postalCode: 'BT1 *', rate: 5 },
    { code: 'orkney', country: 'GB', postalCode: 'KW15*', rate: 2 },
    { code: 'kirkwall', country: 'GB', postalCode: 'KW151*', rate: 3 },
    { code: 'vat', country: 'US', rate: 1 },
    { code: 'state', country: 'US', province: 'CA', rate: 7 },
    { code: 'county', country: 'US', postalCode: '90000-90099', rate: 2 },
    { code: 'zip', country: 'US', postalCode: '90001', rate: 3 },
    { code: 'east', country: 'DE', postalCode: '10000-19999', rate: 4 },
    { code: 'islands', country: 'PT', postalCode: '9000-9999', rate: 6 },
  );
  const cases: [country: string, province: string | null, postalCode: string | undefined, taxes: string[]][] = [
    ['GB', null, 'SW1A 1AA', ['vat 20 % 200']],
    ['GB', null, undefined, ['vat 20 % 200']],
    ['GB', null, 'BT9 5AB', ['ni 10 % 100']],
    ['GB', null, 'bt95ab', ['ni 10 % 100']],
    ['GB', null, 'BT1 5AB', ['city 5 % 50']],
    ['GB', null, 'BT10 5AB', ['ni 10 % 100']],
    ['GB', null, 'KW15 2AA', ['vat 20 % 200', 'orkney 2 % 20']],
    ['GB', null, 'kw151aa', ['vat 20 % 200', 'kirkwall 3 % 30']],
    ['GB', null, 'KW1 5EA', ['vat 20 % 200']],
    ['GB', null, 'B1 1AA', ['vat 20 % 200']],
    ['US', 'CA', '90002-1234', ['vat 1 % 10', 'state 7 % 70', 'county 2 % 20']],
    ['US', 'CA', '90001', ['vat 1 % 10', 'state 7 % 70', 'zip 3 % 30']],
    ['US', 'NY', '10001', ['vat 1 % 10']],
    ['IE', null, 'BT1', []],
    ['DE', null, '15000', ['east 4 % 40']],
    ['DE', null, 'D-15000', ['east 4 % 40']],
    ['PT', null, '9999-999', ['islands 6 % 60']],
    ['PT', null, '8999-999', []],
    // Between the bounds as a text, and not as a code.
    ['DE', null, '1500', []],
  ];
  for (const [country, province, postalCode, taxes] of cases) {
    const found = await taxedAt(at, country, province, postalCode);
    t.strictSame(found.toSorted(), taxes.toSorted(), `${country} ${province} ${postalCode}`);
  }
});

t.test('British patterns that an earlier release has stored without a space', async (t) => {
  const at = await storeWith({ code: 'one', country: 'GB', postalCode: 'KW15 1AA', rate: 1 });
  const { staff, db } = at.store;
  await db.query("update tax_rates set province = replace(province, 'KW15 1AA', 'KW151AA') where tenant_id = $1");
  t.strictSame(await taxedAt(at, 'GB', null, 'KW15 1AA'), ['one 1 % 10']);
  for (const query of ['postalCode=KW15 1AA', 'country=GB&postalCode=kw151aa', 'country=DE&postalCode=10000-19999']) {
    const { items } = await bodyOf(staff.get(`/admin/tax-rates?${query}`));
    t.equal(items.length, query.includes('DE') ? 0 : 1, query);
  }
  const again = { code: 'one', name: 'N', country: 'GB', postalCode: 'kw15 1aa', rate: 1 };
  t.match(await staff.post('/admin/tax-rates', again), { status: 409, body: { code: 'tax_rate_taken' } });
  await bodyOf(staff.post('/admin/tax-rates', { ...again, code: 'two' }));
  t.strictSame((await taxedAt(at, 'GB', null, 'KW15 1AA'))?.toSorted(), ['one 1 % 10', 'two 1 % 10'], 'of one place');
});

t.test('the postal code of a rate is stored in one form, and follows changes', async (t) => {
  const at = await storeWith({ code: 'vat', country: 'GB', rate: 20 });
  const { staff } = at.store;
  const id = await createRate(at.store, { code: 'ni', country: 'GB', postalCode: ' bt *', rate: 10, override: true });
  t.match(await bodyOf(staff.get(`/admin/tax-rates/${id}`)), { province: null, postalCode: 'BT*' });
  t.match((await bodyOf(staff.get('/admin/tax-rates?postalCode=bt*'))).items, exactly([{ id }]));
  t.match((await bodyOf(staff.get('/admin/tax-rates?country=GB&postalCode=bt*'))).items, exactly([{ id }]));
  t.match(await staff.post('/admin/tax-rates', { code: 'ni', name: 'N', country: 'GB', postalCode: 'BT*', rate: 1 }), {
    status: 409,
    body: { code: 'tax_rate_taken' },
  });
  await bodyOf(staff.patch(`/admin/tax-rates/${id}`, { rate: 11 }));
  t.strictSame(await taxedAt(at, 'GB', null, 'BT9 5AB'), ['ni 11 % 110']);
  await bodyOf(staff.patch(`/admin/tax-rates/${id}`, { postalCode: 'SW*' }));
  t.strictSame(await taxedAt(at, 'GB', null, 'BT9 5AB'), ['vat 20 % 200']);
  t.strictSame(await taxedAt(at, 'GB', null, 'SW1A 1AA'), ['ni 11 % 110']);
  t.match(await bodyOf(staff.patch(`/admin/tax-rates/${id}`, { postalCode: null, province: 'NIR' })), {
    province: 'NIR',
    postalCode: null,
  });
  t.strictSame(await taxedAt(at, 'GB', null, 'SW1A 1AA'), ['vat 20 % 200']);
  t.strictSame(await taxedAt(at, 'GB', 'Belfast'), ['ni 11 % 110']);
  const rejected: [patch: object, pointer: string][] = [
    [{ postalCode: 'BT*' }, '/postalCode'],
    [{ postalCode: 'B*T', province: null }, '/postalCode'],
    [{ postalCode: 'BT1-BT9', province: null }, '/postalCode'],
    [{ province: null }, '/override'],
  ];
  for (const [patch, pointer] of rejected) {
    t.match(await staff.patch(`/admin/tax-rates/${id}`, patch), {
      status: 400,
      body: { errors: exactly([{ pointer }]) },
    });
  }
  t.match(await staff.delete(`/admin/tax-rates/${id}`), { status: 204 });
});

t.test('a rate of postal codes that an earlier release has changed stays one', async (t) => {
  const at = await storeWith(
    { code: 'vat', country: 'GB', rate: 20 },
    { code: 'ni', country: 'GB', postalCode: 'BT*', rate: 10, override: true },
  );
  const { staff, db } = at.store;
  // That release takes the column for the name of a province, and writes it in capitals.
  await db.query('update tax_rates set province = upper(province), rate = 11 where tenant_id = $1 and code = $2', [
    'ni',
  ]);
  const { items } = await bodyOf(staff.get('/admin/tax-rates?country=GB'));
  t.match(
    items,
    exactly([
      { code: 'ni', province: null, postalCode: 'BT*' },
      { code: 'vat', postalCode: null },
    ]),
  );
  await createRate(at.store, { code: 'other', country: 'DE', rate: 1 });
  t.strictSame(await taxedAt(at, 'GB', null, 'BT9 5AB'), ['ni 11 % 110']);
  t.strictSame(
    await taxedAt(at, 'GB', 'Nowhere', 'SW1A 1AA'),
    ['vat 20 % 200'],
    'the country has no rate of a province',
  );
  t.strictSame(await taxedAt(at, 'GB', 'Postal code BT*', 'SW1A 1AA'), ['vat 20 % 200'], 'it is no province');
  const again = { code: 'ni', name: 'N', country: 'GB', postalCode: 'bt*', rate: 1 };
  t.match(await staff.post('/admin/tax-rates', again), { status: 409, body: { code: 'tax_rate_taken' } });
  await bodyOf(staff.patch(`/admin/tax-rates/${items[0].id}`, { rate: 12 }));
  t.strictSame(await taxedAt(at, 'GB', null, 'BT9 5AB'), ['ni 12 % 120']);
  const [row] = await db.query("select province from tax_rates where tenant_id = $1 and code = 'ni'");
  t.strictSame(row, { province: 'postal code BT*' });
});

t.test('a province is one, also if its name begins as the mark of postal codes', async (t) => {
  const at = await storeWith(
    { code: 'vat', country: 'GB', rate: 20 },
    { code: 'local', country: 'GB', province: 'Kent', rate: 3 },
    { code: 'local', country: 'GB', postalCode: 'BT*', rate: 10 },
  );
  const { staff, db } = at.store;
  // As earlier releases have stored what they did not know.
  await db.query("update tax_rates set province = 'POSTAL CODE BT*' where tenant_id = $1 and rate = 3");
  const { items } = await bodyOf(staff.get('/admin/tax-rates?country=GB'));
  t.match(
    items,
    exactly([
      { code: 'local', province: null, postalCode: 'BT*' },
      { code: 'local', province: 'POSTAL CODE BT*', postalCode: null },
      { code: 'vat', province: null, postalCode: null },
    ]),
  );
  t.strictSame(await taxedAt(at, 'GB', 'postal code bt*', 'SW1A 1AA'), ['vat 20 % 200', 'local 3 % 30']);
  t.strictSame(await taxedAt(at, 'GB', 'Postal code BT*', 'BT9 5AB'), [
    'vat 20 % 200',
    'local 3 % 30',
    'local 10 % 100',
  ]);
  t.strictSame(await taxedAt(at, 'GB', null, 'BT9 5AB'), ['vat 20 % 200', 'local 10 % 100']);
  t.match(await bodyOf(staff.patch(`/admin/tax-rates/${items[1].id}`, { rate: 4 })), {
    province: 'POSTAL CODE BT*',
    postalCode: null,
  });
  const found = await bodyOf(staff.get('/admin/tax-rates?country=GB&province=Postal%20code%20BT*'));
  t.match(found.items, exactly([{ id: items[1].id }]));
  t.match(await bodyOf(staff.get('/admin/tax-rates?country=GB&postalCode=BT*')), {
    items: exactly([{ id: items[0].id }]),
  });
  t.match(await staff.delete(`/admin/tax-rates/${items[0].id}`), { status: 204 });
  t.match(await bodyOf(staff.get(`/admin/tax-rates/${items[1].id}`)), { province: 'POSTAL CODE BT*' });
});
