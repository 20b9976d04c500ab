/**
 * Promotions and codes as staff manage them.
 */
import { bodyOf, createTestBox, eventsOf, exactly } from '@carton/runtime/testing';
import t from 'tap';
import { maxAutomatic } from '../promotions/service.ts';
import { buyGet, endAll, fixed, freeShipping, percent, promote, promoteByCode, rules } from './helpers.ts';

const box = await createTestBox(t, { tier: 'basic' });
const { staff } = box;
t.afterEach(() => endAll(box));

t.test('a promotion is created, changed and deleted, and each change is an event', async (t) => {
  const created = await staff.post('/admin/promotions', { label: 'Sale', discount: percent(10) });
  const complete = {
    ...{ label: 'Sale', status: 'active', automatic: false, priority: 0, exclusive: false },
    ...{ discount: percent(10), rules: rules({}), maxUses: null, maxUsesPerCustomer: null },
    ...{ startsAt: null, endsAt: null, uses: 0, externalId: null, metadata: {} },
  };
  const { id, createdAt: _, updatedAt: __, ...body } = created.body;
  t.equal(created.status, 201);
  t.strictSame(body, complete);
  const path = `/admin/promotions/${id}`;
  t.strictSame((await staff.get(path)).body, created.body);
  t.match(await staff.patch(path, { label: 'Big sale', discount: fixed(500) }), {
    status: 200,
    body: { ...complete, label: 'Big sale', discount: fixed(500) },
  });
  t.match((await staff.get('/admin/promotions?status=active&automatic=false')).body, { items: exactly([{ id }]) });
  t.match((await staff.get('/admin/promotions?automatic=true')).body, { items: exactly([]) });
  t.match(await staff.delete(path), { status: 204 });
  t.match(await staff.get(path), { status: 404 });
  const payload = { status: 'active', automatic: false, startsAt: null, endsAt: null };
  t.strictSame(
    (await eventsOf(box, id)).map((event) => [event.type, event.payload]),
    ['created', 'updated', 'deleted'].map((what) => [`promotion.${what}`, payload]),
  );
});

t.test('a promotion without a sense is rejected', async (t) => {
  const cases: [Record<string, unknown>, string][] = [
    [{ discount: percent(100.1) }, '/discount'],
    [{ discount: percent(0) }, '/discount'],
    [{ discount: percent(-1) }, '/discount'],
    [{ discount: percent(1.123456) }, '/discount/percent'],
    [{ discount: buyGet(1, 1, { percent: 1.123456 }) }, '/discount/percent'],
    [{ discount: fixed(0.5) }, '/discount'],
    [{ discount: fixed(-1) }, '/discount'],
    [{ discount: fixed(0) }, '/discount/amounts/0/amount'],
    [{ discount: { kind: 'fixed', amounts: [...fixed(1).amounts, ...fixed(2).amounts] } }, '/discount/amounts'],
    [{ discount: { kind: 'fixed', amounts: [] } }, '/discount'],
    [{ discount: { kind: 'shipping_fixed', amounts: fixed(0).amounts } }, '/discount/amounts/0/amount'],
    [{ discount: { kind: 'fixed_per_unit', amounts: fixed(0).amounts } }, '/discount/amounts/0/amount'],
    [{ discount: { ...percent(5), maxAmounts: fixed(0).amounts } }, '/discount/maxAmounts/0/amount'],
    [{ discount: { ...percent(5), maxAmounts: [] } }, '/discount'],
    [{ discount: { ...percent(5), maxUnits: { count: 0, per: 'order', first: 'dearest' } } }, '/discount'],
    [{ discount: { ...percent(5), base: 'cost' } }, '/discount'],
    [{ discount: { kind: 'shipping_percent', percent: 1.123456 } }, '/discount/percent'],
    [{ discount: { kind: 'free_goods' } }, '/discount/kind'],
    [{ rules: rules({ conditions: [{ fact: 'weather', argument: {} }] }) }, '/rules'],
    [{ rules: rules({ conditions: [{ fact: 'product', argument: { productIds: [] } }] }) }, '/rules'],
    [{ startsAt: '2026-02-30' }, '/startsAt'],
    [{ startsAt: '2026-01-01T25:00' }, '/startsAt'],
    [{ startsAt: '2026-01-01T24:00' }, '/startsAt'],
    [{ startsAt: '0001-01-01T00:00+01:00' }, '/startsAt'],
    [{ endsAt: '2026-12-31T23:59:60Z' }, '/endsAt'],
    [{ endsAt: '9999-12-31' }, '/endsAt'],
    [{ endsAt: '9999-12-31T23:59-14:00' }, '/endsAt'],
    [{ endsAt: 'tomorrow' }, '/endsAt'],
    [{ startsAt: '2026-01-02', endsAt: '2026-01-01' }, '/endsAt'],
    [{ maxUses: 0 }, '/maxUses'],
  ];
  const id = await promote(box, { discount: percent(10) });
  for (const [values, pointer] of cases) {
    const whole = { label: 'Offer', discount: percent(10), ...values };
    for (const refused of [
      await staff.post('/admin/promotions', whole),
      await staff.patch(`/admin/promotions/${id}`, values),
    ]) {
      t.equal(refused.status, 400, JSON.stringify(values));
      t.ok(
        refused.body.errors.some((error: { pointer: string }) => error.pointer.startsWith(pointer)),
        `${pointer}: ${JSON.stringify(refused.body.errors)}`,
      );
    }
  }
});

t.test('what is wrong with times is said', async (t) => {
  const errorsOf = async (values: object) =>
    (await staff.post('/admin/promotions', { label: 'Offer', discount: percent(10), ...values })).body.errors;
  const detail = 'endsAt must be later than startsAt';
  t.strictSame(await errorsOf({ startsAt: '2026-01-02', endsAt: '2026-01-01' }), [
    { in: 'body', pointer: '/startsAt', detail },
    { in: 'body', pointer: '/endsAt', detail },
  ]);
  const leap = 'must be a date or time in the years 1900 to 9999, and no leap second (the second 60)';
  t.strictSame(await errorsOf({ endsAt: '2026-12-31T23:59:60Z' }), [{ in: 'body', pointer: '/endsAt', detail: leap }]);
});

t.test("days begin and end in the store's time zone, also when clocks change", async (t) => {
  await bodyOf(staff.patch('/admin/store', { timeZone: 'Europe/Berlin' }));
  const id = await promote(box, { discount: percent(10), startsAt: '2026-07-01', endsAt: '2026-12-31' });
  const path = `/admin/promotions/${id}`;
  t.match((await staff.get(path)).body, { startsAt: '2026-06-30T22:00:00.000Z', endsAt: '2026-12-31T23:00:00.000Z' });
  const cases: [Record<string, string>, Record<string, string>][] = [
    [{ endsAt: '2026-12-31T18:30' }, { endsAt: '2026-12-31T17:30:00.000Z' }],
    [{ endsAt: '2026-12-31T18:30:05Z' }, { endsAt: '2026-12-31T18:30:05.000Z' }],
    [{ endsAt: '2026-12-31T18:30+09:00' }, { endsAt: '2026-12-31T09:30:00.000Z' }],
    [{ endsAt: '2026-12-31t18:30:05.1234567890z' }, { endsAt: '2026-12-31T18:30:05.123Z' }],
    [{ endsAt: '2026-12-31T18:30:05.5' }, { endsAt: '2026-12-31T17:30:05.500Z' }],
    // 25 hours: the clocks repeat an hour.
    [
      { startsAt: '2026-10-25', endsAt: '2026-10-25' },
      { startsAt: '2026-10-24T22:00:00.000Z', endsAt: '2026-10-25T23:00:00.000Z' },
    ],
    // 23 hours: they skip one.
    [
      { startsAt: '2026-03-29', endsAt: '2026-03-29' },
      { startsAt: '2026-03-28T23:00:00.000Z', endsAt: '2026-03-29T22:00:00.000Z' },
    ],
    [{ startsAt: '2026-03-29T02:30' }, { startsAt: '2026-03-29T01:30:00.000Z' }],
    [{ startsAt: '2026-10-25T02:30', endsAt: '2026-12-31' }, { startsAt: '2026-10-25T01:30:00.000Z' }],
  ];
  for (const [sent, stored] of cases) t.match(await staff.patch(path, sent), { status: 200, body: stored });
  t.match(await staff.patch(path, { startsAt: null, endsAt: null }), { body: { startsAt: null, endsAt: null } });
  await bodyOf(staff.patch('/admin/store', { timeZone: 'UTC' }));
});

t.test('codes are unique in a store without case, and a deleted promotion frees them', async (t) => {
  const id = await promoteByCode(box, 'Spring', { discount: percent(10) });
  const other = await promote(box, { discount: percent(10), automatic: false });
  const path = `/admin/promotions/${other}/codes`;
  t.match(await staff.post(path, { codes: ['NEW', 'SPRING'] }), {
    status: 409,
    body: { code: 'promotion_code_taken' },
  });
  t.match((await staff.get(path)).body, { items: exactly([]) }, 'none of them was added');
  await bodyOf(staff.delete(`/admin/promotions/${id}`));
  t.strictSame(await bodyOf(staff.post(path, { codes: ['SPRING', 'spring'] })), { codes: ['spring'] });
  // What is stored must be a code, too: a character in its usual width may be several.
  for (const code of [
    'a b',
    '-ABC',
    'A!B',
    'ab',
    '\ufdfa\ufdfa',
    '\u2153AB',
    'A'.repeat(51),
    '\u3382'.repeat(50),
    '\u{1f600}AB',
  ]) {
    t.match(await staff.post(path, { codes: ['FIRST', code] }), { status: 400 }, code);
    t.match(await staff.post(path, { generate: { count: 1, prefix: `!${code}` } }), { status: 400 }, `prefix ${code}`);
  }
  t.strictSame(
    await bodyOf(staff.post(path, { codes: ['\uff33\uff35\uff2d', '\u00c4RZTE', '\u590f\u306e\u30bb\u30fc\u30eb'] })),
    {
      codes: ['SUM', '\u00c4RZTE', '\u590f\u306e\u30bb\u30fc\u30eb'],
    },
  );
  t.match(await staff.post(path, {}), { status: 400 });
  t.match(await staff.post(path, { codes: ['X-Y'], generate: { count: 1 } }), { status: 400 });
  const elsewhere = await box.openTenant();
  await promoteByCode(elsewhere, 'SPRING', { discount: percent(10) });
  const automatic = await promote(box, { discount: percent(10) });
  t.match(await staff.post(`/admin/promotions/${automatic}/codes`, { codes: ['AUTO'] }), {
    status: 409,
    body: { code: 'promotion_automatic' },
  });
});

t.test('codes have letters of any script, and are compared without case and width', async (t) => {
  const id = await promote(box, { discount: percent(10), automatic: false });
  const path = `/admin/promotions/${id}/codes`;
  const codes = ['ŻÓŁTY-10', 'ÉTÉ_2026', 'Straße', 'İndirim', 'セール2026', 'خصم١٠', 'हिन्दी', 'ΣΊΣΥΦΟΣ'];
  t.strictSame((await bodyOf(staff.post(path, { codes: [...codes, ' ＷＩＤＥ－１ '] }))).codes, [...codes, 'WIDE-1']);
  const same = [
    'żółty-10',
    'e\u0301te\u0301_2026',
    'STRASSE',
    'straẞe',
    'INDIRIM',
    'ındırım',
    'ｾｰﾙ２０２６',
    'wide-1',
    'σίσυφος',
  ];
  for (const code of same) {
    t.match(await staff.post(path, { codes: [code] }), { status: 409, body: { code: 'promotion_code_taken' } }, code);
  }
  for (const code of ['a b', '-abc', 'a,b', '=1+1', 'a\u200bb', '"quoted"', '🎁🎁🎁', '   ', ' a ']) {
    t.match(await staff.post(path, { codes: [code] }), { status: 400 }, code);
  }
  const generated = await bodyOf(staff.post(path, { generate: { count: 1, prefix: 'lato_ł' } }));
  t.match(generated.codes[0], /^LATO_Ł-[2-9A-Z]{12}$/);
});

t.test('ten thousand codes are generated at once, random and easy to read', async (t) => {
  const id = await promote(box, { discount: percent(10), automatic: false });
  const path = `/admin/promotions/${id}/codes`;
  const { codes } = await bodyOf(staff.post(path, { generate: { count: 10_000, prefix: 'spring' } }));
  t.equal(new Set(codes).size, 10_000);
  t.strictSame(
    codes.filter((code: string) => !/^SPRING-[2-9A-HJ-KM-NP-Z]{12}$/.test(code)),
    [],
  );
  t.match(await staff.post(path, { generate: { count: 10_001 } }), { status: 400 });
  const { items } = await bodyOf(staff.get(`${path}?limit=1`));
  t.match(items[0], { maxUses: 1, uses: 0, disabledAt: null }, 'one use each');
  t.match(await staff.delete(`${path}/${items[0].id}`), { status: 204 });
  const exported = await staff.get(`${path}/export`);
  t.equal(exported.headers.get('content-type'), 'text/csv; charset=utf-8');
  const lines: string[] = String(exported.body).split('\r\n');
  t.equal(lines.length, 10_002);
  t.equal(lines[0], 'code,max_uses,disabled_at,created_at');
  t.strictSame(new Set(lines.slice(1, -1).map((line) => line.split(',')[0])), new Set(codes));
  t.equal(lines.filter((line) => /^[^,]+,1,\d{4}-/.test(line)).length, 1, 'one is disabled');
  const plain = await bodyOf(staff.post(path, { generate: { count: 1 }, maxUses: null }));
  t.match(plain.codes[0], /^[2-9A-Z]{12}$/);
});

t.test('a store has a limited number of active automatic promotions', async (t) => {
  for (let number = 0; number < maxAutomatic; number++) await promote(box, { discount: percent(1) });
  const refused = { status: 409, body: { code: 'promotion_limit' } };
  const body = { label: 'One more', automatic: true, discount: percent(1) };
  t.match(await staff.post('/admin/promotions', body), refused);
  const inactive = await promote(box, { discount: percent(1), status: 'inactive' });
  t.match(await staff.patch(`/admin/promotions/${inactive}`, { status: 'active' }), refused);
  await promote(box, { discount: percent(1), endsAt: '2020-01-01' });
  await promote(box, { discount: percent(1), automatic: false });
});

t.test('what earlier releases took can be sent back', async (t) => {
  const sent = { label: 'Nothing off', discount: { kind: 'percent', percent: 5 } };
  const { id } = await bodyOf(staff.post('/admin/promotions', sent));
  const path = `/admin/promotions/${id}`;
  const discount = { kind: 'fixed', amounts: [{ amount: 0, currency: 'EUR' }] };
  const [startsAt, endsAt] = ['1000-01-01T00:00:00.000Z', '1899-01-01T00:00:00.000Z'];
  await box.owner.query('update promotions set discount = $2, starts_at = $3, ends_at = $4 where id = $1', [
    ...[id, JSON.stringify(discount), startsAt, endsAt],
  ]);
  const old = { discount, startsAt, endsAt };
  t.match(await staff.patch(path, { ...old, label: 'Ended' }), { status: 200, body: { ...old, label: 'Ended' } });
  t.equal(
    (
      await staff.patch(path, {
        discount: { ...discount, amounts: [...discount.amounts, { amount: 0, currency: 'USD' }] },
      })
    ).status,
    400,
  );
  t.equal((await staff.patch(path, { startsAt: endsAt })).status, 400);
});

t.test('an earlier release sees nothing off where it does not know a discount, and may change it', async (t) => {
  const discounts = [
    { kind: 'shipping_percent', percent: 50 },
    { kind: 'shipping_fixed', amounts: fixed(100).amounts },
    { kind: 'fixed_per_unit', amounts: fixed(100).amounts },
    { kind: 'percent', percent: 5, base: 'price' },
    { ...percent(5), maxUnits: { count: 1, per: 'order', first: 'dearest' } },
  ];
  const nothing = { kind: 'fixed', amounts: [{ amount: 0, currency: 'USN' }] };
  const stored = async (id: string) => {
    const [row] = await box.db.query<{ discount: object; offer: object | null }>(
      'select discount, offer from promotions where tenant_id = $1 and id = $2',
      [id],
    );
    return row;
  };
  for (const discount of discounts) {
    const { id, ...created } = await bodyOf(staff.post('/admin/promotions', { label: 'New', discount }));
    t.strictSame(created.discount, discount);
    t.strictSame(await stored(id), { discount: nothing, offer: discount });
    const path = `/admin/promotions/${id}`;
    t.strictSame((await bodyOf(staff.patch(path, { label: 'Newer' }))).discount, discount);
    t.strictSame((await bodyOf(staff.patch(path, { discount }))).discount, discount, 'sent back');
    // As release 0.2.0 does, which does not know the column.
    const tenth = { kind: 'percent', percent: 10 };
    await box.owner.query('update promotions set discount = $2 where id = $1', [id, JSON.stringify(tenth)]);
    t.strictSame((await bodyOf(staff.get(path))).discount, tenth);
    t.strictSame((await bodyOf(staff.patch(path, { discount: freeShipping }))).discount, freeShipping);
    t.strictSame(await stored(id), { discount: freeShipping, offer: null });
    await bodyOf(staff.delete(path));
  }
});
