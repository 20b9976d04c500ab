/**
 * Shoppers: each fills carts of its own and checks them out, one after the other, and remembers what it was told.
 * Some are good clients, which send an Idempotency-Key and repeat what was not answered; some send a checkout twice at
 * once; some have no key and look into their cart before they try again; some leave their cart.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sessionHashOf } from '@carton/runtime/testing';
import type { LoadTenant } from '../tools/load/tenant.ts';
import { type Answered, type Asked, ask, type Outcome, type Tally } from './client.ts';

const manners = ['keyed', 'keyed twice at once', 'without a key', 'leaves the cart'] as const;
export type Manner = (typeof manners)[number];
/** Of those whom a box that dies under them costs nothing, where another takes their request up. */
export const goodManners: readonly Manner[] = ['keyed', 'keyed twice at once', 'leaves the cart'];

/** One cart from its first item on, as its shopper saw it. */
export interface Purchase {
  tenant: LoadTenant;
  /** As the box keeps it; empty until it has acknowledged the first item. */
  sessionHash: string;
  manner: Manner;
  /** Variants and quantities that the box has acknowledged. */
  items: Map<string, number>;
  /** Ids of orders, one for each 201. */
  placed: string[];
  /**
   * `ordered`: told by a 201. `gone`: the cart was found ordered, the answer was lost. `kept`: never checked out.
   * `given up`: nobody answered for too long. `refused`: by an answer that these shoppers give no reason for.
   */
  end: 'ordered' | 'gone' | 'kept' | 'given up' | 'refused';
}

export interface ShoppersOptions {
  urls: readonly string[];
  tenants: readonly LoadTenant[];
  shoppers: number;
  tally: Tally;
  /** Milliseconds between two requests of a shopper, at most. */
  thinking: number;
  /** All there are, unless told. */
  among?: readonly Manner[];
}

export interface Shoppers {
  /** Everything that was begun so far, whether it has ended or not. */
  readonly purchases: readonly Purchase[];
  /** Lets each end what it has begun. */
  stop(): Promise<void>;
}

/** A client that repeats a request gives up after so many milliseconds. */
const patience = 90_000;
const longestWait = 2_000;

/** Sends shoppers into shops until they are stopped. */
export function sendShoppers({ urls, tenants, shoppers, tally, thinking, among = manners }: ShoppersOptions): Shoppers {
  const purchases: Purchase[] = [];
  let open = true;
  let count = 0;
  const shopper = async (number: number) => {
    const url = urls[number % urls.length] as string;
    while (open) {
      const purchase: Purchase = {
        tenant: tenants[count % tenants.length] as LoadTenant,
        // Each manner comes into each shop.
        manner: among[Math.floor(count / tenants.length) % among.length] as Manner,
        sessionHash: '',
        items: new Map(),
        placed: [],
        end: 'given up',
      };
      count++;
      purchases.push(purchase);
      const send = (asked: Asked) => sleep(Math.random() * thinking).then(() => ask(url, asked, tally));
      purchase.end = await buy(purchase, send).catch((error: Error) => {
        tally.broken.add(error.message);
        return 'refused';
      });
    }
  };
  const all = Promise.all(Array.from({ length: shoppers }, (_, number) => shopper(number)));
  return {
    purchases,
    async stop() {
      open = false;
      await all;
    },
  };
}

export type Send = (asked: Asked) => Promise<Outcome>;

/** @throws Error with an answer that no shopper of these should get */
async function buy(purchase: Purchase, send: Send): Promise<Purchase['end']> {
  const { tenant, items, manner } = purchase;
  const headers: Record<string, string> = { ...tenant.reach };
  const variants = [...tenant.variants].sort(() => Math.random() - 0.5).slice(0, 1 + Math.floor(Math.random() * 3));
  for (const variantId of variants) {
    const quantity = 1 + Math.floor(Math.random() * 3);
    const added = await repeated(send, {
      method: 'POST',
      path: '/cart/items',
      headers: { ...headers, 'idempotency-key': randomUUID() },
      body: { variantId, quantity },
    });
    if (added === null) return 'given up';
    headers['x-session-id'] = expect(added, 201).session as string;
    purchase.sessionHash = sessionHashOf({ headers });
    items.set(variantId, quantity);
  }
  if (manner === 'leaves the cart') return 'kept';

  const body = { customer: { email: 'ada@example.com', name: 'Ada Lovelace', address: '1 Main Street' } };
  const checkout = { method: 'POST', path: '/checkout', headers, body };
  if (manner === 'without a key') return buyWithoutKey(purchase, send, checkout);
  const keyed = { ...checkout, headers: { ...headers, 'idempotency-key': randomUUID() } };
  const times = manner === 'keyed' ? 1 : 2;
  const answers = await Promise.all(Array.from({ length: times }, () => repeated(send, keyed)));
  for (const answer of answers) {
    if (answer === null) return 'given up';
    purchase.placed.push(expect(answer, 201).body.id);
  }
  return 'ordered';
}

/** Before each further try, looks whether the cart is still there. */
async function buyWithoutKey(purchase: Purchase, send: Send, checkout: Asked): Promise<Purchase['end']> {
  const until = Date.now() + patience;
  while (Date.now() < until) {
    const answer = answerForGood(await send(checkout));
    if (answer) {
      if (answer.status === 409 && answer.body.code === 'cart_empty') return 'gone';
      purchase.placed.push(expect(answer, 201).body.id);
      return 'ordered';
    }
    const { headers } = checkout;
    const cart = await repeated(send, { method: 'GET', path: '/cart', headers });
    if (cart === null) return 'given up';
    if (expect(cart, 200).body.items.length === 0) return 'gone';
  }
  return 'given up';
}

/** Sends a request again and again until it is answered for good; null when that takes too long. */
export async function repeated(send: Send, asked: Asked): Promise<Answered | null> {
  const until = Date.now() + patience;
  for (let pause = 100; Date.now() < until; pause *= 2) {
    const outcome = await send(asked);
    const answer = answerForGood(outcome);
    if (answer) return answer;
    const wait = outcome.status === null ? pause : (outcome.retryAfter ?? 1) * 1000;
    await sleep(Math.min(wait, longestWait) * (0.5 + Math.random()));
  }
  return null;
}

/** An answer that does not ask to come again; null for any other, and for a connection that was lost. */
function answerForGood(outcome: Outcome): Answered | null {
  if (outcome.status === null || [429, 502, 503].includes(outcome.status)) return null;
  return outcome.body?.code === 'idempotency_key_busy' ? null : outcome;
}

/** @throws Error when the answer is another than shoppers who give no cause are owed */
export function expect(answer: Answered, status: number): Answered {
  if (answer.status === status) return answer;
  throw new Error(`${answer.status} in place of ${status}: ${JSON.stringify(answer.body)}`);
}
