/**
 * Zones, profiles and options as staff manage them.
 */
import { bodyOf, createTestBox, eventsOf, exactly } from '@carton/runtime/testing';
import t from 'tap';
import { createOption, createProfile, createZone } from './helpers.ts';

const box = await createTestBox(t, { tier: 'basic' });
const { staff } = box;

t.test('a zone has countries, provinces and postal codes, in one form', async (t) => {
  const tenant = await box.openTenant();
  const places = [
    { country: 'GB', postalCodes: [' ec1*', 'EC1*'] },
    { country: 'CA', provinces: ['ca-qc', 'on'] },
    { country: 'DE', provinces: ['BY'], postalCodes: ['10000 - 19999', '99999'] },
    { country: 'FR' },
  ];
  const created = await tenant.staff.post('/admin/shipping-zones', { name: 'Near', places });
  const stored = [
    { country: 'CA', provinces: ['ON', 'QC'], postalCodes: [] },
    { country: 'DE', provinces: ['BY'], postalCodes: ['10000-19999', '99999'] },
    { country: 'FR', provinces: [], postalCodes: [] },
    { country: 'GB', provinces: [], postalCodes: ['EC1*'] },
  ];
  t.equal(created.status, 201);
  t.strictSame(created.body.places, stored);
  const path = `/admin/shipping-zones/${created.body.id}`;
  const renamed = await tenant.staff.patch(path, { name: 'Nearby' });
  t.match(renamed, { status: 200, body: { name: 'Nearby' } });
  t.strictSame(renamed.body.places, stored);
  const [italy] = [{ country: 'IT', provinces: [], postalCodes: [] }];
  t.strictSame((await tenant.staff.patch(path, { places: [{ country: 'IT' }] })).body.places, [italy]);
  t.strictSame((await tenant.staff.get('/admin/shipping-zones')).body.items[0].places, [italy]);
  t.match(await tenant.staff.delete(path), { status: 204 });
  t.strictSame((await tenant.staff.get('/admin/shipping-zones')).body.items, []);
});

t.test('provinces that are not known are refused, and those that are stored stay', async (t) => {
  const { staff, db } = await box.openTenant();
  const zone = (...provinces: string[]) => ({ name: 'Near', places: [{ country: 'DE', provinces }] });
  t.match(await staff.post('/admin/shipping-zones', zone('BY', 'Hesssen')), {
    status: 400,
    body: { errors: exactly([{ pointer: '/places/0/provinces/1', detail: /Similar ones: Hessen \(HE\)/ }]) },
  });
  const { id } = await bodyOf(staff.post('/admin/shipping-zones', zone('Bavaria')));
  await db.query("update shipping_zone_places set province = 'BAVARIAA' where tenant_id = $1");
  const path = `/admin/shipping-zones/${id}`;
  t.match(await staff.patch(path, zone('BAVARIAA', 'HE')), {
    status: 200,
    body: { places: exactly([{ provinces: ['BAVARIAA', 'HE'] }]) },
  });
  t.match(await staff.patch(path, zone('BAVARIAAA')), { status: 400 });
});

t.test('zones that would be equally specific are rejected, and the problem names the other', async (t) => {
  const germany = await createZone(box, 'Germany', { country: 'DE' });
  const berlin = await createZone(box, 'Berlin', { country: 'DE', postalCodes: ['10000-14999'] });
  await createZone(box, 'Bavaria', { country: 'DE', provinces: ['BY'] });
  const taken: [place: object, pointer: string, detail: RegExp][] = [
    [{ country: 'DE' }, '/places/1', /^The zone Germany \(.*\) has Germany, and neither is more specific\.$/],
    [{ country: 'DE', provinces: ['HE', 'by'] }, '/places/1/provinces/1', /Bavaria .* has BY in Germany/],
    [
      { country: 'DE', postalCodes: ['12000-16999'] },
      '/places/1/postalCodes/0',
      /Berlin .* has 10000-14999 in Germany/,
    ],
  ];
  const other = await createZone(box, 'Austria', { country: 'AT' });
  for (const [place, pointer, detail] of taken) {
    const places = [{ country: 'CH' }, place];
    const refused = { status: 409, body: { code: 'shipping_zone_overlap', detail, errors: [{ pointer }] } };
    t.match(await staff.post('/admin/shipping-zones', { name: 'Second', places }), refused);
    t.match(await staff.patch(`/admin/shipping-zones/${other}`, { places }), refused);
  }
  t.match((await staff.get('/admin/shipping-zones')).body.items.length, 4);
  t.match((await staff.patch(`/admin/shipping-zones/${germany}`, { places: [{ country: 'DE' }] })).status, 200);
  t.match((await staff.patch(`/admin/shipping-zones/${berlin}`, { places: [{ country: 'LU' }] })).status, 200);
  await createZone(box, 'Rest of Berlin', { country: 'DE', postalCodes: ['12000-16999'] });
  await createZone(await box.openTenant(), "Another store's", { country: 'DE' });
});

t.test('of concurrent zones with the same places, one is created', async (t) => {
  const places = { ES: 'CA', PT: 'NY', PL: 'TX', CZ: 'WA', SE: 'OR' };
  for (const [country, state] of Object.entries(places)) {
    const zones = [
      {
        name: 'One',
        places: [
          { country, postalCodes: ['10000-19999'] },
          { country: 'US', provinces: [state] },
        ],
      },
      {
        name: 'Other',
        places: [
          { country: 'US', provinces: [state] },
          { country, postalCodes: ['1*'] },
        ],
      },
    ];
    const results = await Promise.all(zones.map((zone) => staff.post('/admin/shipping-zones', zone)));
    t.strictSame(results.map(({ status }) => status).sort(), [201, 409]);
    t.match(results.find(({ status }) => status === 409)?.body, { code: 'shipping_zone_overlap' });
  }
});

t.test('a zone without a sense is rejected', async (t) => {
  const cases: [places: object[], pointer: string][] = [
    [[], '/places'],
    [[{ country: 'XX' }], '/places/0/country'],
    [[{ country: 'IE' }, { country: 'IE' }], '/places/1/country'],
    [[{ country: 'IE', provinces: [' '] }], '/places/0/provinces/0'],
    [[{ country: 'IE', postalCodes: ['D02 X285', '19999-10000'] }], '/places/0/postalCodes/1'],
    [[{ country: 'IE', postalCodes: ['*'] }], '/places/0/postalCodes/0'],
  ];
  for (const [places, pointer] of cases) {
    const refused = { status: 400, body: { code: 'invalid_request', errors: [{ pointer }] } };
    t.match(await staff.post('/admin/shipping-zones', { name: 'Ireland', places }), refused, pointer);
  }
});

t.test('a zone is deleted once no option has it', async (t) => {
  const zoneId = await createZone(box, 'Norway', { country: 'NO' });
  const path = `/admin/shipping-zones/${zoneId}`;
  const option = await createOption(box, { zoneId });
  t.match((await staff.get(`/admin/shipping-options?zoneId=${zoneId}`)).body, { items: exactly([{ id: option }]) });
  t.match(await staff.delete(path), { status: 409, body: { code: 'shipping_zone_in_use' } });
  await staff.delete(`/admin/shipping-options/${option}`);
  t.match(await staff.delete(path), { status: 204 });
});

t.test('a profile is deleted once nothing refers to it', async (t) => {
  const id = await createProfile(box, 'bulky');
  const path = `/admin/shipping-profiles/${id}`;
  t.match(await staff.post('/admin/shipping-profiles', { code: 'bulky', name: 'Again' }), {
    status: 409,
    body: { code: 'shipping_profile_code_taken' },
  });
  t.match(await staff.patch(path, { name: 'Bulky goods' }), { body: { code: 'bulky', name: 'Bulky goods' } });
  t.match(await staff.patch(path, { code: 'large' }), { status: 400 });
  t.match(await staff.get(path), { status: 200, body: { name: 'Bulky goods' } });
  t.match((await staff.get('/admin/shipping-profiles?code=bulky')).body, { items: exactly([{ id }]) });
  const refused = async (detail: string) =>
    t.match(await staff.delete(path), { status: 409, body: { code: 'shipping_profile_in_use', detail } });
  const product = await bodyOf(staff.post('/admin/products', { title: 'Sofa', shippingProfile: 'bulky' }));
  await refused('Products have this profile.');
  await staff.patch(`/admin/products/${product.id}`, { shippingProfile: null });
  const option = await createOption(box, { profile: 'bulky' });
  await refused('Shipping options have this profile.');
  t.match((await staff.get('/admin/shipping-options?profile=bulky')).body, { items: exactly([{ id: option }]) });
  await staff.delete(`/admin/shipping-options/${option}`);
  t.match(await staff.delete(path), { status: 204 });
});

const flat = { code: 'standard', name: 'Standard', type: 'flat', rates: [{ currency: 'EUR', amount: 490 }] };

t.test('an option is created, changed and deleted, and each change is an event', async (t) => {
  const created = await staff.post('/admin/shipping-options', flat);
  const rates = [{ currency: 'EUR', from: 0, to: null, amount: 490 }];
  const complete = { ...flat, zoneId: null, profile: null, freeFrom: [], externalId: null };
  t.match(created, { status: 201, body: complete });
  t.strictSame(created.body.rates, rates);
  const { id } = created.body;
  const path = `/admin/shipping-options/${id}`;
  t.equal(created.headers.get('location'), path);
  t.match(await staff.post('/admin/shipping-options', flat), {
    status: 409,
    body: { code: 'shipping_option_code_taken' },
  });
  const tiers = [
    { currency: 'EUR', from: 2000, to: null, amount: 990 },
    { currency: 'EUR', from: 0, to: 2000, amount: 490 },
    { currency: 'CHF', from: 0, to: null, amount: 700 },
  ];
  const freeFrom = [{ amount: 5000, currency: 'EUR' }];
  const changed = await staff.patch(path, { type: 'weight', rates: tiers, freeFrom });
  t.equal(changed.status, 200);
  t.strictSame(changed.body.rates, [tiers[2], tiers[1], tiers[0]]);
  t.match(await staff.patch(path, { name: 'By weight' }), { body: { type: 'weight', rates: exactly([{}, {}, {}]) } });
  t.strictSame((await staff.get(path)).body.freeFrom, freeFrom);
  t.match(await staff.delete(path), { status: 204 });
  t.match(await staff.get(path), { status: 404 });
  const events = await eventsOf(box, id);
  const { rates: _, name: __, ...own } = flat;
  const payload = { ...own, zoneId: null, profile: null };
  t.strictSame(
    events.map(({ type, payload }) => [type, payload]),
    [
      ['shipping_option.created', payload],
      ['shipping_option.updated', { ...payload, type: 'weight' }],
      ['shipping_option.updated', { ...payload, type: 'weight' }],
      ['shipping_option.deleted', { ...payload, type: 'weight' }],
    ],
  );
});

t.test('an option without a sense is rejected', async (t) => {
  const other = await box.openTenant();
  const foreign = await createZone(other, 'Theirs', { country: 'DE' });
  await createProfile(other, 'theirs');
  const rate = { currency: 'EUR', amount: 1 };
  const cases: [fault: Record<string, unknown>, pointer: string][] = [
    [{ type: 'dove' }, '/type'],
    [{ zoneId: foreign }, '/zoneId'],
    [{ profile: 'theirs' }, '/profile'],
    [{ rates: [] }, '/rates'],
    [{ rates: [rate, rate] }, '/rates/1/currency'],
    [{ rates: [{ ...rate, from: 1 }] }, '/rates/0'],
    [{ rates: [{ ...rate, to: 1 }] }, '/rates/0'],
    [{ rates: [{ ...rate, amount: -1 }] }, '/rates/0/amount'],
    [{ type: 'weight', rates: [{ ...rate, from: 5, to: 5 }] }, '/rates/0/to'],
    [
      {
        type: 'weight',
        rates: [
          { ...rate, to: 6 },
          { ...rate, from: 5 },
        ],
      },
      '/rates/1',
    ],
    [{ type: 'price', rates: [rate, { ...rate, from: 5 }] }, '/rates/1'],
    [
      {
        type: 'price',
        rates: [
          { ...rate, from: 5 },
          { ...rate, from: 9, to: 10 },
        ],
      },
      '/rates/1',
    ],
    [{ type: 'weight', rates: [] }, '/rates'],
    [
      {
        freeFrom: [
          { currency: 'EUR', amount: 1 },
          { currency: 'EUR', amount: 2 },
        ],
      },
      '/freeFrom/1/currency',
    ],
  ];
  const id = await createOption(box);
  for (const [fault, pointer] of cases) {
    const refused = { status: 400, body: { code: 'invalid_request', errors: [{ pointer }] } };
    t.match(await staff.post('/admin/shipping-options', { ...flat, code: 'other', ...fault }), refused, pointer);
    t.match(await staff.patch(`/admin/shipping-options/${id}`, fault), refused, pointer);
  }
  const gaps = {
    type: 'weight',
    rates: [
      { ...rate, to: 5 },
      { ...rate, from: 5, to: 6 },
      { ...rate, from: 9 },
    ],
  };
  t.match(await staff.patch(`/admin/shipping-options/${id}`, gaps), { status: 200 });
});
