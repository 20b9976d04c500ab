/**
 * Regions as staff manage them and shoppers see them; a country belongs to at most one region.
 */
import { createTestBox, eventsOf, exactly, pointersOf } from '@carton/runtime/testing';
import t from 'tap';

const packages = ['core', 'auth', 'tenant', 'region'].map((name) => `@carton/${name}`);
const box = await createTestBox(t, { packages, tier: 'basic' });

async function createRegion(name: string, countries: string[], currency = 'EUR') {
  const created = await box.staff.post('/admin/regions', { name, currency, countries });
  if (created.status !== 201) throw new Error(JSON.stringify(created.body));
  return created.body;
}

t.test('a region is created, read, changed and deleted, and each change publishes an event', async (t) => {
  const created = await box.staff.post('/admin/regions', { name: 'Nordics', currency: 'SEK', countries: ['SE', 'NO'] });
  t.match(created, { status: 201, body: { name: 'Nordics', currency: 'SEK', taxInclusive: false } });
  t.strictSame(created.body.countries, ['NO', 'SE'], 'countries are in alphabetical order');
  t.equal(created.headers.get('location'), `/admin/regions/${created.body.id}`);
  const path = `/admin/regions/${created.body.id}`;
  t.strictSame((await box.staff.get(path)).body, created.body);

  const shopper = await box.visitor().get(`/regions/${created.body.id}`);
  const { createdAt: _, updatedAt: __, externalId: ___, metadata: ____, ...seen } = created.body;
  t.strictSame(shopper.body, seen, 'shoppers do not see times, externalId and metadata');

  const change = { currency: 'NOK', taxInclusive: true, countries: ['NO', 'FI'] };
  const changed = await box.staff.patch(path, change);
  t.match(changed, { status: 200, body: { name: 'Nordics', currency: 'NOK', taxInclusive: true } });
  t.strictSame(changed.body.countries, ['FI', 'NO']);
  t.match(await box.staff.patch(path, { name: 'North' }), {
    body: { name: 'North', countries: exactly(['FI', 'NO']) },
  });
  t.match(await box.staff.patch(path, { countries: [] }), { status: 200, body: { countries: exactly([]) } });

  t.match(await box.staff.delete(path), { status: 204 });
  t.match(await box.staff.get(path), { status: 404, body: { code: 'not_found' } });
  t.match(await box.staff.patch(path, { name: 'Gone' }), { status: 404 });
  t.match(await box.staff.delete(path), { status: 404 });
  t.match(await box.visitor().get(`/regions/${created.body.id}`), { status: 404 });
  const events = await eventsOf(box, created.body.id);
  t.strictSame(
    events.map(({ type }) => type),
    ['region.created', 'region.updated', 'region.updated', 'region.updated', 'region.deleted'],
  );
});

t.test('invalid currencies and countries are refused with a pointer to the field', async (t) => {
  const cases: [body: Record<string, unknown>, pointer: string][] = [
    [{ name: 'X', currency: 'XYZ' }, '/currency'],
    [{ name: 'X', currency: 'EU' }, '/currency'],
    [{ name: '', currency: 'EUR' }, '/name'],
    [{ name: 'X', currency: 'EUR', countries: ['DE', 'EU'] }, '/countries/1'],
    [{ name: 'X', currency: 'EUR', countries: ['Atlantis'] }, '/countries/0'],
    [{ name: 'X', currency: 'EUR', countries: ['DE', 'DE'] }, '/countries'],
    [{ name: 'X', currency: 'EUR', countries: ['DE', 'Germany'] }, '/countries'],
    [{ name: 'X' }, '/currency'],
    [{ name: 'X', currency: 'EUR', colour: 1 }, '/colour'],
  ];
  for (const [body, pointer] of cases) {
    const refused = await box.staff.post('/admin/regions', body);
    const { status, body: problem } = refused;
    t.strictSame(
      [status, problem.code, pointersOf(refused)],
      [400, 'invalid_request', [pointer]],
      JSON.stringify(body),
    );
  }
  const { id } = await createRegion('Whole', ['IS']);
  t.match(await box.staff.patch(`/admin/regions/${id}`, { countries: ['ZZ'] }), { status: 400 });
  t.match(await box.staff.patch(`/admin/regions/${id}`, { currency: 'AAA' }), { status: 400 });
  t.strictSame((await box.staff.get(`/admin/regions/${id}`)).body.countries, ['IS']);
});

t.test('a country belongs to one region of a tenant', async (t) => {
  const west = await createRegion('West', ['FR', 'BE']);
  const taken = await box.staff.post('/admin/regions', { name: 'Also', currency: 'EUR', countries: ['DE', 'FR'] });
  t.match(taken, { status: 409, body: { code: 'country_taken', detail: /FR/ } });
  t.notOk(await hasRegion('Also'), 'the refused region was not created');
  const east = await createRegion('East', ['PL']);
  t.match(await box.staff.patch(`/admin/regions/${east.id}`, { countries: ['PL', 'BE'] }), { status: 409 });
  t.match(await box.staff.patch(`/admin/regions/${west.id}`, { countries: ['FR'] }), { status: 200 });
  t.match(await box.staff.patch(`/admin/regions/${east.id}`, { countries: ['PL', 'BE'] }), { status: 200 });

  const other = await box.openTenant();
  const same = await other.staff.post('/admin/regions', { name: 'Theirs', currency: 'EUR', countries: ['FR'] });
  t.equal(same.status, 201, 'another tenant has its own regions');
});

t.test('of regions that concurrently claim one country one succeeds', async (t) => {
  const requests = ['One', 'Two', 'Three', 'Four'].map((name) =>
    box.staff.post('/admin/regions', { name, currency: 'EUR', countries: ['JP', 'KR'] }),
  );
  const responses = (await Promise.all(requests)).map(({ status }) => status).sort();
  t.strictSame(responses, [201, 409, 409, 409]);
});

t.test('two regions that concurrently swap countries do not deadlock', async (t) => {
  const one = await createRegion('One', ['AR']);
  const two = await createRegion('Two', ['BR']);
  for (let round = 0; round < 5; round += 1) {
    const responses = await Promise.all([
      box.staff.patch(`/admin/regions/${one.id}`, { countries: ['BR'] }),
      box.staff.patch(`/admin/regions/${two.id}`, { countries: ['AR'] }),
    ]);
    t.ok(
      responses.every(({ status }) => status === 200 || status === 409),
      String(responses.map(({ status }) => status)),
    );
  }
});

t.test('countries are listed by their names, with their region', async (t) => {
  const tenant = await box.openTenant();
  const created = await tenant.staff.post('/admin/regions', {
    name: 'All',
    currency: 'CHF',
    countries: ['CH', 'AX', 'DE'],
  });
  const { body } = await tenant.visitor().get('/countries?fields=code,name,regionId');
  t.strictSame(body, {
    items: [
      { code: 'AX', name: 'Åland Islands', regionId: created.body.id },
      { code: 'DE', name: 'Germany', regionId: created.body.id },
      { code: 'CH', name: 'Switzerland', regionId: created.body.id },
    ],
  });
  const one = await tenant.visitor().get('/countries?country=DE&fields=code');
  t.strictSame(one.body, { items: [{ code: 'DE' }] });
  t.strictSame((await tenant.visitor().get('/countries?country=FR')).body, { items: [] }, 'not sold to');
  t.match(await tenant.visitor().get('/countries?country=XX'), { status: 400 });
});

t.test('names of countries are in the language of the request, else in that of the store', async (t) => {
  const tenant = await box.openTenant();
  await tenant.staff.post('/admin/regions', { name: 'All', currency: 'CHF', countries: ['AT', 'DE', 'HU'] });
  const names = async (query: string, language?: string) => {
    const headers: Record<string, string> = language === undefined ? {} : { 'accept-language': language };
    const answer = await tenant.visitor().get(`/countries?fields=name${query}`, { headers });
    t.match(answer.headers.get('vary'), /Accept-Language/);
    return answer.body.items.map(({ name }: { name: string }) => name);
  };
  const german = ['Deutschland', 'Österreich', 'Ungarn'];
  const english = ['Austria', 'Germany', 'Hungary'];
  t.strictSame(await names(''), english);
  t.strictSame(await names('', 'de-CH, fr;q=0.5'), german);
  t.strictSame(await names('&locale=de', 'fr'), german, 'the parameter wins');
  t.strictSame(await names('', 'xx, hu'), ['Ausztria', 'Magyarország', 'Németország'], 'the first that has names');
  t.strictSame(await names('&locale=xx'), english);
  t.equal((await tenant.staff.patch('/admin/store', { defaultLocale: 'de' })).status, 200);
  t.strictSame(await names(''), german);
  t.strictSame(await names('', 'xx'), german);
});

t.test('countries have their provinces, by name', async (t) => {
  const tenant = await box.openTenant();
  const region = { name: 'All', currency: 'EUR', countries: ['CA', 'IT', 'AX'] };
  await tenant.staff.post('/admin/regions', region);
  const { body } = await tenant.visitor().get('/countries');
  type Province = { code: string; name: string; parent: string | null };
  const byCountry = new Map<string, Province[]>(
    body.items.map(({ code, provinces }: { code: string; provinces: Province[] }) => [code, provinces]),
  );
  t.strictSame(byCountry.get('AX'), [], 'a country without provinces');
  t.strictSame(
    byCountry.get('CA')?.map(({ code, parent }) => [code, parent]),
    'AB BC MB NB NL NT NS NU ON PE QC SK YT'.split(' ').map((code) => [`CA-${code}`, null]),
  );
  const italy = byCountry.get('IT') ?? [];
  t.match(
    italy.find(({ code }) => code === 'IT-MI'),
    { name: 'Milano', parent: 'IT-25' },
  );
  t.match(
    italy.find(({ code }) => code === 'IT-25'),
    { name: 'Lombardia', parent: null },
  );
});

t.test('the region of a country is found', async (t) => {
  const tenant = await box.openTenant();
  const create = async (name: string, countries: string[]): Promise<string> =>
    (await tenant.staff.post('/admin/regions', { name, currency: 'EUR', countries })).body.id;
  const [alps] = [await create('Alps', ['CH', 'AT']), await create('Isles', ['IE'])];
  for (const [caller, path] of [
    [tenant.visitor(), '/regions'],
    [tenant.staff, '/admin/regions'],
  ] as const) {
    t.match((await caller.get(`${path}?country=AT`)).body.items, exactly([{ id: alps }]), path);
    t.strictSame((await caller.get(`${path}?country=DE`)).body.items, []);
    t.match(await caller.get(`${path}?country=ZZ`), { status: 400 });
  }
  t.strictSame((await box.visitor().get('/regions?country=AT')).body.items, [], 'of this tenant only');
});

t.test('regions are listed page by page, for shoppers and for staff', async (t) => {
  const tenant = await box.openTenant();
  for (const name of ['A', 'B', 'C']) await tenant.staff.post('/admin/regions', { name, currency: 'EUR' });
  for (const [caller, path] of [
    [tenant.visitor(), '/regions'],
    [tenant.staff, '/admin/regions'],
  ] as const) {
    const first = await caller.get(`${path}?limit=2`);
    const second = await caller.get(`${path}?limit=2&cursor=${first.body.nextCursor}`);
    const names = [...first.body.items, ...second.body.items].map(({ name }) => name);
    t.strictSame(names, ['C', 'B', 'A'], path);
    t.equal(second.body.nextCursor, null);
  }
});

async function hasRegion(name: string): Promise<boolean> {
  const rows = await box.db.query('select id from regions where tenant_id = $1 and name = $2', [name]);
  return rows.length > 0;
}
