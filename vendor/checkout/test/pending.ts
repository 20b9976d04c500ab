/**
 * Helpers of the tests of pending orders: a box with a provider's server and a mail server, and orders whose card needs
 * authentication.
 */
import { type Article, shopperWith } from '@carton/cart/testing';
import { startMailServer } from '@carton/notification/testing';
import { newId } from '@carton/runtime';
import { eventTypesOf, type TestBoxOptions, until, untilDelivered } from '@carton/runtime/testing';
import { openStripeTenant } from '@carton/stripe/testing';
import { buyer, createArticle } from './helpers.ts';

export const withCard = { ...buyer, paymentMethod: 'card' };

export type Shopper = Awaited<ReturnType<typeof shopperWith>>;

interface Notification {
  template: string;
  status: string;
}

/** @param more contributions, which the box's background work has too */
export async function openPendingBox(
  t: { teardown(task: () => Promise<void>): void },
  more: NonNullable<TestBoxOptions['extends']> = [],
) {
  const server = await startMailServer();
  t.teardown(() => server.stop());
  const tenant = await openStripeTenant(
    t,
    { tier: 'basic', extends: more },
    {
      ...server.environment,
      PAYMENT_ADAPTERS: 'stripe,manual',
    },
  );
  const { box, shopper: browser } = tenant;
  const mug = await createArticle(box, 'mug', 1250, 1000);
  const orderOf = async (id: string) => (await box.staff.get(`/admin/orders/${id}`)).body;
  return {
    ...{ tenant, box, browser, mug, orderOf },
    onHand: async ({ stockItemId }: Article): Promise<number> =>
      (await box.staff.get(`/admin/stock-items/${stockItemId}`)).body.onHand,
    itemsOf: async (shopper: Shopper) => (await shopper.get('/cart')).body.items,
    /** A shopper whose card needs authentication, the pending order, and the secret that completes its payment. */
    async placePending(quantity = 1, email = `ada-${newId()}@example.com`) {
      const shopper = await shopperWith(box, [mug, quantity]);
      // Each has an address of its own: mails of guests to one address are limited.
      const customer = { ...buyer.customer, email };
      const { status, body } = await shopper.post(
        '/checkout',
        { ...withCard, customer },
        { headers: { 'idempotency-key': newId() } },
      );
      if (status !== 201) throw new Error(JSON.stringify(body));
      const secret: string = body.payment.nextAction.value;
      await browser.pay(secret, 'pm_card_authenticationRequired');
      return { shopper, order: body, secret };
    },
    /** Lets the time of an order pass. */
    expire: (id: string) =>
      box.db.query("update orders set pending_until = now() - interval '1 second' where tenant_id = $1 and id = $2", [
        id,
      ]),
    statusIs: (id: string, status: string) =>
      until(
        () => orderOf(id),
        (order) => order.status === status,
      ),
    /** The types of an order's own events, oldest first. */
    orderEventsOf: (id: string) => eventTypesOf(box, { type: /^order\./, resourceId: id }),
    /** The templates of the mails about an order that were sent, once all are. */
    async mailsOf(orderId: string): Promise<string[]> {
      await untilDelivered(box);
      const found = await until<Notification[]>(
        async () => (await box.staff.get(`/admin/notifications?resourceId=${orderId}&limit=100`)).body.items,
        (items) => items.every(({ status }) => status !== 'queued'),
      );
      return found.flatMap(({ status, template }) => (status === 'sent' ? template : [])).sort();
    },
  };
}
