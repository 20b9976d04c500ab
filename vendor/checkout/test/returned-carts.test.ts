/**
 * What a pending order gives back goes to its owner: to the member who has logged in with the guest's session, and
 * to nobody else on the device. A kill at any moment neither loses nor doubles it.
 */
import { cartMerges } from '@carton/cart';
import { createMember, logIn } from '@carton/member/testing';
import type { TenantDatabase } from '@carton/runtime';
import { type Caller, callerOf, exactly, until, untilDelivered, untilWaiting } from '@carton/runtime/testing';
import t from 'tap';
import { openPendingBox } from './pending.ts';

/** Called after lines and addresses have been moved, in their transaction. */
let onMerge: (tx: TenantDatabase) => Promise<unknown> = async () => {};
const { box, mug, placePending, itemsOf, browser } = await openPendingBox(t, [cartMerges.with((tx) => onMerge(tx))]);

const cancel = (id: string) => box.staff.post(`/admin/orders/${id}/cancel`, { reason: 'Test' });
const ofMug = (quantity: number) => exactly([{ variantId: mug.variantId, quantity }]);
/** The device of a shopper, for anyone who logs in with it: its session alone, as it is now. */
const deviceOf = ({ headers }: Caller): Caller => {
  const { authorization: _, ...own } = headers;
  return callerOf(box.url, own, true);
};
const cartOfOrder = async (id: string) => {
  const [cart] = await box.db.query<Record<string, unknown>>(
    `select carts.id, carts.status, carts.member_id, (select count(*)::int from cart_addresses addresses
       where addresses.tenant_id = $1 and addresses.cart_id = carts.id) as addresses
       from carts where carts.tenant_id = $1 and carts.order_id = $2`,
    [id],
  );
  return cart ?? null;
};

t.test('a guest who logs in while the order is pending gets its lines in the cart of the member', async (t) => {
  const ada = await createMember(box);
  const { shopper, order } = await placePending(2);
  t.equal((await logIn(shopper, ada)).status, 200);
  t.equal((await cancel(order.id)).status, 200);
  await untilDelivered(box);
  t.match(await itemsOf(shopper), ofMug(2));
  t.match(await itemsOf(ada), ofMug(2), 'on every device');
  t.match(
    (await box.staff.get(`/admin/orders/${order.id}`)).body,
    { memberId: null },
    'the order stays the one of a guest',
  );
});

t.test('the next member on the device gets nothing, also with the old session', async (t) => {
  const [ada, grace, linus] = [await createMember(box), await createMember(box), await createMember(box)];
  const { shopper, order } = await placePending(2);
  const old = deviceOf(shopper);
  await logIn(shopper, ada);
  t.equal((await shopper.post('/member/logout')).status, 204);
  t.equal((await logIn(deviceOf(shopper), grace)).status, 200);
  t.equal((await logIn(old, linus)).status, 200);
  await cancel(order.id);
  await untilDelivered(box);
  t.match(await itemsOf(ada), ofMug(2));
  for (const other of [grace, linus]) t.strictSame(await itemsOf(other), []);
});

t.test('a placed order stays with the session of its guest', async (t) => {
  const ada = await createMember(box);
  const { shopper, order, secret } = await placePending();
  await browser.pay(secret);
  t.equal((await box.staff.get(`/admin/orders/${order.id}`)).body.status, 'pending');
  await box.db.query('update orders set pending_until = null where tenant_id = $1 and id = $2', [order.id]);
  await logIn(shopper, ada);
  t.match(await cartOfOrder(order.id), { memberId: null });
});

/** Runs work while the cart of an order is locked, so that what gives it back waits. */
async function whileLocked(cartId: unknown, work: () => Promise<unknown>): Promise<void> {
  await box.db.transaction(async (tx) => {
    await tx.query('select id from carts where tenant_id = $1 and id = $2 for update', [cartId]);
    await work();
  });
}

t.test('a log-in between the cancellation and the return gets the lines once', async (t) => {
  const ada = await createMember(box);
  const { shopper, order } = await placePending(3);
  const cart = await cartOfOrder(order.id);
  let loggedIn: Promise<unknown> = Promise.resolve();
  await whileLocked(cart?.id, async () => {
    await cancel(order.id);
    await untilWaiting(box, 1);
    loggedIn = logIn(shopper, ada);
    await untilWaiting(box, 2);
  });
  t.match(await loggedIn, { status: 200 });
  await untilDelivered(box);
  t.match(await itemsOf(ada), ofMug(3));
});

t.test('a kill between the cancellation and the return loses nothing', async (t) => {
  const { shopper, order } = await placePending(2);
  const cart = await cartOfOrder(order.id);
  await whileLocked(cart?.id, async () => {
    await cancel(order.id);
    // The return waits for the cart; other work of the background may wait for something else.
    const killed = await until(
      () =>
        box.owner.query<{ killed: boolean }>(
          `select pg_terminate_backend(pid) as killed from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock' and query like '%from carts%for update%'`,
        ),
      ({ length }) => length > 0,
    );
    t.match(await cartOfOrder(order.id), { status: 'completed' });
    t.ok(
      killed.every((each) => each.killed),
      JSON.stringify(killed),
    );
  });
  await untilDelivered(box);
  t.match(await itemsOf(shopper), ofMug(2));
});

t.test('a kill within the return leaves nothing of it, and it happens once', async (t) => {
  const { shopper, order } = await placePending(2);
  const before = await cartOfOrder(order.id);
  const seen: unknown[] = [];
  onMerge = async (tx) => {
    seen.push([await cartOfOrder(order.id), await itemsOf(shopper)]);
    if (seen.length === 1) await tx.query('select pg_terminate_backend(pg_backend_pid()) from tenants where id = $1');
  };
  t.teardown(() => {
    onMerge = async () => {};
  });
  await cancel(order.id);
  await untilDelivered(box);
  t.strictSame(seen, [
    [before, []],
    [before, []],
  ]);
  t.match(await itemsOf(shopper), ofMug(2));
  t.equal((await cartOfOrder(order.id)) ?? 'merged', 'merged', 'the cart of the order has been emptied');
});
