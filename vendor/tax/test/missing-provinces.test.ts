/**
 * An address without the province on which a rate depends cannot be ordered: leaving it out would leave out the tax.
 */
import { shopperWith } from '@carton/cart/testing';
import { bodyOf, createTestBox, exactly } from '@carton/runtime/testing';
import t from 'tap';
import { addressIn, createArticle, createRate, shipTo, taxesOfCart } from './helpers.ts';

const box = await createTestBox(t);
const email = 'ada@example.com';
for (const [country, province, rate] of [
  ['US', 'CA', 7.25],
  ['CA', null, 5],
  ['CA', 'QC', 9.975],
  ['GB', 'NIR', 3],
  ['DE', null, 19],
] as const) {
  await createRate(box, { code: `${country}-${province}`.toLowerCase(), country, province, rate });
}
const article = await createArticle(box, 1000);
const shopper = () => shopperWith(box, [article, 1]);

const missing = {
  status: 409,
  body: {
    code: 'customer_details_missing',
    detail: /^Missing: address\.province\. Taxes or shipping in United States depend on it\.$/,
    errors: exactly([{ in: 'body', pointer: '/customer/address/province' }]),
  },
};

t.test('an address without its province is not ordered without the tax', async (t) => {
  const address = { line1: '1 Way', city: 'Los Angeles', postalCode: '90001', country: 'US' };
  for (const province of [undefined, null, '', ' ', '\u200b']) {
    const sent = { customer: { email, address: { ...address, ...(province !== undefined && { province }) } } };
    const placed = await (await shopper()).post('/checkout', sent);
    if (province === '\u200b') t.match(placed, { status: 409 }, 'a province that is not seen');
    else t.match(placed, missing, JSON.stringify(province));
  }
  const buyer = await shopper();
  const cart = await shipTo(buyer, 'US');
  t.strictSame([cart.issues, taxesOfCart(cart)[0]], [['province_missing'], []]);
  const { ready, requirements } = await bodyOf(buyer.get('/checkout'));
  t.notOk(ready);
  t.match(requirements, exactly([{ code: 'province_missing', pointer: '/customer/address/province' }]));
  t.match(await buyer.post('/checkout', { customer: { email } }), missing);
  const right = await shipTo(buyer, 'US', 'CA');
  t.strictSame([right.issues, taxesOfCart(right)[0]], [[], ['us-ca 7.25 % 73']]);
  t.match(await buyer.post('/checkout', { customer: { email } }), { status: 201 });
  t.strictSame((await shipTo(await shopper(), 'CA')).issues, ['province_missing']);
});

t.test('a province that is not known is not to be left out', async (t) => {
  const detailAt = async (country: string) => {
    const buyer = await shopper();
    await shipTo(buyer, country, 'Foo');
    const { status, body } = await buyer.post('/checkout', { customer: { email } });
    t.strictSame([status, body.code], [409, 'province_unknown']);
    return body.detail;
  };
  t.equal(
    await detailAt('US'),
    'Foo is not a known province of United States. Taxes or shipping depend on it: correct it.',
  );
  t.match(await detailAt('GB'), /correct it, or leave it out\.$/);
});

t.test('nothing is missing where addresses have no province, or nothing depends on it', async (t) => {
  for (const country of ['GB', 'DE', 'AU', 'JP']) {
    const buyer = await shopper();
    t.strictSame((await shipTo(buyer, country)).issues, [], country);
    t.match(await buyer.post('/checkout', { customer: { email } }), { status: 201 }, country);
  }
  for (const address of [undefined, '1 Way, Los Angeles, CA 90001']) {
    t.match(await (await shopper()).post('/checkout', { customer: { email, address } }), { status: 201 });
  }
});

t.test('Spanish postal codes name the province', async (t) => {
  const store = await box.openTenant();
  await createRate(store, { code: 'iva', country: 'ES', rate: 21 });
  await createRate(store, { code: 'igic', country: 'ES', province: 'CN', rate: 7, override: true });
  const variantId = await createArticle(store, 1000);
  const cases: [postalCode: string | undefined, issues: string[], taxes: string[]][] = [
    ['35001', [], ['igic 7 % 70']],
    ['E-38001', [], ['igic 7 % 70']],
    ['28001', [], ['iva 21 % 210']],
    ['99001', ['province_missing'], ['iva 21 % 210']],
    ['3500', ['postal_code_invalid', 'province_missing'], ['iva 21 % 210']],
    [undefined, ['province_missing'], ['iva 21 % 210']],
  ];
  for (const [postalCode, issues, taxes] of cases) {
    const buyer = await shopperWith(store, [variantId, 1]);
    const cart = await bodyOf(buyer.put('/cart/shipping-address', { ...addressIn('ES'), postalCode }));
    t.strictSame([cart.issues, taxesOfCart(cart)[0]], [issues, taxes], String(postalCode));
  }
});

t.test('a store may require the province', async (t) => {
  const store = await box.openTenant();
  const settings = { checkoutRequires: ['address.province'] };
  t.match(await store.staff.patch('/admin/checkout-settings', settings), { status: 200, body: settings });
  const { variantId } = { variantId: await createArticle(store, 1000) };
  const ordered = async (country: string, province: string | null) => {
    const buyer = await shopperWith(store, [variantId, 1]);
    const { name, line1, city } = addressIn(country);
    const customer = { email, name, address: { line1, city, country, ...(province && { province }) } };
    const placed = await buyer.post('/checkout', { customer });
    if (placed.status === 409) {
      t.match(placed.body, { code: 'customer_details_missing', detail: 'Missing: address.province.' });
    }
    return placed.status;
  };
  for (const country of ['US', 'AU', 'MX']) t.equal(await ordered(country, null), 409, country);
  t.equal(await ordered('US', 'CA'), 201);
  for (const country of ['DE', 'SG', 'GB', 'FR']) t.equal(await ordered(country, null), 201, country);
  await createRate(store, { country: 'US', province: 'CA', rate: 7 });
  const buyer = await shopperWith(store, [variantId, 1]);
  const placed = await buyer.post('/checkout', { customer: { email, address: { line1: '1 Way', country: 'US' } } });
  t.match(placed, missing, 'named once');
});
