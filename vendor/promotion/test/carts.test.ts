/**
 * Promotions of carts, over HTTP: which codes a cart takes, and what is taken off. Orders are in `orders.test.ts`.
 */
import { cartTotals, totalsOrder, totalsStep } from '@carton/cart';
import { mergeCarts, shopperWith } from '@carton/cart/testing';
import { newId } from '@carton/runtime';
import { bodyOf, countRoundTrips, createTestBox, exactly, extendBox, sessionHashOf } from '@carton/runtime/testing';
import t from 'tap';
import { applyPromotionCode } from '../carts/routes.ts';
import {
  buyer,
  buyGet,
  createArticle,
  endAll,
  fixed,
  freeShipping,
  ofProducts,
  percent,
  promote,
  promoteByCode,
  rules,
  shownOf,
} from './helpers.ts';

const box = await createTestBox(t, { tier: 'basic' });
const { staff } = box;
const { database } = box.box;
const [shirt, socks] = [await createArticle(box, 5000), await createArticle(box, 1000)];
t.afterEach(() => endAll(box));

t.test('a code that cannot be used is refused with the reason', async (t) => {
  const shopper = box.shopper();
  const codeOf = async (code: string) => {
    const { status, body } = await shopper.post('/cart/promotions', { code });
    return [status, body.code];
  };
  t.strictSame(await codeOf('NOWHERE'), [404, 'promotion_code_unknown']);
  await promoteByCode(box, 'EARLY', { discount: percent(10), startsAt: '2999-01-01' });
  t.strictSame(await codeOf('EARLY'), [409, 'promotion_not_started']);
  await promoteByCode(box, 'LATE', { discount: percent(10), endsAt: '2020-01-01' });
  t.strictSame(await codeOf('LATE'), [409, 'promotion_expired']);
  await promoteByCode(box, 'OFF', { discount: percent(10), status: 'inactive' });
  t.strictSame(await codeOf('OFF'), [409, 'promotion_code_disabled']);
  const id = await promoteByCode(box, 'GONE', { discount: percent(10) });
  const [{ id: codeId }] = (await bodyOf(staff.get(`/admin/promotions/${id}/codes`))).items;
  for (let time = 0; time < 2; time++) {
    t.match(await staff.delete(`/admin/promotions/${id}/codes/${codeId}`), { status: 204 });
  }
  t.strictSame(await codeOf('GONE'), [409, 'promotion_code_disabled']);
  t.match(await staff.post(`/admin/promotions/${id}/codes`, { codes: ['gone'] }), {
    status: 409,
    body: { code: 'promotion_code_taken' },
  });
  t.equal(applyPromotionCode.declaration.rateLimit, 'login', 'guesses are limited like those of passwords');
  t.strictSame((await bodyOf(shopper.get('/cart'))).id, null, 'a refused code creates no cart');
});

t.test('a code that does not apply yet stays in the cart', async (t) => {
  await promoteByCode(box, 'BIG', {
    discount: fixed(1000),
    rules: rules({ minimumAmounts: [{ amount: 6000, currency: 'EUR' }] }),
  });
  const shopper = await shopperWith(box, [shirt, 1]);
  await bodyOf(shopper.post('/cart/promotions', { code: 'BIG' }));
  t.strictSame(await shownOf(shopper), [[['BIG', 'minimum_amount']], 5000]);
  t.match((await shopper.get('/checkout')).body, {
    ready: true,
    cart: { promotions: exactly([{ code: 'BIG', applied: false }]) },
  });
  await bodyOf(shopper.post('/cart/items', { variantId: socks.variantId, quantity: 1 }));
  t.strictSame(await shownOf(shopper), [[['BIG', -1000]], 5000]);
  t.match(await shopper.delete('/cart/promotions/big'), { status: 204 });
  t.strictSame(await shownOf(shopper), [[], 6000]);
  t.match(await shopper.delete('/cart/promotions/big'), { status: 404 });
  t.match(await box.shopper().delete('/cart/promotions/big'), { status: 404 });
});

t.test('a cart holds ten codes', async (t) => {
  const id = await promoteByCode(box, 'CODE-0', { discount: percent(10) });
  const codes = Array.from({ length: 10 }, (_, at) => `CODE-${at + 1}`);
  await bodyOf(staff.post(`/admin/promotions/${id}/codes`, { codes }));
  const shopper = box.shopper();
  for (const code of codes) await bodyOf(shopper.post('/cart/promotions', { code }));
  await bodyOf(shopper.post('/cart/promotions', { code: 'code-1' }));
  t.match(await shopper.post('/cart/promotions', { code: 'CODE-0' }), {
    status: 409,
    body: { code: 'promotion_code_limit' },
  });
});

t.test('promotions apply by priority, then by age', async (t) => {
  await promote(box, { label: 'Tenth', discount: percent(10) });
  await promote(box, { label: 'Euro', discount: fixed(1000) });
  const shopper = await shopperWith(box, [shirt, 1]);
  t.strictSame(await shownOf(shopper), [[['Tenth', -500], ['Euro', -1000]], 3500]); // biome-ignore format: short
  await promote(box, { label: 'Half', discount: percent(50), priority: 1 });
  t.strictSame(await shownOf(shopper), [[['Half', -2500], ['Tenth', -250], ['Euro', -1000]], 1250]); // biome-ignore format: short
  await promote(box, { label: 'Alone', discount: percent(60), exclusive: true });
  t.strictSame((await shownOf(shopper))[1], 1250, 'the priority of the others is higher');
  await promote(box, { label: 'First alone', discount: percent(1), exclusive: true, priority: 2 });
  t.strictSame(await shownOf(shopper), [[['First alone', -50]], 4950]);
});

t.test('conditions choose the lines, and units for others', async (t) => {
  await promote(box, { label: 'Socks', discount: percent(50), rules: rules({ conditions: [ofProducts(socks)] }) });
  const shopper = await shopperWith(box, [shirt, 1], [socks, 2]);
  t.strictSame(await shownOf(shopper), [[['Socks', -1000]], 6000]);
  const { items, adjustments } = await bodyOf(shopper.get('/cart'));
  t.strictSame(
    adjustments.map(({ itemId }: { itemId: string }) => itemId),
    [items[1].id],
  );
  await endAll(box);
  await promote(box, {
    label: 'Free socks',
    discount: buyGet(1, 1, { getConditions: [ofProducts(socks)] }),
    rules: rules({ conditions: [ofProducts(shirt)] }),
  });
  t.strictSame(await shownOf(shopper), [[['Free socks', -1000]], 6000]);
  await bodyOf(shopper.delete(`/cart/items/${items[1].id}`));
  t.strictSame(await shownOf(shopper), [[['Free socks', 'minimum_quantity']], 5000]);
});

t.test('automatic promotions whose rules are not met stay confidential, except for minimums', async (t) => {
  await promote(box, { label: 'Members', discount: percent(10), rules: rules({ membersOnly: true }) });
  await promote(box, { label: 'Region', discount: percent(10), rules: rules({ regionIds: [newId()] }) });
  await promote(box, { label: 'Many', discount: percent(10), rules: rules({ minimumQuantity: 9 }) });
  const shopper = await shopperWith(box, [socks, 1]);
  t.strictSame(await shownOf(shopper), [[['Many', 'minimum_quantity']], 1000]);
});

t.test('free shipping takes off what is left of every charge', async (t) => {
  const charges = totalsStep({
    name: 'post',
    order: totalsOrder.shipping,
    adjust: () => [
      { code: 'post', label: 'Post', kind: 'shipping', amount: 490 },
      { code: 'gift', label: 'Gift wrap', kind: 'shipping', amount: 200 },
    ],
  });
  const id = await promoteByCode(box, 'FREE', { discount: freeShipping });
  const shopper = await shopperWith(box, [shirt, 1]);
  await bodyOf(shopper.post('/cart/promotions', { code: 'FREE' }));
  t.match(
    (await shopper.get('/cart')).body.promotions,
    exactly([{ applied: true, amount: { amount: 0 } }]),
    'in advance',
  );
  extendBox(t, box, [cartTotals.with(charges)]);
  t.strictSame(await shownOf(shopper), [[['FREE', -690]], 5000]);
  const order = await bodyOf(shopper.post('/checkout', buyer()));
  t.strictSame(
    order.adjustments.flatMap(({ kind, shippingCode, amount }: never) =>
      kind === 'discount' ? [[shippingCode, (amount as { amount: number }).amount]] : [],
    ),
    [
      ['post', -490],
      ['gift', -200],
    ],
  );
  t.match((await staff.get(`/admin/promotions/${id}`)).body, { uses: 1 });
});

t.test('discounts on shipping follow one another, in the currencies that they have', async (t) => {
  const post = totalsStep({
    name: 'post',
    order: totalsOrder.shipping,
    adjust: () => [{ code: 'post', label: 'Post', kind: 'shipping', amount: 1001 }],
  });
  const half = { kind: 'shipping_percent', percent: 50, maxAmounts: fixed(400).amounts };
  await promoteByCode(box, 'HALF', { discount: half, priority: 2 });
  await promoteByCode(box, 'FIVE', { discount: { kind: 'shipping_fixed', amounts: fixed(500).amounts }, priority: 1 });
  await promoteByCode(box, 'DOLLAR', { discount: { kind: 'shipping_fixed', amounts: fixed(500, 'USD').amounts } });
  await promoteByCode(box, 'CAPPED', { discount: { ...percent(10), maxAmounts: fixed(500, 'USD').amounts } });
  await promoteByCode(box, 'REST', { discount: freeShipping, priority: -1 });
  const shopper = await shopperWith(box, [shirt, 1]);
  for (const code of ['HALF', 'FIVE', 'DOLLAR', 'CAPPED', 'REST']) {
    await bodyOf(shopper.post('/cart/promotions', { code }));
  }
  extendBox(t, box, [cartTotals.with(post)]);
  const [shown, total] = await shownOf(shopper);
  t.strictSame(shown, [
    ['HALF', -400],
    ['FIVE', -500],
    ['DOLLAR', 'currency'],
    ['CAPPED', 'currency'],
    ['REST', -101],
  ]);
  t.equal(total, 5000);
});

t.test('the dearest unit is free', async (t) => {
  const free = { ...percent(100), maxUnits: { count: 1, per: 'order', first: 'dearest' } };
  await promoteByCode(box, 'DEAREST', { discount: free });
  const shopper = await shopperWith(box, [socks, 3], [shirt, 2]);
  await bodyOf(shopper.post('/cart/promotions', { code: 'DEAREST' }));
  t.strictSame((await shownOf(shopper))[0], [['DEAREST', -5000]]);
});

t.test("a guest's codes move to the member's cart", async (t) => {
  await promoteByCode(box, 'GUEST', { discount: percent(10) });
  const guest = await shopperWith(box, [socks, 1]);
  await bodyOf(guest.post('/cart/promotions', { code: 'GUEST' }));
  const memberId = newId();
  const cartId = await database
    .forTenant(box.id)
    .transaction((tx) => mergeCarts(tx, { hash: sessionHashOf(guest) }, memberId));
  const cart = await bodyOf(staff.get(`/admin/carts/${cartId}`));
  t.match(cart, { memberId, promotions: exactly([{ code: 'GUEST', applied: true, amount: { amount: -100 } }]) });
});

t.test('promotions add no round trip to reading a cart', async (t) => {
  const shopper = await shopperWith(box, [socks, 1]);
  const count = () => countRoundTrips(database, () => shopper.get('/cart'));
  const least = async () => Math.min(await count(), await count(), await count());
  const before = await least();
  for (let number = 0; number < 5; number++) await promote(box, { discount: percent(1) });
  await promoteByCode(box, 'TRIP', { discount: percent(10) });
  await bodyOf(shopper.post('/cart/promotions', { code: 'TRIP' }));
  t.equal(await least(), before);
});
