/**
 * An order is placed only with the taxes that the shopper has seen, also where prices contain them and the total stays.
 */
import { cartTotals, totalsOrder, totalsStep } from '@carton/cart';
import { shopperWith } from '@carton/cart/testing';
import { createTestBox } from '@carton/runtime/testing';
import t from 'tap';
import { bindProvider, buyer, createArticle, snapshot } from './helpers.ts';

const euro = (amount: number) => ({ amount, currency: 'EUR' });
const at = (country: string) => ({ name: 'Ada Lovelace', line1: '12 Rue des Lilas', city: 'Lyon', country });
const orderTo = (address: unknown, more = {}) => ({ ...buyer, ...more, customer: { ...buyer.customer, address } });

/** A tax that prices contain, by shipping country. */
const rates: Record<string, number> = { FR: 20, DE: 19 };
const tax = totalsStep({
  name: 'tax',
  order: totalsOrder.tax,
  adjust: ({ sale, totals }) => {
    const rate = rates[sale.shippingAddress?.country ?? ''] ?? 0;
    const amount = Math.round((totals.subtotal * rate) / (100 + rate));
    return rate === 0 ? [] : [{ code: 'vat', label: 'VAT', kind: 'tax' as const, amount, rate, included: true }];
  },
});
const box = await createTestBox(t, { tier: 'basic', extends: [cartTotals.with(tax)] });
const mug = await createArticle(box, 'mug', 1200, 1000);

async function offered() {
  const shopper = await shopperWith(box, [mug, 1]);
  await shopper.put('/cart/shipping-address', at('FR'));
  const { headers, body } = await shopper.get('/checkout');
  return { shopper, tag: headers.get('etag') as string, totals: body.cart.totals };
}
const changed = { status: 412, body: { code: 'offer_changed', totals: { expected: euro(1200), actual: euro(1200) } } };
const beside = (tag: string) => ({ headers: { 'if-match': tag } });

t.test('a tax that changes while the total stays changes the ETag and rejects the order', async (t) => {
  const { shopper, tag, totals } = await offered();
  t.match(totals, { tax: euro(200), total: euro(1200) });
  rates.FR = 10;
  t.teardown(() => {
    rates.FR = 20;
  });
  const now = await shopper.get('/checkout', { headers: { 'if-none-match': tag } });
  t.match(now, { status: 200, body: { cart: { totals: { tax: euro(109), total: euro(1200) } } } });
  t.not(now.headers.get('etag'), tag);
  t.match(await shopper.post('/checkout', orderTo(at('FR')), beside(tag)), changed);
  const placed = await shopper.post('/checkout', orderTo(at('FR')), beside(now.headers.get('etag') as string));
  t.match(placed, { status: 201, body: { totals: { tax: euro(109), total: euro(1200) } } });
});

t.test('an address of the order with another tax is another offer', async (t) => {
  const provider = bindProvider(box, t);
  for (const more of [{}, { paymentMethod: 'card' }]) {
    const { shopper, tag } = await offered();
    const before = await snapshot(box);
    for (const sent of [tag, `W/${tag}`, tag.replace(/"$/, '-gzip"')])
      t.match(await shopper.post('/checkout', orderTo(at('DE'), more), beside(sent)), changed, sent);
    t.strictSame(await snapshot(box), before);
    t.strictSame(provider.calls, []);
    t.match(await shopper.post('/checkout', orderTo(at('FR')), beside(tag)), {
      status: 201,
      body: { totals: { tax: euro(200) } },
    });
  }
});

t.test('a tax that changes while the provider confirms the payment rejects the order', async (t) => {
  const provider = bindProvider(box, t);
  const { shopper, tag } = await offered();
  provider.before = async (call) => {
    if (call === 'confirm') rates.FR = 10;
  };
  t.teardown(() => {
    rates.FR = 20;
  });
  t.match(await shopper.post('/checkout', orderTo(at('FR'), { paymentMethod: 'card' }), beside(tag)), changed);
  t.notOk(provider.calls.some((call) => call.startsWith('capture')));
  t.equal((await shopper.get('/cart')).body.items.length, 1);
});
