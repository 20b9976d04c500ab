/**
 * Details of a cart: region and currency, e-mail, note, addresses.
 */
import { shopperWith } from '@carton/cart/testing';
import { eventsOf, exactly, pointersOf } from '@carton/runtime/testing';
import t from 'tap';
import { countRows, createRegion, forSale, openBox } from './helpers.ts';

const box = await openBox(t);

t.test('a region sets the currency and its prices apply', async (t) => {
  const [us, de] = [await createRegion(box, 'USD'), await createRegion(box, 'EUR')];
  const shirt = await forSale(box, { price: 1000 });
  await shirt.price([
    { currency: 'EUR', amount: 1000 },
    { currency: 'EUR', amount: 900, regionId: de },
    { currency: 'USD', amount: 1200 },
  ]);
  const shopper = await shopperWith(box, [shirt, 2]);
  const patch = async (body: unknown) => (await shopper.patch('/cart', body)).body;
  const total = (amount: number, currency: string) => ({ totals: { total: { amount, currency } } });
  t.match(await patch({ regionId: us }), { regionId: us, currency: 'USD', ...total(2400, 'USD') });
  t.match(await patch({ regionId: de }), { regionId: de, currency: 'EUR', ...total(1800, 'EUR') });
  t.match(await patch({ regionId: null }), { regionId: null, currency: 'EUR', ...total(2000, 'EUR') });
  t.match(await patch({ currency: 'USD' }), { currency: 'USD', ...total(2400, 'USD') });
  t.match(await patch({ regionId: de, currency: 'EUR' }), { regionId: de, ...total(1800, 'EUR') });
  t.match(await patch({ regionId: null, currency: 'USD' }), { regionId: null, ...total(2400, 'USD') });
});

t.test('invalid details are rejected with a pointer to the field', async (t) => {
  const us = await createRegion(box, 'USD');
  const elsewhere = await createRegion(await box.openTenant(), 'USD');
  const shopper = await shopperWith(box, [await forSale(box), 1]);
  await shopper.patch('/cart', { regionId: us });
  const cases: [unknown, string][] = [
    [{ regionId: '0198f5a2-7c1e-7b5a-9f51-3f6a52a1c001' }, '/regionId'],
    [{ regionId: elsewhere }, '/regionId'],
    [{ regionId: us, currency: 'EUR' }, '/currency'],
    [{ currency: 'EUR' }, '/currency'],
    [{ currency: 'XXY' }, '/currency'],
    [{ currency: null }, '/currency'],
    [{ email: 'nobody' }, '/email'],
    [{ note: 'x'.repeat(2001) }, '/note'],
    [{ status: 'completed' }, '/status'],
    [{}, ''],
  ];
  const { body: before } = await shopper.get('/cart');
  for (const [body, pointer] of cases) {
    const answer = await shopper.patch('/cart', body);
    t.match(answer, { status: 400, body: { errors: exactly([{ in: 'body', pointer }]) } }, JSON.stringify(body));
  }
  t.strictSame((await shopper.get('/cart')).body, before);
  t.match(await shopper.patch('/cart', { currency: 'USD' }), { status: 200 }, 'the current currency is accepted');
});

t.test('e-mail and note are set and cleared, also before the first item', async (t) => {
  const shopper = box.shopper();
  const created = await shopper.patch('/cart', { email: 'ada@example.com', note: 'Ring twice' });
  t.match(created, {
    status: 200,
    body: { id: String, email: 'ada@example.com', note: 'Ring twice', items: exactly([]) },
  });
  t.match(await shopper.patch('/cart', { note: null }), { body: { email: 'ada@example.com', note: null } });
  const events = await eventsOf(box, created.body.id);
  t.strictSame(
    events.map(({ type }) => type),
    ['cart.created', 'cart.updated'],
  );
  t.notMatch(JSON.stringify(events), /ada@example/, 'events contain no personal data');
});

t.test('setting an address replaces it completely', async (t) => {
  const address = { name: 'Ada Lovelace', line1: '12 Rue des Lilas', city: 'Lyon', country: 'FR' };
  const optional = { company: null, line2: null, province: null, postalCode: null, phone: null };
  const shopper = box.shopper();
  const full = { ...address, company: 'AE', line2: '3rd floor', province: 'ARA', postalCode: '69003', phone: '+33 4' };
  const shipping = await shopper.put('/cart/shipping-address', full);
  t.match(shipping.status, 200);
  t.strictSame([shipping.body.shippingAddress, shipping.body.billingAddress], [full, null]);
  const billing = await shopper.put('/cart/billing-address', { ...address, line2: null });
  t.strictSame([billing.body.shippingAddress, billing.body.billingAddress], [full, { ...address, ...optional }]);
  const again = await shopper.put('/cart/shipping-address', address);
  t.strictSame(again.body.shippingAddress, { ...address, ...optional }, 'omitted fields become null');
  t.strictSame((await shopper.get('/cart')).body, again.body);

  const before = await countRows(box, 'carts');
  const cases: [unknown, string][] = [
    [{ ...address, country: 'XX' }, '/country'],
    [{ ...address, country: 'Atlantis' }, '/country'],
    [{ ...address, name: '' }, '/name'],
    [{ ...address, city: undefined }, '/city'],
    [{ ...address, planet: 'Earth' }, '/planet'],
  ];
  for (const [body, pointer] of cases) {
    for (const kind of ['shipping', 'billing']) {
      const answer = await box.shopper().put(`/cart/${kind}-address`, body);
      t.strictSame([answer.status, pointersOf(answer)], [400, [pointer]], `${kind} ${pointer}`);
    }
  }
  t.equal(await countRows(box, 'carts'), before);
});

t.test('a region with carts can be deleted', async (t) => {
  const us = await createRegion(box, 'USD');
  const shopper = box.shopper();
  await shopper.patch('/cart', { regionId: us });
  t.equal((await box.staff.delete(`/admin/regions/${us}`)).status, 204);
  t.match((await shopper.get('/cart')).body, { regionId: null, currency: 'USD' });
});
