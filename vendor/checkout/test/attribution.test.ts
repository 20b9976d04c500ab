/**
 * What a storefront reports of a visit by itself refuses no order.
 */
import { shopperWith } from '@carton/cart/testing';
import { OrderAttribution } from '@carton/order';
import { createTestBox } from '@carton/runtime/testing';
import t from 'tap';
import { buyer, createArticle } from './helpers.ts';

const box = await createTestBox(t, { tier: 'basic' });
const mug = await createArticle(box, 'mug', 1250, 1000);

t.test('no attribution that a storefront takes from a browser refuses an order', async (t) => {
  const storedOf = async (attribution: unknown) => {
    const placed = await (await shopperWith(box, [mug, 1])).post('/checkout', { ...buyer, attribution });
    t.equal(placed.status, 201, JSON.stringify(attribution).slice(0, 100));
    return (await box.staff.get(`/admin/orders/${placed.body.id}`)).body.attribution;
  };
  const { properties } = OrderAttribution;
  for (const name of Object.keys(properties) as (keyof typeof properties)[]) {
    const { maxLength } = properties[name] as { maxLength: number };
    t.equal(await storedOf({ [name]: '' }), null, `a blank ${name}`);
    t.strictSame(await storedOf({ [name]: ` ${'a'.repeat(maxLength + 1)}` }), { [name]: 'a'.repeat(maxLength) });
    const faces = '\u{1f600}'.repeat(maxLength + 1);
    t.strictSame(await storedOf({ [name]: `b${faces}` }), { [name]: `b${'\u{1f600}'.repeat(maxLength - 1)}` });
  }
  t.strictSame(await storedOf({ utmSource: null, utmTerm: ' shirt ', fbclid: 'x', gclid: { a: 1 } }), {
    utmTerm: 'shirt',
  });
  for (const nothing of [null, {}, { referrer: ' ', landingPage: null }, { campaign: 'spring-sale' }])
    t.equal(await storedOf(nothing), null, JSON.stringify(nothing));
});
