/**
 * The store: its legal entity and contact, for staff and in the public profile, and its currencies and languages.
 */
import { openDatabase } from '@carton/runtime/service';
import { createTestBox } from '@carton/runtime/testing';
import t from 'tap';

const packages = ['core', 'auth', 'tenant'].map((name) => `@carton/${name}`);
const box = await createTestBox(t, { packages, tier: 'basic' });
const other = await box.openTenant();
const path = '/admin/store';

const imprint = {
  legalName: 'Demo Store SAS',
  address: '12 Rue des Lilas\n69003 Lyon',
  vatNumber: 'FR40303265045',
  registrationNumber: 'RCS Lyon 303 265 045',
  email: 'contact@example.com',
  phone: '+33 1 23 45 67 89',
};
const unset = Object.fromEntries(Object.keys(imprint).map((name) => [name, null]));

t.test('the imprint is public once staff have set it', async (t) => {
  const profileOf = async (tenant = box) => (await tenant.visitor().get('/store')).body;
  const { legalName, address, vatNumber, registrationNumber, email, phone, ...rest } = await profileOf();
  t.strictSame({ legalName, address, vatNumber, registrationNumber, email, phone }, unset);
  t.strictSame(Object.keys(rest).sort(), [
    'currencies',
    'defaultCurrency',
    'defaultLocale',
    'locales',
    'logoUrl',
    'name',
    'timeZone',
  ]);
  t.match(await box.staff.patch(path, imprint), { status: 200, body: imprint });
  t.match(await profileOf(), imprint);
  t.match((await box.staff.get(path)).body, imprint);
  t.match((await other.visitor().get('/store')).body, unset, 'another tenant has its own');
  t.match(await box.staff.patch(path, { phone: null }), { status: 200, body: { ...imprint, phone: null } });
});

t.test('invalid values are refused', async (t) => {
  const cases: [object, string][] = [
    [{ legalName: 'x'.repeat(2001) }, '/legalName'],
    [{ email: 'nobody' }, '/email'],
    [{ phone: 'call us' }, '/phone'],
    [{ currencies: ['EUR', 'EEE'] }, '/currencies/1'],
    [{ currencies: ['EUR', 'EUR'] }, '/currencies'],
    [{ locales: ['english'] }, '/locales/0'],
    [{ logoUrl: '/media/x/original.png' }, '/logoUrl'],
  ];
  for (const [body, pointer] of cases) {
    const answer = await box.staff.patch(path, body);
    t.equal(answer.status, 400, pointer);
    t.equal(answer.body.errors[0].pointer, pointer);
  }
});

t.test('the default currency and language are the first of their lists', async (t) => {
  const listsOf = ({ body: { currencies, locales } }: { body: { currencies: string[]; locales: string[] } }) => ({
    currencies,
    locales,
  });
  t.strictSame(listsOf(await box.staff.get(path)), { currencies: ['EUR'], locales: ['en'] });
  const set = await box.staff.patch(path, { currencies: ['USD', 'EUR', 'CHF'], locales: ['fr'] });
  t.strictSame(listsOf(set), { currencies: ['EUR', 'USD', 'CHF'], locales: ['en', 'fr'] });
  const changed = await box.staff.patch(path, { defaultCurrency: 'GBP', defaultLocale: 'fr' });
  t.strictSame(listsOf(changed), { currencies: ['GBP', 'EUR', 'USD', 'CHF'], locales: ['fr', 'en'] });
  t.strictSame(listsOf(await box.visitor().get('/store')), listsOf(changed));
  t.strictSame(listsOf(await box.staff.patch(path, { currencies: [] })), {
    currencies: ['GBP'],
    locales: ['fr', 'en'],
  });
  await box.staff.patch(path, { defaultCurrency: 'EUR', defaultLocale: 'en' });
});

t.test('the settings of invoices of an earlier release become those of the store', async (t) => {
  const [describe, version] = await Promise.all(
    // Also the next one that changes the table, so that its columns keep their order: the box has prepared statements.
    ['20261123082500_core_describe_store.js', '20261126041000_core_version_defaults.js'].map(
      (name) => import(new URL(`../migrations/${name}`, import.meta.url).href),
    ),
  );
  const { knex, close } = openDatabase({ url: box.databaseUrl });
  t.teardown(close);
  await version.down(knex);
  await describe.down(knex);
  const { legalName, address, vatNumber } = imprint;
  await box.owner.query('update stores set settings = $2 where tenant_id = $1', [
    other.id,
    JSON.stringify({ invoice: { legalName, address, vatNumber } }),
  ]);
  await describe.up(knex);
  await version.up(knex);
  const { body } = await other.staff.get(path);
  t.match(body, { ...unset, legalName, address, vatNumber });
  t.strictSame([body.currencies, body.locales], [['EUR'], ['en']]);
  t.match((await box.staff.get(path)).body, unset);
});
