/**
 * Gift cards pay for orders before a provider does: one after the other, never more than is due, and in the same
 * transaction as the order.
 */
import { shopperWith } from '@carton/cart/testing';
import { newId } from '@carton/runtime';
import { exactly, until } from '@carton/runtime/testing';
import t from 'tap';
import { bindTo, boxWithGiftCards, cardBalances, createCard, entriesOf, selectCards } from './gift-cards.ts';
import { buyer, createArticle, snapshot } from './helpers.ts';

const box = await boxWithGiftCards(t);
const mug = await createArticle(box, 'mug', 2500, 1000);
// Reservations of failed payments are tested in reservations.test.ts.
await box.staff.patch('/admin/checkout-settings', { reservationMinutes: 0 });
const withCard = { ...buyer, paymentMethod: 'card' };
const sum = (amount: number) => ({ amount, currency: 'EUR' });
const notConfigured = { status: 503, body: { code: 'payments_not_configured' } };

const paymentsOf = async (orderId: string) => (await box.staff.get(`/admin/payments?orderId=${orderId}`)).body.items;

t.test('cards are used one after the other, and the rest is left to pay', async (t) => {
  const [first, second, third] = [
    await createCard(box, 1000, '1111-2222-3333'),
    await createCard(box, 1800, '4444-5555-6666'),
    await createCard(box, 500),
  ];
  const shopper = await shopperWith(box, [mug, 1]);
  t.match((await shopper.get('/checkout')).body, { tenders: exactly([]), left: sum(2500) });
  await selectCards(box, shopper, first, second, third);
  const preview = (await shopper.get('/checkout')).body;
  t.strictSame(preview.tenders, [
    { tender: 'gift_card', label: 'Gift card ending in 3333', amount: sum(1000) },
    { tender: 'gift_card', label: 'Gift card ending in 6666', amount: sum(1500) },
  ]);
  t.strictSame(preview.left, sum(0));
  const placed = await shopper.post('/checkout', buyer);
  t.match(placed, { status: 201, body: { paymentStatus: 'paid', balance: sum(0), totals: { total: sum(2500) } } });
  t.strictSame(await cardBalances(box, first, second, third), [0, 300, 500]);
  t.match(
    await paymentsOf(placed.body.id),
    exactly([
      { provider: 'gift_card', method: 'gift_card', status: 'captured', captured: sum(1500), reference: second },
      { provider: 'gift_card', status: 'captured', captured: sum(1000), reference: first },
    ]),
  );
  t.strictSame(await entriesOf(box, placed.body.id), [-1000, -1500]);
  const timeline = (await box.staff.get(`/admin/orders/${placed.body.id}/timeline`)).body.items;
  t.equal(timeline[0].message, 'Received 10.00 EUR by Gift card ending in 3333, 15.00 EUR by Gift card ending in 6666');
});

t.test('the provider is charged the rest, and not called if nothing is left', async (t) => {
  const card = await createCard(box, 3500);
  const covered = await shopperWith(box, [mug, 1]);
  await selectCards(box, covered, card);
  t.match(await covered.post('/checkout', withCard), notConfigured, 'a payment method without an adapter');
  const provider = bindTo(t, box);
  t.match(await covered.post('/cart/payment-sessions', { paymentMethod: 'card' }), {
    status: 409,
    body: { code: 'nothing_to_pay' },
  });
  t.match(await covered.post('/checkout', withCard), { status: 201, body: { paymentStatus: 'paid', balance: sum(0) } });
  t.strictSame(provider.calls, []);

  const shopper = await shopperWith(box, [mug, 2]);
  await selectCards(box, shopper, card);
  const session = await shopper.post('/cart/payment-sessions', { paymentMethod: 'card' });
  t.match(session, { status: 201, body: { amount: sum(4000) } });
  const placed = await shopper.post('/checkout', withCard);
  t.match(placed, { status: 201, body: { paymentStatus: 'paid', balance: sum(0) } });
  t.strictSame(provider.calls, ['initiate 4000', 'confirm 4000', 'capture 4000']);
  t.strictSame(
    (await paymentsOf(placed.body.id)).map(({ provider: name, captured }: Record<string, unknown>) => [name, captured]),
    [
      ['gift_card', sum(1000)],
      ['test', sum(4000)],
    ],
  );
});

t.test('without a payment method the rest is the balance of the order', async (t) => {
  const card = await createCard(box, 700);
  const shopper = await shopperWith(box, [mug, 1]);
  await selectCards(box, shopper, card);
  const placed = await shopper.post('/checkout', buyer);
  t.match(placed, { status: 201, body: { paymentStatus: 'partially_paid', balance: sum(1800) } });
  t.match(await box.staff.get(`/admin/orders/${placed.body.id}`), { body: { balance: sum(1800) } });
});

t.test('paymentRequired applies to the amount that tenders leave', async (t) => {
  await box.staff.patch('/admin/checkout-settings', { paymentRequired: true });
  for (const [balance, expected] of [
    [2499, { status: 400, body: { code: 'payment_required' } }],
    [2500, { status: 201, body: { paymentStatus: 'paid' } }],
  ] as const) {
    const shopper = await shopperWith(box, [mug, 1]);
    await selectCards(box, shopper, await createCard(box, balance));
    t.match((await shopper.get('/checkout')).body, { paymentRequired: balance < 2500 });
    t.match(await shopper.post('/checkout', buyer), expected);
  }
  await box.staff.patch('/admin/checkout-settings', { paymentRequired: false });
});

t.test('a card used by two carts concurrently pays for one order only', async (t) => {
  bindTo(t, box);
  for (let round = 0; round < 8; round++) {
    const card = await createCard(box, 2500);
    const shoppers = [await shopperWith(box, [mug, 1]), await shopperWith(box, [mug, 1])];
    for (const shopper of shoppers) await selectCards(box, shopper, card);
    const before = await snapshot(box);
    const answers = await Promise.all(shoppers.map((shopper) => shopper.post('/checkout', withCard)));
    const placed = answers.filter(({ status }) => status === 201);
    // A checkout that starts after the other one completed finds an empty card and pays by its method.
    for (const { status, body } of answers)
      if (status === 201) t.match(body, { paymentStatus: 'paid', balance: sum(0) });
      else t.ok(status === 409 && ['gift_card_spent', 'cart_changed'].includes(body.code), body.code);
    t.strictSame(await cardBalances(box, card), [0]);
    const debits = await Promise.all(placed.map(({ body }) => entriesOf(box, body.id)));
    t.strictSame(debits.flat(), [-2500]);
    const after = await snapshot(box);
    t.strictSame([after.orders - before.orders, after.movements - before.movements], [placed.length, placed.length]);
  }
});

t.test('two orders that use the same two cards in opposite order do not deadlock', async (t) => {
  for (let round = 0; round < 8; round++) {
    const cards = [await createCard(box, 5000), await createCard(box, 5000)];
    const shoppers = [await shopperWith(box, [mug, 3]), await shopperWith(box, [mug, 3])];
    await selectCards(box, shoppers[0] as never, ...cards);
    await selectCards(box, shoppers[1] as never, ...cards.toReversed());
    const answers = await Promise.all(shoppers.map((shopper) => shopper.post('/checkout', buyer)));
    for (const { status, body } of answers) t.ok(status === 201 || body.code === 'gift_card_spent', `${body.code}`);
    const left = (await cardBalances(box, ...cards)).reduce((one, other) => one + other, 0);
    const paid = answers.reduce((total, { body }) => total + (body.totals ? 7500 - body.balance.amount : 0), 0);
    t.equal(left + paid, 10_000);
  }
});

t.test('a checkout rejected after tenders were planned debits nothing', async (t) => {
  const provider = bindTo(t, box);
  const card = await createCard(box, 1000);
  const shopper = await shopperWith(box, [mug, 1]);
  await selectCards(box, shopper, card);
  const before = await snapshot(box);
  provider.confirmed = 'failed';
  t.match(await shopper.post('/checkout', withCard), { status: 409, body: { code: 'payment_refused' } });
  provider.before = () => {
    throw new Error('unavailable');
  };
  t.match(await shopper.post('/checkout', withCard), { status: 502 });
  provider.confirmed = 'authorized';
  provider.before = async (call) => {
    if (call === 'confirm')
      await box.db.query('update gift_cards set balance = 999 where tenant_id = $1 and id = $2', [card]);
  };
  t.match(await shopper.post('/checkout', withCard), { status: 409, body: { code: 'cart_changed' } });
  t.strictSame(await snapshot(box), before);
  t.strictSame(await cardBalances(box, card), [999]);
  provider.before = () => {};
  const placed = await shopper.post('/checkout', withCard);
  t.match(placed, { status: 201, body: { paymentStatus: 'paid' } });
  t.match(await paymentsOf(placed.body.id), exactly([{ captured: sum(999) }, { captured: sum(1501) }]));
});

t.test('a crash between two tenders leaves neither debit nor order', async (t) => {
  const article = await createArticle(box, 'article', 66_600, 5);
  const card = await createCard(box, 1000);
  const shopper = await shopperWith(box, [article, 1]);
  await selectCards(box, shopper, card);
  const before = await snapshot(box);
  const answer = shopper.post('/checkout', buyer);
  const kill = `select pg_terminate_backend(pid) from pg_stat_activity
                 where query like 'select pg_sleep(60)%' and state = 'active' and datname = current_database()`;
  await until(
    () => box.owner.query(kill),
    (killed) => killed.length > 0,
  );
  t.equal((await answer).status, 503);
  t.strictSame(await snapshot(box), before);
  t.strictSame(await cardBalances(box, card), [1000]);
});

t.test('a repeated idempotency key debits once', async (t) => {
  bindTo(t, box);
  const card = await createCard(box, 1000);
  const shopper = await shopperWith(box, [mug, 1]);
  await selectCards(box, shopper, card);
  const headers = { 'idempotency-key': newId() };
  const [one, two] = [
    await shopper.post('/checkout', withCard, { headers }),
    await shopper.post('/checkout', withCard, { headers }),
  ];
  t.equal(one.status, 201);
  t.equal(two.body.id, one.body.id);
  t.strictSame(await entriesOf(box, one.body.id), [-1000]);
});
