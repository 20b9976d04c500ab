/**
 * Details of the customer are stored without surrounding spaces, and blank ones count as absent.
 */
import { shopperWith } from '@carton/cart/testing';
import { bodyOf, createTestBox } from '@carton/runtime/testing';
import t from 'tap';
import { createArticle } from './helpers.ts';

const box = await createTestBox(t, { tier: 'basic' });
const all = [
  ...['name', 'phone', 'address', 'address.line1', 'address.postalCode', 'address.city', 'address.country', 'billing'],
];
const cup = await createArticle(box, 'cup', 500, 100);
const email = 'ada@example.com';
const details = {
  name: 'Ada Lovelace',
  phone: '+33 4 72 00 00 00',
  address: { line1: '12 Rue des Lilas', postalCode: '69003', city: 'Lyon', country: 'FR' },
  billing: 'As above',
};
const requiring = (checkoutRequires: string[]) => bodyOf(box.staff.patch('/admin/store', { checkoutRequires }));

/** The fields that an order with this customer lacks. */
async function missingOf(customer: object): Promise<[status: number, missing: string[]]> {
  const shopper = await shopperWith(box, [cup, 1]);
  const { status, body } = await shopper.post('/checkout', { customer: { email, ...customer } });
  if (status !== 201) t.equal(body.code, 'customer_details_missing');
  const pointers = (body.errors ?? []).map(({ pointer }: { pointer: string }) => pointer);
  return [status, pointers];
}

t.test('a blank detail is missing, whichever it is', async (t) => {
  await requiring(all);
  t.strictSame(await missingOf(details), [201, []]);
  const { address } = details;
  const cases: [customer: object, missing: string[]][] = [
    [{ ...details, name: ' ' }, ['/customer/name']],
    [{ ...details, phone: ' ' }, ['/customer/phone']],
    [{ ...details, billing: ' ' }, ['/customer/billing']],
    [{ ...details, billing: { line1: ' ' } }, ['/customer/billing']],
    ...['line1', 'postalCode', 'city', 'country'].map((part): [object, string[]] => [
      { ...details, address: { ...address, [part]: '\t ' } },
      [`/customer/address/${part}`],
    ]),
    [
      { ...details, address: { line1: ' ', city: '' } },
      ['', '/line1', '/postalCode', '/city', '/country'].map((part) => `/customer/address${part}`),
    ],
  ];
  for (const [customer, missing] of cases) t.strictSame(await missingOf(customer), [409, missing], missing.join());
  await requiring([]);
});

t.test("blank details of the cart's addresses are missing, too, in the preview as in the order", async (t) => {
  await requiring(all);
  const shopper = await shopperWith(box, [cup, 1]);
  const blank = { name: ' ', line1: ' ', city: ' ', postalCode: ' ', phone: ' ', country: 'FR' };
  await bodyOf(shopper.put('/cart/shipping-address', blank));
  const { asks } = await bodyOf(shopper.get('/checkout'));
  t.strictSame(asks, ['name', 'phone', 'address.line1', 'address.postalCode', 'address.city', 'billing']);
  const { status, body } = await shopper.post('/checkout', { customer: { email } });
  t.equal(status, 409);
  t.equal(body.detail, `Missing: ${asks.join(', ')}.`);
  await requiring([]);
});

t.test('texts are stored without surrounding spaces, and a blank one like one that was not sent', async (t) => {
  const shopper = await shopperWith(box, [cup, 1]);
  const address = { line1: ' 12 Rue ', line2: ' ', country: 'Frankreich' };
  const customer = { email, name: ' Ada ', phone: ' ', address, billing: ' ' };
  const placed = await bodyOf(shopper.post('/checkout', { customer }));
  t.strictSame(placed.customer, {
    ...placed.customer,
    ...{ name: 'Ada', phone: null, address: { line1: '12 Rue', line2: null, country: 'FR' }, billing: null },
  });
  const changed = { address: { city: ' Bern ', country: 'Suisse' }, billing: ' ' };
  const order = await bodyOf(box.staff.patch(`/admin/orders/${placed.id}`, { customer: changed }));
  t.strictSame([order.customer.address, order.customer.billing], [{ city: 'Bern', country: 'CH' }, null]);
});
