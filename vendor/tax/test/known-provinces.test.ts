/**
 * A rate is of a province that is known, where those of its country are; one that an earlier release has stored stays.
 */
import { bodyOf, createTestBox, exactly } from '@carton/runtime/testing';
import t from 'tap';

const box = await createTestBox(t);
const rate = { code: 'vat', name: 'VAT', rate: 5 };

t.test('a province that is not known is refused, with those that have similar names', async (t) => {
  const { staff } = await box.openTenant();
  const cases: [country: string, province: string, detail: RegExp][] = [
    ['DE', 'Bavariaa', /is no province of Germany\. Similar ones: Bayern \(BY\)/],
    ['US', 'Texass', /Similar ones: Texas \(TX\)/],
    ['CH', 'Zuerrich', /Zürich \(ZH\)/],
    ['DE', 'Qwxyz', /GET \/countries lists them/],
    ['CH', 'Basel', /is the name of several provinces: .*\(BL\).*\(BS\)/],
  ];
  for (const [country, province, detail] of cases) {
    const answer = await staff.post('/admin/tax-rates', { ...rate, country, province });
    t.match(
      answer,
      { status: 400, body: { code: 'invalid_request', errors: exactly([{ pointer: '/province', detail }]) } },
      province,
    );
  }
  // The standard has no provinces of Macau.
  t.match(await staff.post('/admin/tax-rates', { ...rate, country: 'MO', province: 'Taipa' }), { status: 201 });
  t.match(await staff.post('/admin/tax-rates', { ...rate, country: 'GR', province: 'Κρήτη' }), {
    status: 201,
    body: { province: 'M' },
  });
});

t.test('a rate that an earlier release has stored can be changed while its province is not', async (t) => {
  const { staff, db } = await box.openTenant();
  const { id } = await bodyOf(staff.post('/admin/tax-rates', { ...rate, country: 'DE', province: 'BY' }));
  const path = `/admin/tax-rates/${id}`;
  await db.query("update tax_rates set province = 'BAVARIAA' where tenant_id = $1");
  t.match(await staff.patch(path, { rate: 6 }), { status: 200, body: { rate: 6, province: 'BAVARIAA' } });
  t.match(await staff.patch(path, { rate: 7, country: 'DE', province: 'BAVARIAA' }), { status: 200 });
  t.match(await staff.patch(path, { country: 'US' }), {
    status: 400,
    body: { errors: exactly([{ pointer: '/province' }]) },
  });
  t.match(await staff.patch(path, { province: 'Texass' }), { status: 400 });
  t.match(await staff.patch(path, { province: 'Bavaria' }), { status: 200, body: { province: 'BY' } });
});
