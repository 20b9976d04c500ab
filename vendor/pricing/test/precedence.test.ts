/**
 * Precedence of price sources, and which prices are valid.
 */

import { newId } from '@carton/runtime';
import { createTestBox, extendBox } from '@carton/runtime/testing';
import t, { type Test } from 'tap';
import { type PriceSource, priceOrder, priceSources, type SourcePrice } from '../index.ts';
import { resolvePrices } from '../resolving/service.ts';

const box = await createTestBox(t);
const source = (name: string, order: number, price: SourcePrice | null): PriceSource => ({
  name,
  order,
  reads: async () => null,
  price: () => price,
});
const resolve = async (t: Test, ...sources: PriceSource[]) => {
  const contributions = sources.map((each) => priceSources.with(each));
  const db = extendBox(t, box, contributions, { without: [priceSources] });
  const context = { currency: 'EUR', regionId: null, memberId: null, channelId: null, time: new Date() };
  const [price] = await resolvePrices(db, [{ variantId, quantity: 1, properties: {} }], context);
  return price;
};
const created = await box.staff.post('/admin/products', { title: 'Shirt', variants: [{ title: 'Only' }] });
const variantId: string = created.body.variants[0].id;
await box.staff.put(`/admin/variants/${variantId}/prices`, { prices: [{ currency: 'EUR', amount: 1000 }] });

t.test('the first source in order that has a price wins, even if another is lower', async (t) => {
  const list = source('list', priceOrder.priceList, { amount: 1, id: 'a' });
  const quote = source('quote', priceOrder.quote, { amount: 900, id: 'b' });
  t.strictSame(await resolve(t, list, quote), {
    amount: 900,
    source: { type: 'quote', id: 'b' },
    compareAt: 1000,
    lowestPrior: null,
  });
  t.strictSame(await resolve(t, list, source('quote', priceOrder.quote, null)), {
    amount: 1,
    source: { type: 'list', id: 'a' },
    compareAt: 1000,
    lowestPrior: null,
  });
  t.strictSame(await resolve(t, source('list', priceOrder.priceList, null)), {
    amount: 1000,
    source: { type: 'base', id: null },
    compareAt: null,
    lowestPrior: null,
  });
});

t.test('a source may set the compare-at price', async (t) => {
  const compared = (compareAt: number | null) =>
    source('list', priceOrder.priceList, { amount: 900, id: null, compareAt });
  t.equal((await resolve(t, compared(950)))?.compareAt, 950);
  t.equal((await resolve(t, compared(null)))?.compareAt, null);
  t.equal((await resolve(t, compared(900)))?.compareAt, null);
});

t.test('a source states the lowest price before its own; it counts only for a sale price', async (t) => {
  const sale = (compareAt: number) =>
    source('list', priceOrder.priceList, { amount: 900, id: null, compareAt, lowestPrior: 950 });
  t.equal((await resolve(t, sale(1000)))?.lowestPrior, 950);
  t.equal((await resolve(t, sale(900)))?.lowestPrior, null);
});

t.test('the regular price of the base price is that of a source, too', async (t) => {
  const path = `/admin/variants/${variantId}/prices`;
  await box.staff.put(path, { prices: [{ currency: 'EUR', amount: 1000, compareAt: 1200 }] });
  t.equal((await resolve(t, source('list', priceOrder.priceList, { amount: 900, id: null })))?.compareAt, 1200);
  await box.staff.put(path, { prices: [{ currency: 'EUR', amount: 1000 }] });
  t.equal((await resolve(t, source('list', priceOrder.priceList, { amount: 900, id: null })))?.compareAt, 1000);
});

t.test('a source that returns an invalid amount is named', async (t) => {
  for (const amount of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
    const wrong = resolve(t, source('wrong', priceOrder.quote, { amount, id: newId() }));
    await t.rejects(wrong, { message: `the price source wrong returned the invalid amount ${amount}` });
  }
  t.equal((await resolve(t, source('gift', priceOrder.quote, { amount: 0, id: null })))?.amount, 0);
});
