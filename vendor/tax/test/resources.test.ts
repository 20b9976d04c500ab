/**
 * Tax categories and rates as staff manage them.
 */
import { createTestBox, eventsOf, exactly } from '@carton/runtime/testing';
import t from 'tap';
import { createCategory, createRate } from './helpers.ts';

const packages = 'core auth tenant region product pricing inventory cart order payment tax'.split(' ');
const box = await createTestBox(t, { packages: packages.map((name) => `@carton/${name}`), tier: 'basic' });
const { staff } = box;
const vat = { code: 'vat', name: 'VAT', rate: 19, country: 'DE' };

t.test('a rate is created, changed and deleted, and each change is an event', async (t) => {
  const created = await staff.post('/admin/tax-rates', vat);
  const complete = {
    ...vat,
    province: null,
    postalCode: null,
    categoryId: null,
    compound: false,
    override: false,
    externalId: null,
  };
  t.match(created, { status: 201, body: complete });
  const { id } = created.body;
  const path = `/admin/tax-rates/${id}`;
  t.equal(created.headers.get('location'), path);
  t.strictSame((await staff.get(path)).body, created.body);
  t.match(await staff.patch(path, { rate: 16.12345, name: 'Sales tax' }), {
    status: 200,
    body: { ...complete, rate: 16.12345, name: 'Sales tax' },
  });
  t.match(await staff.delete(path), { status: 204 });
  t.match(await staff.get(path), { status: 404 });
  const events = await eventsOf(box, id);
  const { externalId: _, name: __, ...payload } = complete;
  const changed = { ...payload, rate: 16.12345 };
  t.strictSame(
    events.map(({ type, payload }) => [type, payload]),
    [
      ['tax_rate.created', payload],
      ['tax_rate.updated', changed],
      ['tax_rate.deleted', changed],
    ],
  );
});

t.test('a country or province has one rate of a category and code', async (t) => {
  const categoryId = await createCategory(box, 'toys');
  const rates = [
    { ...vat, country: 'FR' },
    { ...vat, country: 'FR', categoryId },
    { ...vat, country: 'FR', code: 'eco' },
    { ...vat, country: 'FR', province: 'Corse' },
  ];
  for (const rate of rates) {
    t.equal((await staff.post('/admin/tax-rates', rate)).status, 201);
    t.match(await staff.post('/admin/tax-rates', rate), { status: 409, body: { code: 'tax_rate_taken' } });
  }
  const [id] = await Promise.all([createRate(box, { ...vat, country: 'FR', code: 'other' })]);
  t.match(await staff.patch(`/admin/tax-rates/${id}`, { code: 'vat' }), {
    status: 409,
    body: { code: 'tax_rate_taken' },
  });
});

t.test('provinces are stored in one form', async (t) => {
  const [quebec, ontario] = await Promise.all([
    createRate(box, { ...vat, country: 'CA', province: ' ca-qc ' }),
    createRate(box, { ...vat, country: 'CA', province: 'On' }),
  ]);
  t.match((await staff.get(`/admin/tax-rates/${quebec}`)).body, { province: 'QC' });
  t.match((await staff.get('/admin/tax-rates?country=CA&province=ca-on')).body, { items: exactly([{ id: ontario }]) });
  t.match((await staff.get('/admin/tax-rates?province=qc')).body, { items: exactly([{ id: quebec }]) });
  t.match((await staff.get('/admin/tax-rates?country=CA')).body.items.length, 2);
  t.match(await staff.patch(`/admin/tax-rates/${ontario}`, { province: 'nl' }), { body: { province: 'NL' } });
  t.match(await staff.patch(`/admin/tax-rates/${ontario}`, { rate: 1 }), { body: { province: 'NL', rate: 1 } });
  t.match(await staff.patch(`/admin/tax-rates/${ontario}`, { province: null }), { body: { province: null } });
});

t.test('a rate without a sense is rejected', async (t) => {
  const other = await box.openTenant();
  const foreign = await createCategory(other, 'theirs');
  const cases: [Record<string, unknown>, string][] = [
    [{ rate: 19.123456 }, '/rate'],
    [{ rate: 100.1 }, '/rate'],
    [{ rate: -1 }, '/rate'],
    [{ override: true }, '/override'],
    [{ categoryId: foreign }, '/categoryId'],
    [{ country: 'XX' }, '/country'],
    [{ province: 'a'.repeat(101) }, '/province'],
  ];
  const id = await createRate(box, { ...vat, country: 'IT' });
  for (const [fault, pointer] of cases) {
    const refused = { status: 400, body: { code: 'invalid_request', errors: [{ pointer }] } };
    t.match(await staff.post('/admin/tax-rates', { ...vat, country: 'ES', ...fault }), refused, pointer);
    t.match(await staff.patch(`/admin/tax-rates/${id}`, fault), refused, pointer);
  }
  const inProvince = await createRate(box, { ...vat, country: 'IT', province: 'BZ', override: true });
  t.match(await staff.patch(`/admin/tax-rates/${inProvince}`, { province: null }), { status: 400 });
  t.match((await staff.get('/admin/tax-rates?country=ES')).body, { items: exactly([]) });
});

t.test('a category is deleted once nothing refers to it', async (t) => {
  const id = await createCategory(box, 'books');
  const path = `/admin/tax-categories/${id}`;
  t.match(await staff.post('/admin/tax-categories', { code: 'books', name: 'Again' }), {
    status: 409,
    body: { code: 'tax_category_code_taken' },
  });
  t.match(await staff.patch(path, { name: 'Printed books' }), { body: { code: 'books', name: 'Printed books' } });
  t.match(await staff.patch(path, { code: 'prints' }), { status: 400 });
  t.match((await staff.get('/admin/tax-categories?code=books')).body, { items: exactly([{ id }]) });
  const refused = async (detail: string) =>
    t.match(await staff.delete(path), { status: 409, body: { code: 'tax_category_in_use', detail } });
  const product = await staff.post('/admin/products', { title: 'Novel', taxCategory: 'books' });
  await refused('Products have this category.');
  await staff.patch(`/admin/products/${product.body.id}`, { taxCategory: null });
  const rate = await createRate(box, { ...vat, country: 'AT', categoryId: id });
  await refused('Tax rates have this category.');
  t.match((await staff.get(`/admin/tax-rates?categoryId=${id}`)).body, { items: exactly([{ id: rate }]) });
  await staff.delete(`/admin/tax-rates/${rate}`);
  await staff.patch('/admin/store', { settings: { tax: { shippingCategory: 'books' } } });
  await refused('The store taxes shipping by this category.');
  await staff.patch('/admin/store', { settings: { tax: { shippingCategory: null } } });
  t.match(await staff.delete(path), { status: 204 });
});
