/**
 * Details of the customer are stored without surrounding spaces, and blank ones count as absent.
 */
import { shopperWith } from '@carton/cart/testing';
import { bodyOf, createTestBox, exactly } from '@carton/runtime/testing';
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
  const blank = { name: ' ', line1: ' ', city: ' ', postalCode: ' ', phone: ' ' };
  const address = { name: 'Ada', line1: '1 Way', city: 'Paris', country: 'FR' };
  const { id } = await bodyOf(shopper.put('/cart/shipping-address', address));
  // Of an earlier release.
  await box.db.query(
    'update cart_addresses set name = $3, line1 = $3, city = $3 where tenant_id = $1 and cart_id = $2',
    [id, blank.name],
  );
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

t.test('the cart and the preview show what the order will have', async (t) => {
  const shopper = await shopperWith(box, [cup, 1]);
  const path = '/cart/shipping-address';
  const address = { name: '  Ada  ', line1: ' 1 Way', company: '  ', city: '  Bonn ', country: 'DE' };
  for (const required of ['name', 'line1']) {
    const refused = await shopper.put(path, { ...address, [required]: ' \u3000' });
    t.match(refused, { status: 400, body: { errors: exactly([{ pointer: `/${required}` }]) } });
  }
  const written = { name: 'Ada', line1: '1 Way', company: null, city: 'Bonn', country: 'DE' };
  t.match((await shopper.put(path, address)).body.shippingAddress, written);
  t.match((await shopper.patch('/cart', { note: ' Ring twice ' })).body, { note: 'Ring twice' });
  t.match((await shopper.patch('/cart', { note: '  ' })).body, { note: null });
  t.match((await shopper.get('/checkout')).body.cart.shippingAddress, written);
  const placed = await bodyOf(shopper.post('/checkout', { customer: { email } }));
  t.match(placed.customer, { name: 'Ada', address: written });
});

t.test('phone numbers lose what was copied with them, wherever they are', async (t) => {
  const copied = '\u202a+８１ 3 1234 5678\u202c';
  const phone = '+81 3 1234 5678';
  const shopper = await shopperWith(box, [cup, 1]);
  const address = { name: 'Ada', line1: '1 Way', city: 'Bonn', country: 'DE', phone: copied };
  const cart = await bodyOf(shopper.put('/cart/shipping-address', address));
  t.equal(cart.shippingAddress.phone, phone);
  const customer = { email, phone: copied, billing: address };
  const placed = await bodyOf(shopper.post('/checkout', { customer }));
  t.match(placed.customer, { phone, address: { phone }, billing: { phone } });
  const change = { phone: `${copied}1`, address };
  const changed = await bodyOf(box.staff.patch(`/admin/orders/${placed.id}`, { customer: change }));
  t.match(changed.customer, { phone: `${phone}1`, address: { phone } });
  const store = await bodyOf(box.staff.patch('/admin/store', { phone: copied }));
  t.equal(store.phone, phone);
});

t.test('an empty text, a blank one and null are one that was not sent, whatever the field', async (t) => {
  for (const nothing of ['', ' ', '\u200b', null]) {
    const shopper = await shopperWith(box, [cup, 1]);
    await bodyOf(shopper.patch('/cart', { note: 'Ring twice' }));
    const customer = { email, name: nothing, phone: nothing, address: nothing, billing: nothing };
    const notes = nothing === null ? {} : { notes: nothing };
    const placed = await bodyOf(shopper.post('/checkout', { customer, paymentMethod: nothing, ...notes }));
    t.match(placed, { customer: { name: null, address: null, billing: null }, notes: 'Ring twice' }, String(nothing));
  }
  const shopper = await shopperWith(box, [cup, 1]);
  const placed = await bodyOf(shopper.post('/checkout', { customer: { email }, notes: '  Ring  once \n' }));
  t.equal(placed.notes, 'Ring  once');
  const names: [string | null, string | null][] = [
    [' Grace ', 'Grace'],
    ['  ', null],
  ];
  for (const [name, stored] of names) {
    const changed = await bodyOf(box.staff.patch(`/admin/orders/${placed.id}`, { customer: { name, phone: name } }));
    t.match(changed.customer, { name: stored, phone: stored });
  }
});

t.test('names and lines of addresses have one line', async (t) => {
  await requiring([]);
  const shopper = await shopperWith(box, [cup, 1]);
  const customer = {
    email,
    name: 'Ada\r\nBcc: eve@example.com\u202e',
    address: { ...details.address, line1: '12\tRue' },
    billing: 'Ada\n1 Way',
  };
  const { body } = await shopper.post('/checkout', { customer });
  t.match(body.customer, { name: 'Ada Bcc: eve@example.com', address: { line1: '12 Rue' }, billing: 'Ada\n1 Way' });
});
