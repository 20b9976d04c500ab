/**
 * Shoppers who pay online: each opens a payment, lets its card be charged at the provider, and checks out, until it is
 * told of its order. Some are declined first, some are asked by their bank after they have checked out, some pay and
 * are never seen again, and the orders of some are canceled by staff.
 */
import { randomUUID } from 'node:crypto';
import type { Shopper as Browser } from '@carton/payment/testing';
import type { Caller } from '@carton/runtime/testing';
import type { LoadTenant } from '../tools/load/tenant.ts';
import { ask, type Tally } from './client.ts';
import { expect, repeated, type Send } from './shoppers.ts';

const manners = ['pays', 'is declined first', 'pays after the order', 'pays and leaves', 'is canceled'] as const;

export interface PaidPurchase {
  manner: (typeof manners)[number];
  /** The order that its shopper was told of; null without one. */
  orderId: string | null;
  /** The card was charged, as far as the shopper knows. */
  paid: boolean;
  end: 'ordered' | 'left' | 'refused' | 'under way';
}

export interface PayersOptions {
  url: string;
  tenant: LoadTenant;
  staff: Caller;
  browser: Browser;
  /** So many purchases in all, by so many shoppers at once. */
  purchases: number;
  shoppers: number;
  tally: Tally;
}

/** Every tenth purchase: of each manner so many. */
const mix = [0, 0, 0, 0, 0, 0, 1, 2, 3, 4].map((index) => manners[index] as PaidPurchase['manner']);

/** Sends payers; `done` resolves when the last has ended what it began. */
export function sendPayers(options: PayersOptions): { purchases: readonly PaidPurchase[]; done: Promise<void> } {
  const purchases: PaidPurchase[] = [];
  const payer = async () => {
    while (purchases.length < options.purchases) {
      const manner = mix[purchases.length % mix.length] as PaidPurchase['manner'];
      const purchase: PaidPurchase = { manner, orderId: null, paid: false, end: 'under way' };
      purchases.push(purchase);
      await buy(options, purchase).catch((error: Error) => {
        options.tally.broken.add(error.message);
        purchase.end = 'refused';
      });
    }
  };
  const done = Promise.all(Array.from({ length: options.shoppers }, payer)).then(() => {});
  return { purchases, done };
}

/** @throws Error with an answer that no shopper of these should get */
async function buy({ url, tenant, staff, browser, tally }: PayersOptions, purchase: PaidPurchase): Promise<void> {
  const headers: Record<string, string> = { ...tenant.reach };
  const send: Send = (asked) => ask(url, asked, tally);
  const post = async (path: string, body: object) => {
    const asked = { method: 'POST', path, headers: { ...headers, 'idempotency-key': randomUUID() }, body };
    const answer = await repeated(send, asked);
    if (answer === null) throw new Error(`POST ${path} was answered by nobody for too long`);
    const { session, body: made } = expect(answer, 201);
    if (session) headers['x-session-id'] = session;
    return made;
  };
  const pay = async (
    secret: string,
    ...card: Parameters<Browser['pay']> extends [string, ...infer Card] ? Card : never
  ) => {
    const status = await browser.pay(secret, ...card);
    purchase.paid ||= status === 'requires_capture';
  };
  const variantId = tenant.variants[Math.floor(Math.random() * tenant.variants.length)];
  await post('/cart/items', { variantId, quantity: 1 + Math.floor(Math.random() * 3) });
  const { nextAction } = await post('/cart/payment-sessions', { paymentMethod: 'card' });
  const { manner } = purchase;
  if (manner === 'is declined first') await pay(nextAction.value, 'pm_card_chargeDeclined');
  await pay(nextAction.value, manner === 'pays after the order' ? 'pm_card_authenticationRequired' : 'pm_card_visa');
  if (manner === 'pays and leaves') {
    purchase.end = 'left';
    return;
  }
  const customer = { email: 'ada@example.com', name: 'Ada Lovelace', address: '1 Main Street' };
  const { id } = await post('/checkout', { customer, paymentMethod: 'card' });
  purchase.orderId = id;
  if (manner === 'pays after the order') await pay(nextAction.value);
  if (manner === 'is canceled') {
    const path = `/admin/orders/${id}/cancel`;
    const canceled = await repeated(send, { method: 'POST', path, headers: staff.headers });
    if (canceled?.status !== 200 && canceled?.body.code !== 'order_already_canceled') {
      throw new Error(`order ${id} could not be canceled: ${JSON.stringify(canceled)}`);
    }
  }
  purchase.end = 'ordered';
}
