/**
 * Concurrency: limits hold, whatever orders and staff do at the same time.
 */
import { shopperWith } from '@carton/cart/testing';
import { createMember } from '@carton/member/testing';
import { proveEmail } from '@carton/runtime';
import { bodyOf, type Caller, createTestBox, raceRounds } from '@carton/runtime/testing';
import t from 'tap';
import { buyer, createArticle, endAll, fixed, percent, promote, promoteByCode, rules, usesOf } from './helpers.ts';

const box = await createTestBox(t, { tier: 'basic' });
const { staff } = box;
const article = await createArticle(box, 1000);
t.afterEach(() => endAll(box));

const email = (index: number) => buyer(`shopper-${index}@example.com`);
type Answers = { status: number; body: { code: string; totals: { total: { amount: number } } } }[];
/** The total of each order, or the code of the problem, sorted. */
const resultsOf = (answers: Answers) =>
  answers.map(({ status, body }) => (status === 201 ? body.totals.total.amount : body.code)).toSorted();
const totalUsesOf = async (id: string) => (await bodyOf(staff.get(`/admin/promotions/${id}`))).uses;
const cartsOf = (count: number) => Promise.all(Array.from({ length: count }, () => shopperWith(box, [article, 1])));

async function withCode(count: number, code: string) {
  const shoppers = await cartsOf(count);
  await Promise.all(shoppers.map((shopper) => bodyOf(shopper.post('/cart/promotions', { code }))));
  return shoppers;
}

t.test('of four concurrent orders with the last use of a code, one gets it', async (t) => {
  for (let round = 0; round < raceRounds; round++) {
    // The limit is the promotion's in one round, the code's in the next.
    const limit = round % 2 === 0 ? { maxUses: 1 } : { maxUsesOfCode: 1 };
    const id = await promoteByCode(box, `LAST-${round}`, { discount: percent(10), ...limit });
    const shoppers = await withCode(4, `last-${round}`);
    const answers = await Promise.all(shoppers.map((shopper, index) => shopper.post('/checkout', email(index))));
    t.strictSame(resultsOf(answers), [900, ...Array(3).fill('promotion_used_up')]);
    t.equal(await totalUsesOf(id), 1);
    await endAll(box);
  }
});

t.test('of four concurrent orders with the last use of an automatic promotion, one gets it', async (t) => {
  const expectedTotal = { amount: 900, currency: 'EUR' };
  for (let round = 0; round < raceRounds; round++) {
    const id = await promote(box, { discount: percent(10), maxUses: 1 });
    const shoppers = await cartsOf(4);
    const answers = await Promise.all(
      shoppers.map((shopper, index) => shopper.post('/checkout', { ...email(index), expectedTotal })),
    );
    const results = resultsOf(answers);
    t.equal(results[0], 900);
    t.ok(
      results.slice(1).every((result) => result === 'promotion_used_up' || result === 'total_changed'),
      `nobody pays another total: ${results}`,
    );
    t.equal(await totalUsesOf(id), 1);
    await endAll(box);
  }
});

t.test('a customer who orders in four windows uses a promotion once', async (t) => {
  for (let round = 0; round < raceRounds; round++) {
    const limit = round % 2 === 0 ? { maxUsesPerCustomer: 1 } : { rules: rules({ firstOrder: true }) };
    const code = `ONCE-${round}`;
    const id = await promoteByCode(box, code, { discount: percent(10), ...limit });
    const shoppers = await withCode(4, code);
    const windows = shoppers.map((shopper, index) =>
      // The case of an e-mail address does not make another customer.
      shopper.post('/checkout', buyer(`${index % 2 ? 'Window' : 'window'}-${round}@example.com`)),
    );
    const results = resultsOf(await Promise.all(windows));
    t.equal(results[0], 900);
    t.ok(
      results.slice(1).every((result) => result === 'promotion_used_up' || result === 'promotion_first_order_only'),
      String(results),
    );
    t.equal(await totalUsesOf(id), 1);
    await endAll(box);
  }
});

t.test('orders with two limited promotions, applied in both orders, do not deadlock', async (t) => {
  for (let round = 0; round < raceRounds; round++) {
    await promoteByCode(box, 'ONE', { discount: fixed(100), maxUses: 3 });
    await promoteByCode(box, 'TWO', { discount: fixed(50), maxUses: 3, priority: 1 });
    const shoppers = await cartsOf(6);
    for (const [index, shopper] of shoppers.entries()) {
      for (const code of index % 2 ? ['ONE', 'TWO'] : ['TWO', 'ONE'])
        await bodyOf(shopper.post('/cart/promotions', { code }));
    }
    const answers = await Promise.all(shoppers.map((shopper, index) => shopper.post('/checkout', email(index))));
    t.strictSame(resultsOf(answers), [...Array(3).fill(850), ...Array(3).fill('promotion_used_up')]);
    await endAll(box);
  }
});

t.test('a limit that is set while orders are placed counts all of them', async (t) => {
  for (let round = 0; round < raceRounds; round++) {
    const id = await promote(box, { discount: percent(10) });
    const shoppers = await cartsOf(5);
    const limiting = staff.patch(`/admin/promotions/${id}`, { maxUses: 3 });
    const answers = await Promise.all(shoppers.map((shopper, index) => shopper.post('/checkout', email(index))));
    await bodyOf(limiting);
    const used = resultsOf(answers).filter((result) => result === 900).length;
    const [row] = await box.db.query<{ claimed: number }>(
      'select claimed from promotions where tenant_id = $1 and id = $2',
      [id],
    );
    t.equal(await totalUsesOf(id), used);
    t.equal(row?.claimed, used, 'the counter agrees');
    await endAll(box);
  }
});

t.test('concurrent cancellations return a use once, and it can be used again', async (t) => {
  for (let round = 0; round < raceRounds; round++) {
    const code = `AGAIN-${round}`;
    const id = await promoteByCode(box, code, {
      discount: percent(10),
      maxUses: 1,
      maxUsesPerCustomer: 1,
      maxUsesOfCode: 1,
    });
    const [first, second] = (await withCode(2, code)) as [Caller, Caller];
    const order = await bodyOf(first.post('/checkout', buyer()));
    const cancels = await Promise.all(Array.from({ length: 3 }, () => staff.post(`/admin/orders/${order.id}/cancel`)));
    t.strictSame(cancels.map(({ status }) => status).toSorted(), [200, 409, 409]);
    t.equal(await totalUsesOf(id), 0);
    t.equal((await bodyOf(second.post('/checkout', buyer()))).totals.total.amount, 900);
    t.equal(await totalUsesOf(id), 1);
    await endAll(box);
  }
});

t.test('a guest orders and cancels while a member verifies the address: each use is counted once', async (t) => {
  const kept = new Set<string>();
  for (let round = 0; round < raceRounds; round++) {
    const code = `CLAIM-${round}`;
    const id = await promoteByCode(box, code, { discount: percent(10), maxUsesPerCustomer: 3 });
    const address = `claimed-${round}@example.com`;
    const [first, second, ...later] = await withCode(4, code);
    const place = (shopper?: Caller) => shopper?.post('/checkout', buyer(address)) as ReturnType<Caller['post']>;
    const order = await bodyOf(place(first));
    await bodyOf(place(second));
    const { id: memberId } = await createMember(box, { email: address });
    const [claimed, canceled, ...placed] = await Promise.all([
      box.db.transaction((tx) => proveEmail(tx, { memberId, email: address })).then(() => true),
      staff.post(`/admin/orders/${order.id}/cancel`, {}),
      ...later.map(place),
    ]);
    t.ok(claimed, 'verifying never fails');
    t.equal(canceled.status, 200);
    const [counted, ordered] = await usesOf(box, id);
    t.strictSame(counted, ordered);
    const orderedNow = placed.filter(({ status }) => status === 201).length;
    t.equal(
      Object.values(counted).reduce((all, one) => all + one, 0),
      1 + orderedNow,
    );
    for (const key of Object.keys(counted)) kept.add(key === memberId ? 'member' : 'address');
    await endAll(box);
  }
  t.ok(kept.has('member'));
});
