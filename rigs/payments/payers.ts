/**
 * Shoppers who pay online: each starts a payment, pays by card at the provider, and checks out, retrying until it has its
 * order. Some are declined first, some authenticate only after the checkout, some pay and leave; of others the order waits
 * for a payment that is declined, or never made. Staff ship, refund and
 * cancel the orders of some, two of them at the same time; the payments of others are disputed meanwhile.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from '@carton/runtime/testing';
import type { Shopper as Browser } from '@carton/stripe/testing';
import type { LoadTenant } from '../../tools/load/tenant.ts';
import { sendRequest, type Tally } from '../support/client.ts';
import { requireStatus, type Send, sendUntilFinal } from '../support/shoppers.ts';
import { type Staff, staffOf } from './staff.ts';

const behaviours = [
  'pays',
  'is declined first',
  'pays after the order',
  'is declined after the order',
  'leaves the order unpaid',
  'pays and leaves',
  'is canceled',
  'is shipped',
  'is shipped or canceled',
  'is refunded',
  'is refunded and canceled',
  'is refunded by units',
  'is disputed and refunded',
  'is disputed and canceled',
] as const;

export interface PaidPurchase {
  behaviour: (typeof behaviours)[number];
  /** The order that its shopper got; null for none. */
  orderId: string | null;
  /** Whether the card was charged, as far as the shopper knows. */
  paid: boolean;
  end: 'ordered' | 'left' | 'refused' | 'in progress';
}

/** The banks of shoppers, at the provider. */
export interface Banks {
  /** Opens the dispute of a payment; of all that was captured and not refunded, or less. Null if nothing is. */
  dispute(intent: string, amount?: number): Promise<object | null>;
  decide(intent: string, status: 'won' | 'lost'): Promise<object | null>;
}

export interface PayersOptions {
  url: string;
  tenant: LoadTenant;
  staff: Caller;
  browser: Browser;
  banks: Banks;
  /** Purchases in all, and concurrent shoppers. */
  purchases: number;
  shoppers: number;
  tally: Tally;
}

/** The behaviours of eighteen consecutive purchases. */
const mix: readonly PaidPurchase['behaviour'][] = [
  ...['pays', 'is shipped', 'is declined first', 'is refunded and canceled', 'pays after the order'],
  ...['is declined after the order', 'is shipped or canceled', 'pays and leaves', 'is refunded', 'is canceled'],
  ...['leaves the order unpaid', 'pays', 'is shipped', 'is shipped or canceled', 'is refunded by units'],
  ...['is disputed and refunded', 'is disputed and canceled', 'is disputed and refunded'],
] as const;

/** Behaviours of shoppers whose order is never paid, and so never placed. */
export const unpaid: readonly PaidPurchase['behaviour'][] = ['is declined after the order', 'leaves the order unpaid'];

/** Starts the shoppers; `done` resolves when the last has finished. */
export function sendPayers(options: PayersOptions): { purchases: readonly PaidPurchase[]; done: Promise<void> } {
  const purchases: PaidPurchase[] = [];
  const payer = async () => {
    while (purchases.length < options.purchases) {
      const behaviour = mix[purchases.length % mix.length] as PaidPurchase['behaviour'];
      const purchase: PaidPurchase = { behaviour, orderId: null, paid: false, end: 'in progress' };
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

/** @throws Error with a response that these shoppers must not get */
async function buy(
  { url, tenant, staff, browser, banks, tally }: PayersOptions,
  purchase: PaidPurchase,
): Promise<void> {
  const headers: Record<string, string> = { ...tenant.tenantHeaders };
  const send: Send = (request) => sendRequest(url, request, tally);
  const post = async (path: string, body: object) => {
    const request = { method: 'POST', path, headers: { ...headers, 'idempotency-key': randomUUID() }, body };
    const response = await sendUntilFinal(send, request);
    if (response === null) throw new Error(`POST ${path} got no response for too long`);
    const { session, body: created } = requireStatus(response, 201);
    if (session) headers['x-session-id'] = session;
    return created;
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
  const { behaviour } = purchase;
  if (behaviour === 'is declined first') await pay(nextAction.value, 'pm_card_chargeDeclined');
  if (behaviour === 'pays after the order') await pay(nextAction.value, 'pm_card_authenticationRequired');
  else if (!unpaid.includes(behaviour)) await pay(nextAction.value, 'pm_card_visa');
  if (behaviour === 'pays and leaves') {
    purchase.end = 'left';
    return;
  }
  const customer = { email: 'ada@example.com', name: 'Ada Lovelace', address: '1 Main Street' };
  const { id } = await post('/checkout', { customer, paymentMethod: 'card' });
  purchase.orderId = id;
  if (behaviour === 'pays after the order') await pay(nextAction.value);
  if (behaviour === 'is declined after the order') await pay(nextAction.value, 'pm_card_chargeDeclined');
  const workers = staffOf(send, staff);
  await workOn(workers, id, behaviour);
  if (behaviour.startsWith('is disputed')) {
    await disputeWhile(banks, nextAction.value.split('_secret')[0], () => workAgainst(workers, id, behaviour));
  }
  purchase.end = 'ordered';
}

/** What staff do with an order. */
async function workOn(
  { cancel, ship, refund, refundUnit }: Staff,
  id: string,
  behaviour: PaidPurchase['behaviour'],
): Promise<void> {
  if (behaviour === 'is canceled') await Promise.all([cancel(id), cancel(id)]);
  if (behaviour === 'is shipped') await Promise.all([ship(id), ship(id)]);
  if (behaviour === 'is shipped or canceled') await Promise.all([ship(id), cancel(id), ship(id)]);
  if (behaviour === 'is refunded') await Promise.all([refund(id, 100), refund(id)]);
  if (behaviour === 'is refunded by units') await Promise.all([refundUnit(id), ship(id)]);
  if (behaviour === 'is refunded and canceled') await Promise.all([refund(id, 100), cancel(id), refund(id)]);
}

/** What staff do with an order while its payment is disputed. */
async function workAgainst({ cancel, refund }: Staff, id: string, behaviour: PaidPurchase['behaviour']): Promise<void> {
  if (behaviour === 'is disputed and canceled') await Promise.all([cancel(id), refund(id, 100)]);
  else await Promise.all([refund(id, 100), refund(id)]);
}

/** Disputes a payment and decides that, each while staff work on its order. */
async function disputeWhile(banks: Banks, intent: string, work: () => Promise<void>): Promise<void> {
  const amount = Math.random() < 0.5 ? 100 : undefined;
  const open = async () => {
    // The capture may be late, and all may be refunded before.
    for (let tries = 0; tries < 50; tries++) {
      if (await banks.dispute(intent, amount)) return true;
      await sleep(100);
    }
    return false;
  };
  const [isOpened] = await Promise.all([open(), work()]);
  if (isOpened) await Promise.all([banks.decide(intent, Math.random() < 0.5 ? 'won' : 'lost'), work()]);
}
