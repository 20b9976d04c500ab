/**
 * The first guests of a store at once: one of them creates its secret, and both are recorded, each with one attempt and
 * one event.
 */
import { createForSale, shopperWith } from '@carton/cart/testing';
import { createMember } from '@carton/member/testing';
import { bodyOf, createTestBox, eventsOf, exactly, untilWaiting } from '@carton/runtime/testing';
import t, { type Test } from 'tap';
import { countWithOrder, findGuestOrder } from '../guests/store.ts';
import { recordCompleted } from '../ordering/attempts.ts';

const box = await createTestBox(t, { tier: 'basic' });
const { variantId } = await createForSale(box, 1000);
const body = { customer: { email: 'ada@example.com' } };
const place = async () => {
  const shopper = await shopperWith(box, [variantId, 1]);
  return (await bodyOf(shopper.post('/checkout', body))).id as string;
};

/** Asserts how often the checkout of an order is recorded: its attempts, and its events. */
async function assertRecorded(t: Test, orderId: string, times: number): Promise<void> {
  const attempts = await box.db.query<{ cartId: string; attempts: number; status: string }>(
    'select cart_id, attempts, status from checkout_attempts where tenant_id = $1 and order_id = $2',
    [orderId],
  );
  t.match(attempts, exactly([{ attempts: times, status: 'completed' }]));
  const events = await eventsOf(box, { resourceId: attempts[0]?.cartId as string, type: /^checkout\./ });
  t.strictSame(
    events.map(({ type, payload }) => [type, (payload as { orderId: string }).orderId]),
    Array.from({ length: times }, () => ['checkout.completed', orderId]),
  );
}

t.test('guests who wait for the first one are recorded and counted, too', async (t) => {
  const [first, ...others] = [await place(), await place(), await place()] as const;
  for (const table of ['guest_orders', 'guest_units', 'guest_secrets']) {
    await box.owner.query(`delete from ${table} where tenant_id = $1`, [box.id]);
  }
  const question = {
    keys: [['email', 'ada@example.com']] as const,
    lines: [{ variantId, quantity: 3 }],
    ...{ cartId: first, tenders: [], least: 0 },
  };
  const complete = async (tx: typeof box.db, id: string) => {
    const [order] = await tx.query<{ cartId: string }>('select cart_id from orders where tenant_id = $1 and id = $2', [
      id,
    ]);
    const draft = { id, number: '1', currency: 'EUR', totals: { total: 1000 } } as Parameters<
      typeof recordCompleted
    >[2];
    await recordCompleted(tx, order?.cartId as string, draft, { sessionHash: null, email: null, client: null });
  };
  const count = async (tx: typeof box.db, id: string) => t.match(await countWithOrder(tx, question, id), { wanted: 3 });
  const inOrder = [
    [complete, count],
    [count, complete],
  ];
  let waiting: Promise<unknown> = Promise.resolve();
  await box.db.transaction(async (tx) => {
    await complete(tx, first);
    waiting = Promise.all(
      others.map((id, at) =>
        box.db.transaction(async (other) => {
          for (const work of inOrder[at] ?? []) await work(other, id);
        }),
      ),
    );
    await untilWaiting(box, 2);
  });
  await waiting;
  for (const id of [first, ...others]) {
    t.ok(await findGuestOrder(box.db, id));
    await assertRecorded(t, id, 2);
  }
  const units = await box.db.query(
    'select units from guest_units where tenant_id = $1 and order_id = any($2::uuid[])',
    [others],
  );
  t.strictSame(units, [{ units: 3 }, { units: 3 }]);
});

t.test('of two orders by the first guests of a store at once, both are recorded', async (t) => {
  const shoppers = [await shopperWith(box, [variantId, 1]), await shopperWith(box, [variantId, 1])];
  await box.owner.query('delete from guest_secrets where tenant_id = $1', [box.id]);
  const placed = await Promise.all(shoppers.map(async (shopper) => bodyOf(shopper.post('/checkout', body))));
  for (const { id } of placed) {
    t.ok(await findGuestOrder(box.db, id));
    await assertRecorded(t, id, 1);
  }
});

t.test('an order of a member is none of a guest', async (t) => {
  const member = await createMember(box);
  await bodyOf(member.post('/cart/items', { variantId, quantity: 1 }));
  const { id } = await bodyOf(member.post('/checkout', body));
  t.equal(await findGuestOrder(box.db, id), null);
  await assertRecorded(t, id, 1);
});
