/**
 * Prices apply to the delivery address, a region sells only to its countries, and the order copies the cart's details.
 */
import { cartTotals, totalsOrder, totalsStep } from '@carton/cart';
import { shopperWith } from '@carton/cart/testing';
import { createTestBox } from '@carton/runtime/testing';
import t from 'tap';
import { bindProvider, buyer, createArticle, snapshot } from './helpers.ts';

const euro = (amount: number) => ({ amount, currency: 'EUR' });
const at = (country: string) => ({ name: 'Ada Lovelace', line1: '12 Rue des Lilas', city: 'Lyon', country });
const orderTo = (address: unknown, more = {}) => ({ ...buyer, ...more, customer: { ...buyer.customer, address } });

const countryOf = (address: unknown) => (address as { country: string }).country.toUpperCase();

/** A tax by shipping country, as a tax package would compute it. */
const rates: Record<string, number> = { FR: 20, DE: 19 };
const tax = totalsStep({
  name: 'tax',
  order: totalsOrder.tax,
  adjust: ({ sale, totals }) => {
    const rate = rates[sale.shippingAddress?.country ?? ''] ?? 0;
    const amount = (totals.subtotal * rate) / 100;
    return rate === 0 ? [] : [{ code: 'vat', label: 'VAT', kind: 'tax' as const, amount, rate }];
  },
});
const box = await createTestBox(t, { tier: 'basic', extends: [cartTotals.with(tax)] });
const mug = await createArticle(box, 'mug', 1000, 1000);

t.test("an address sent with the order replaces the cart's in pricing", async (t) => {
  const cases: [what: string, address: unknown, total: number][] = [
    ['another country', at('DE'), 1190],
    ['in lower case', { ...at('DE'), country: 'de' }, 1190],
    ['the same country', at('FR'), 1200],
    ['a country without tax', at('CH'), 1000],
    ["free text, which is not parsed: the cart's applies", '1 Main Street, Berlin', 1200],
    ["none: the cart's applies", undefined, 1200],
  ];
  for (const [what, address, total] of cases) {
    const shopper = await shopperWith(box, [mug, 1]);
    await shopper.put('/cart/shipping-address', at('FR'));
    t.match((await shopper.get('/checkout')).body, { cart: { totals: { total: euro(1200) } } });
    const placed = await shopper.post('/checkout', orderTo(address));
    t.equal(placed.status, 201, what);
    t.strictSame(placed.body.totals.total, euro(total), what);
    const stored = typeof address === 'object' ? { ...address, country: countryOf(address) } : address;
    t.match(placed.body.customer.address, stored ?? { country: 'FR' });
  }
});

t.test('that address also decides the amount of the payment and the comparison with the offer', async (t) => {
  const provider = bindProvider(box, t);
  const shopper = await shopperWith(box, [mug, 1]);
  await shopper.put('/cart/shipping-address', at('FR'));
  const tag = (await shopper.get('/checkout')).headers.get('etag') as string;
  const paid = orderTo(at('DE'), { paymentMethod: 'card' });
  const totals = { expected: euro(1200), actual: euro(1190) };
  const refused = await shopper.post('/checkout', { ...paid, expectedTotal: euro(1200) });
  t.match(refused, { status: 409, body: { code: 'total_changed', totals } });
  t.match(await shopper.post('/checkout', paid, { headers: { 'if-match': tag } }), { status: 412, body: { totals } });
  t.strictSame(provider.calls, []);
  t.equal((await shopper.post('/checkout', { ...paid, expectedTotal: euro(1190) })).status, 201);
  t.strictSame(provider.calls, ['initiate 1190', 'confirm 1190', 'capture 1190']);
});

t.test('a region sells only to its countries', async (t) => {
  const region = await box.staff.post('/admin/regions', { name: 'France', currency: 'EUR', countries: ['FR'] });
  const regionId = region.body.id;
  const shopper = await shopperWith(box, [mug, 1]);
  await shopper.patch('/cart', { regionId, note: 'Ring twice', locale: 'fr-FR' });
  await shopper.put('/cart/shipping-address', at('FR'));
  const before = await snapshot(box);
  for (const address of [at('DE'), { line1: '1 Main Street' }]) {
    const refused = await shopper.post('/checkout', orderTo(address));
    t.match(refused, { status: 409, body: { code: 'country_not_served' } }, JSON.stringify(address));
  }
  t.strictSame(await snapshot(box), before);
  const placed = await shopper.post('/checkout', orderTo(at('FR')));
  t.match(placed, { status: 201, body: { regionId, locale: 'fr-FR', notes: 'Ring twice' } });
  t.equal(placed.body.customer.email, buyer.customer.email);
  t.match((await box.staff.get(`/admin/orders/${placed.body.id}`)).body, { regionId, locale: 'fr-FR' });
});
