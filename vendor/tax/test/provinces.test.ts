/**
 * Rates of provinces hold for those that they contain, and a province that is not known is an issue where a rate depends on
 * it.
 */
import { bodyOf, createTestBox, exactly } from '@carton/runtime/testing';
import t from 'tap';
import { createRate, type NewRate, openStoreWith, shipTo, taxedAt } from './helpers.ts';

const box = await createTestBox(t);
const email = 'ada@example.com';
const storeWith = (...rates: NewRate[]) => openStoreWith(box, rates);

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
