/**
 * Rates of provinces hold for those that they contain, rates of postal codes for the codes that match, and a province that
 * is not known is an issue where a rate depends on it.
 */
import { shopperWith } from '@carton/cart/testing';
import { bodyOf, createTestBox, exactly } from '@carton/runtime/testing';
import t from 'tap';
import { addressIn, createArticle, createRate, shipTo, taxesOfCart } from './helpers.ts';

const box = await createTestBox(t);
const email = 'ada@example.com';

async function storeWith(...rates: Record<string, unknown>[]) {
  const store = await box.openTenant();
  for (const rate of rates) await createRate(store, rate);
  const article = await createArticle(store, 1000);
  return { store, shopper: () => shopperWith(store, [article, 1]) };
}

type Store = Awaited<ReturnType<typeof storeWith>>;

async function taxedAt(
  { shopper }: Pick<Store, 'shopper'>,
  country: string,
  province: string | null,
  postalCode?: string,
) {
  const buyer = await shopper();
  const cart = await bodyOf(buyer.put('/cart/shipping-address', { ...addressIn(country, province), postalCode }));
  const placed = await buyer.post('/checkout', { customer: { email } });
  if (placed.status === 201) t.equal(placed.body.totals.total.amount, cart.totals.total.amount, 'cart and order agree');
  return taxesOfCart(cart)[0];
}

const canaries = [
  { code: 'iva', country: 'ES', rate: 21 },
  { code: 'igic', country: 'ES', province: 'Islas Canarias', rate: 7, override: true },
];

t.test('a rate of a province holds for those that it contains', async (t) => {
  const spain = await storeWith(...canaries);
  for (const province of [
    'GC',
    'TF',
    'CN',
    'Las Palmas',
    'Santa Cruz de Tenerife',
    'Canarias',
    'canary islands',
    'es-gc',
  ]) {
    t.strictSame(await taxedAt(spain, 'ES', province), ['igic 7 % 70'], province);
  }
  for (const province of ['M', 'Madrid', 'Illes Balears', 'CE']) {
    t.strictSame(await taxedAt(spain, 'ES', province), ['iva 21 % 210'], String(province));
  }
  const world = await storeWith(
    { code: 'jp', country: 'JP', province: '40', rate: 1 },
    { code: 'by', country: 'DE', province: 'BY', rate: 2 },
    { code: 'nir', country: 'GB', province: 'Northern Ireland', rate: 3 },
    { code: 'sct', country: 'GB', province: 'SCT', rate: 4 },
    { code: 'ara', country: 'FR', province: 'Auvergne-Rhône-Alpes', rate: 5 },
    { code: 'lom', country: 'IT', province: 'Lombardy', rate: 6 },
    { code: 'vlg', country: 'BE', province: 'Flanders', rate: 7 },
    { code: 'vis', country: 'PH', province: 'Central Visayas', rate: 8 },
  );
  const cases: [country: string, province: string, taxes: string[]][] = [
    ['JP', 'Fukuoka', ['jp 1 % 10']],
    ['JP', '福岡県', ['jp 1 % 10']],
    ['JP', 'Osaka', []],
    ['DE', 'Bavaria', ['by 2 % 20']],
    ['GB', 'Belfast', ['nir 3 % 30']],
    ['GB', 'County Antrim', ['nir 3 % 30']],
    ['GB', 'Glasgow', ['sct 4 % 40']],
    ['GB', 'Kent', []],
    ['FR', '69', ['ara 5 % 50']],
    ['FR', 'Rhône', ['ara 5 % 50']],
    ['FR', 'Gironde', []],
    ['IT', 'MI', ['lom 6 % 60']],
    ['IT', 'Roma', []],
    ['BE', 'Antwerpen', ['vlg 7 % 70']],
    ['PH', 'Cebu', ['vis 8 % 80']],
  ];
  for (const [country, province, taxes] of cases) {
    t.strictSame(await taxedAt(world, country, province), taxes, `${country} ${province}`);
  }
});

t.test('of provinces that contain each other, the smaller one wins', async (t) => {
  const at = await storeWith(...canaries, { code: 'cabildo', country: 'ES', province: 'GC', rate: 3 });
  t.strictSame(await taxedAt(at, 'ES', 'Las Palmas'), ['cabildo 3 % 30'], 'the country stays replaced');
  t.strictSame(await taxedAt(at, 'ES', 'TF'), ['igic 7 % 70']);
  t.strictSame(await taxedAt(at, 'ES', 'M'), ['iva 21 % 210']);
});

t.test('what contains provinces with rates decides nothing, unless it has a single province', async (t) => {
  const at = await storeWith(
    { code: 'iva', country: 'ES', rate: 21 },
    { code: 'none', country: 'ES', province: 'GC', rate: 0, override: true },
    { code: 'none', country: 'ES', province: 'TF', rate: 0, override: true },
    { code: 'islands', country: 'ES', province: 'PM', rate: 4 },
  );
  const buyer = await at.shopper();
  for (const province of ['Canarias', 'Islas Canarias', 'CN']) {
    t.strictSame((await shipTo(buyer, 'ES', province)).issues, ['province_unknown'], province);
  }
  t.match(await buyer.post('/checkout', { customer: { email } }), {
    status: 409,
    body: { code: 'province_unknown', detail: /^CN is or has several provinces of Spain\..*name the province itself/ },
  });
  const cases: [province: string, taxes: string[]][] = [
    ['Las Palmas', ['none 0 % 0']],
    ['Islas Baleares', ['iva 21 % 210', 'islands 4 % 40']],
    ['Comunidad de Madrid', ['iva 21 % 210']],
    ['Castilla y León', ['iva 21 % 210']],
  ];
  for (const [province, taxes] of cases) {
    t.strictSame((await shipTo(buyer, 'ES', province)).issues, [], province);
    t.strictSame(await taxedAt(at, 'ES', province), taxes, province);
  }
});

t.test('what an earlier release has stored for a name that it did not recognise still holds', async (t) => {
  const at = await storeWith(
    { code: 'vat', country: 'DE', rate: 19 },
    { code: 'by', country: 'DE', province: 'BY', rate: 1 },
  );
  await at.store.db.query("update tax_rates set province = 'BAVARIA' where tenant_id = $1 and code = 'by'");
  await at.store.db.query('update tax_rates set province = province where tenant_id = $1');
  for (const province of ['Bavaria', 'BY', 'Bayern']) {
    t.strictSame(await taxedAt(at, 'DE', province), ['vat 19 % 190', 'by 1 % 10'], province);
  }
  t.strictSame(await taxedAt(at, 'DE', 'Hesse'), ['vat 19 % 190']);
  await createRate(at.store, { code: 'by', country: 'DE', province: 'Bavaria', rate: 2 });
  t.strictSame(await taxedAt(at, 'DE', 'Bavaria'), ['vat 19 % 190', 'by 2 % 20'], 'not twice');
  const { items } = await bodyOf(at.store.staff.get('/admin/tax-rates?province=Bavaria&country=DE'));
  t.equal(items.length, 1);
  const former = (await bodyOf(at.store.staff.get('/admin/tax-rates?country=DE'))).items.find(
    ({ province }: { province: string | null }) => province === 'BAVARIA',
  );
  const path = `/admin/tax-rates/${former.id}`;
  t.match(await bodyOf(at.store.staff.patch(path, { rate: 3 })), { rate: 3, province: 'BAVARIA' });
  t.match(await bodyOf(at.store.staff.patch(path, { rate: 4, country: 'DE', province: 'BAVARIA' })), { rate: 4 });
  t.match(await at.store.staff.patch(path, { province: 'Bavaria' }), { status: 409, body: { code: 'tax_rate_taken' } });
  const mexico = await storeWith({ code: 'city', country: 'MX', province: 'CMX', rate: 5 });
  await mexico.store.db.query("update tax_rates set province = 'MEXICO CITY' where tenant_id = $1");
  for (const province of ['Mexico City', 'CDMX']) {
    t.strictSame(await taxedAt(mexico, 'MX', province), ['city 5 % 50'], province);
  }
  t.strictSame(await taxedAt(mexico, 'MX', 'Estado de México'), []);
  const odd = await storeWith({ code: 'nine', country: 'DE', province: 'BY', rate: 9 });
  await odd.store.db.query("update tax_rates set province = 'DISTRICT 9' where tenant_id = $1");
  t.strictSame(await taxedAt(odd, 'DE', 'district 9'), ['nine 9 % 90']);
});

t.test('a province that is not known is an issue where a rate depends on it', async (t) => {
  const at = await storeWith({ country: 'US', province: 'CA', rate: 7 }, { country: 'DE', rate: 19 });
  const buyer = await at.shopper();
  const cart = await shipTo(buyer, 'US', 'Atlantis');
  t.strictSame(cart.issues, ['province_unknown']);
  const { requirements } = await bodyOf(buyer.get('/checkout'));
  t.match(requirements, exactly([{ code: 'province_unknown', pointer: '/customer/address/province' }]));
  t.match(await buyer.post('/checkout', { customer: { email } }), {
    status: 409,
    body: { code: 'province_unknown', detail: /Atlantis is not a known province of United States/ },
  });
  const sent = { customer: { email, address: { line1: '1 Way', country: 'US', province: 'Atlantis' } } };
  t.match(await (await at.shopper()).post('/checkout', sent), { status: 409, body: { code: 'province_unknown' } });
  const fine: [country: string, province: string | null][] = [
    ['US', 'CA'],
    ['US', 'New York'],
    ['DE', null],
    ['DE', 'Atlantis'],
    ['FR', 'Atlantis'],
  ];
  for (const [country, province] of fine)
    t.strictSame((await shipTo(buyer, country, province)).issues, [], `${country} ${province}`);
  t.match(await buyer.post('/checkout', { customer: { email } }), { status: 201 });
  const free = { customer: { email, address: '1 Way, Atlantis' } };
  t.match(await (await at.shopper()).post('/checkout', free), { status: 201 });
  const none = await storeWith();
  t.match(await (await none.shopper()).post('/checkout', sent), { status: 201 });
});

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
