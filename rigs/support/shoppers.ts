/**
 * Shoppers: each fills carts and checks them out, one after the other, and records the responses. Some send an
 * Idempotency-Key and retry until they get a final response; some of these send the checkout twice concurrently; some have
 * no key and read their cart before they retry; some abandon their cart.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sessionHashOf } from '@carton/runtime/testing';
import type { LoadTenant } from '../../tools/load/tenant.ts';
import { type ClientRequest, type ClientResponse, type Outcome, sendRequest, type Tally } from './client.ts';

const behaviours = ['keyed', 'keyed, sent twice', 'without a key', 'abandons the cart'] as const;
export type Behaviour = (typeof behaviours)[number];
/** Behaviours for which the death of a box goes unnoticed if another one serves the retry. */
export const retryingBehaviours: readonly Behaviour[] = ['keyed', 'keyed, sent twice', 'abandons the cart'];

/** One cart, as its shopper saw it. */
export interface Purchase {
  tenant: LoadTenant;
  /** As stored by the box; empty until the box has acknowledged the first item. */
  sessionHash: string;
  behaviour: Behaviour;
  /** Variants and quantities that the box has acknowledged. */
  items: Map<string, number>;
  /** Order ids, one for each 201. */
  placed: string[];
  /**
   * `ordered`: with a 201. `already ordered`: the response was lost, and the cart is empty. `abandoned`: not checked out. `given up`: no
   * final response for too long. `refused`: with a response that these shoppers must not get.
   */
  end: 'ordered' | 'already ordered' | 'abandoned' | 'given up' | 'refused';
}

export interface ShoppersOptions {
  urls: readonly string[];
  tenants: readonly LoadTenant[];
  shoppers: number;
  tally: Tally;
  /** Most milliseconds between two requests of a shopper. */
  thinkTime: number;
  /** Behaviours of the shoppers; all by default. */
  among?: readonly Behaviour[];
}

export interface Shoppers {
  /** All purchases so far, also those in progress. */
  readonly purchases: readonly Purchase[];
  /** Resolves when each shopper has finished its purchase. */
  stop(): Promise<void>;
}

/** Milliseconds after which a client gives up retrying. */
const retryTimeout = 90_000;
const maxWait = 2_000;

/** Starts shoppers, which buy until they are stopped. */
export function sendShoppers({
  urls,
  tenants,
  shoppers,
  tally,
  thinkTime,
  among = behaviours,
}: ShoppersOptions): Shoppers {
  const purchases: Purchase[] = [];
  let open = true;
  let count = 0;
  const shopper = async (number: number) => {
    const url = urls[number % urls.length] as string;
    while (open) {
      const purchase: Purchase = {
        tenant: tenants[count % tenants.length] as LoadTenant,
        // Every tenant gets every behaviour.
        behaviour: among[Math.floor(count / tenants.length) % among.length] as Behaviour,
        sessionHash: '',
        items: new Map(),
        placed: [],
        end: 'given up',
      };
      count++;
      purchases.push(purchase);
      const send = (request: ClientRequest) =>
        sleep(Math.random() * thinkTime).then(() => sendRequest(url, request, tally));
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

export type Send = (request: ClientRequest) => Promise<Outcome>;

/** @throws Error with a response that these shoppers must not get */
async function buy(purchase: Purchase, send: Send): Promise<Purchase['end']> {
  const { tenant, items, behaviour } = purchase;
  const headers: Record<string, string> = { ...tenant.tenantHeaders };
  const variants = [...tenant.variants].sort(() => Math.random() - 0.5).slice(0, 1 + Math.floor(Math.random() * 3));
  for (const variantId of variants) {
    const quantity = 1 + Math.floor(Math.random() * 3);
    const added = await sendUntilFinal(send, {
      method: 'POST',
      path: '/cart/items',
      headers: { ...headers, 'idempotency-key': randomUUID() },
      body: { variantId, quantity },
    });
    if (added === null) return 'given up';
    headers['x-session-id'] = requireStatus(added, 201).session as string;
    purchase.sessionHash = sessionHashOf({ headers });
    items.set(variantId, quantity);
  }
  if (behaviour === 'abandons the cart') return 'abandoned';

  // Mails of guests to one address are limited.
  const email = `ada-${randomUUID()}@example.com`;
  const body = { customer: { email, name: 'Ada Lovelace', address: '1 Main Street' } };
  const checkout = { method: 'POST', path: '/checkout', headers, body };
  if (behaviour === 'without a key') return buyWithoutKey(purchase, send, checkout);
  const keyed = { ...checkout, headers: { ...headers, 'idempotency-key': randomUUID() } };
  const times = behaviour === 'keyed' ? 1 : 2;
  const responses = await Promise.all(Array.from({ length: times }, () => sendUntilFinal(send, keyed)));
  for (const response of responses) {
    if (response === null) return 'given up';
    purchase.placed.push(requireStatus(response, 201).body.id);
  }
  return 'ordered';
}

/** Reads the cart before each retry. */
async function buyWithoutKey(purchase: Purchase, send: Send, checkout: ClientRequest): Promise<Purchase['end']> {
  const until = Date.now() + retryTimeout;
  while (Date.now() < until) {
    const answer = finalResponse(await send(checkout));
    if (answer) {
      if (answer.status === 409 && answer.body.code === 'cart_empty') return 'already ordered';
      purchase.placed.push(requireStatus(answer, 201).body.id);
      return 'ordered';
    }
    const { headers } = checkout;
    const cart = await sendUntilFinal(send, { method: 'GET', path: '/cart', headers });
    if (cart === null) return 'given up';
    if (requireStatus(cart, 200).body.items.length === 0) return 'already ordered';
  }
  return 'given up';
}

/** Retries a request until it has a final response; null if that takes too long. */
export async function sendUntilFinal(send: Send, request: ClientRequest): Promise<ClientResponse | null> {
  const until = Date.now() + retryTimeout;
  for (let pause = 100; Date.now() < until; pause *= 2) {
    const outcome = await send(request);
    const answer = finalResponse(outcome);
    if (answer) return answer;
    const wait = outcome.status === null ? pause : (outcome.retryAfter ?? 1) * 1000;
    await sleep(Math.min(wait, maxWait) * (0.5 + Math.random()));
  }
  return null;
}

/** Returns a response that does not ask for a retry; null for any other, and for a lost connection. */
function finalResponse(outcome: Outcome): ClientResponse | null {
  if (outcome.status === null || [429, 502, 503].includes(outcome.status)) return null;
  return outcome.body?.code === 'idempotency_key_busy' ? null : outcome;
}

/** @throws Error unless the response has the status */
export function requireStatus(response: ClientResponse, status: number): ClientResponse {
  if (response.status === status) return response;
  throw new Error(`${response.status} instead of ${status}: ${JSON.stringify(response.body)}`);
}
