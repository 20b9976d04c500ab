/**
 * Starts the database of release 0.2.0 with this one: promotions, regions, members and orders read as they did, open carts
 * cost what they cost, and what this release adds can be used on them at once. What that release stores beside the new
 * columns counts.
 */
import { createForSale, shopperWith } from '@carton/cart/testing';
import { createMember } from '@carton/member/testing';
import { bodyOf, callerOf, createTestBox, exactly } from '@carton/runtime/testing';
import t from 'tap';
import { startUpgraded, undoLaterMigrations } from './support/former-schema.ts';

const former = await createTestBox(t, { idleJobs: true });
const run = (text: string, values: unknown[]) => former.owner.query(text, values);
const create = async (path: string, body: object): Promise<string> => (await bodyOf(former.staff.post(path, body))).id;

const { variantId } = await createForSale(former, 1999, { stock: 1000 });
const regionId = await create('/admin/regions', {
  ...{ name: 'Europe', currency: 'EUR', countries: ['DE', 'FR'], taxInclusive: true },
});
await create('/admin/tax-rates', { code: 'de', name: 'USt', country: 'DE', rate: 19 });
await create('/admin/tax-rates', { code: 'fr', name: 'TVA', country: 'FR', rate: 20 });
const optionId = await create('/admin/shipping-options', {
  ...{ code: 'post', name: 'Post', type: 'flat', rates: [{ currency: 'EUR', amount: 490 }] },
});

/** What release 0.2.0 can take off, with the code of each. */
const discounts: Record<string, object> = {
  TENTH: { kind: 'percent', percent: 10 },
  FIVE: { kind: 'fixed', amounts: [{ amount: 500, currency: 'EUR' }] },
  SECOND: {
    kind: 'buy_x_get_y',
    ...{ buyQuantity: 1, getQuantity: 1, percent: 50, getConditions: null, maxSets: null },
  },
  POSTFREE: { kind: 'free_shipping' },
};
for (const [code, discount] of Object.entries(discounts)) {
  const id = await create('/admin/promotions', { label: code, automatic: false, discount });
  await bodyOf(former.staff.post(`/admin/promotions/${id}/codes`, { codes: [code] }));
}
const member = await createMember(former);
const address = { name: 'Ada', line1: '1 Way', city: 'Town', postalCode: '10115', country: 'DE' };
const customer = { email: 'ada@example.com', name: 'Ada Lovelace' };

async function fill(code: string) {
  const shopper = await shopperWith(former, [variantId, 3]);
  await bodyOf(shopper.put('/cart/shipping-address', address));
  await bodyOf(shopper.put('/cart/shipping-method', { optionId }));
  await bodyOf(shopper.post('/cart/promotions', { code }));
  return shopper;
}
const ordered = await Promise.all(
  Object.keys(discounts).map(async (code) => (await bodyOf((await fill(code)).post('/checkout', { customer }))).id),
);
const open = new Map(
  await Promise.all(Object.keys(discounts).map(async (code) => [code, (await fill(code)).headers] as const)),
);

const read = (caller: typeof former.staff, paths: readonly string[]) =>
  Promise.all(paths.map((path) => bodyOf(caller.get(path))));
const paths = [
  '/admin/promotions',
  `/admin/regions/${regionId}`,
  `/admin/members/${member.id}`,
  ...ordered.map((id) => `/admin/orders/${id}`),
];
const carts = (url: string) =>
  Promise.all([...open.values()].flatMap((headers) => read(callerOf(url, headers), ['/cart', '/checkout'])));
const before = await read(former.staff, paths);
const cartsBefore = await carts(former.url);

await undoLaterMigrations(former);
const { upgraded, staff } = await startUpgraded(t, former);

t.test('promotions, regions, members and orders read as before', async (t) => {
  t.strictSame(await read(staff, paths), before);
});

t.test('open carts cost what they cost, and are ordered for it', async (t) => {
  const after = await carts(upgraded.url);
  for (const [at, [{ totals, promotions, adjustments, issues }, { requirements }]] of after.entries()) {
    const [cart, preview] = cartsBefore[at] as [typeof totals, typeof totals];
    t.strictSame(
      { totals, promotions, adjustments, issues, requirements },
      {
        ...{ totals: cart.totals, promotions: cart.promotions, adjustments: cart.adjustments },
        ...{ issues: cart.issues, requirements: preview.requirements },
      },
    );
  }
  for (const [at, headers] of [...open.values()].slice(0, 3).entries()) {
    const { id, totals } = await bodyOf(callerOf(upgraded.url, headers).post('/checkout', { customer }));
    const amount = totals.total;
    t.strictSame(amount, cartsBefore[at]?.[0].totals.total);
    const paid = await bodyOf(staff.post(`/admin/orders/${id}/payments`, { method: 'cash', amount }));
    await bodyOf(staff.post(`/admin/payments/${paid.id}/refunds`, { amount }));
    const { balance, paymentStatus } = await bodyOf(staff.get(`/admin/orders/${id}`));
    t.strictSame([balance.amount, paymentStatus], [0, 'refunded']);
  }
});

t.test('what is new can be used on what is old', async (t) => {
  const { items } = await bodyOf(staff.get('/admin/promotions'));
  const tenth = items.find(({ label }: { label: string }) => label === 'TENTH').id;
  const capped = { kind: 'shipping_percent', percent: 50, maxAmounts: [{ amount: 100, currency: 'EUR' }] };
  await bodyOf(staff.patch(`/admin/promotions/${tenth}`, { discount: capped }));
  await bodyOf(staff.patch(`/admin/members/${member.id}`, { taxExempt: 'Embassy', taxNumber: 'FR40303265045' }));
  t.match(await bodyOf(staff.get(`/admin/promotions/${tenth}`)), { discount: capped });
  t.match(await bodyOf(staff.get(`/admin/members/${member.id}`)), { taxExempt: 'Embassy', taxNumber: 'FR40303265045' });
  const shopper = callerOf(upgraded.url, open.get('POSTFREE') as Record<string, string>);
  await bodyOf(shopper.delete('/cart/promotions/POSTFREE'));
  const { promotions } = await bodyOf(shopper.post('/cart/promotions', { code: 'TENTH' }));
  t.match(promotions, exactly([{ code: 'TENTH', amount: { amount: -100 } }]));
  // As release 0.2.0 changes it, beside this one or after a rollback.
  await run('update promotions set discount = $3, updated_at = now() where tenant_id = $1 and id = $2', [
    former.id,
    tenth,
    JSON.stringify({ kind: 'percent', percent: 20 }),
  ]);
  t.match(await bodyOf(staff.get(`/admin/promotions/${tenth}`)), { discount: { kind: 'percent', percent: 20 } });
});
