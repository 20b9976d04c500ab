/**
 * Call-backs of the provider: signed, tried until they are taken, and by chance late, twice and out of order.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { FaultRates } from './faults.ts';
import type { Random } from './random.ts';

/** Where an account's events go. */
export interface WebhookEndpoint {
  url: string;
  secret: string;
  /** Sent along, for what stands before the box. */
  headers?: Record<string, string>;
}

const longestPause = 3000;
const tries = 40;

/** The signature header over `body`, sent at `seconds` since 1970. */
export function sign(body: string, secret: string, seconds = Math.floor(Date.now() / 1000)): string {
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`;
}

export class Webhooks {
  /** Events in the order they happened, as they are sent. */
  readonly events: { id: string; type: string; body: string }[] = [];
  /** Deliveries that an endpoint has taken, and events that it never took. */
  delivered = 0;
  abandoned = 0;
  readonly #random: Random;
  readonly #rates: () => FaultRates;
  readonly #stopped = new AbortController();
  readonly #under = new Set<Promise<void>>();

  constructor(random: Random, rates: () => FaultRates) {
    this.#random = random;
    this.#rates = rates;
  }

  /** Makes an event of what an object is now, and sends it. */
  send(endpoints: readonly WebhookEndpoint[], type: string, object: unknown): void {
    const id = `evt_${randomBytes(12).toString('hex')}`;
    const created = Math.floor(Date.now() / 1000);
    const body = JSON.stringify({ id, object: 'event', type, created, livemode: false, data: { object } });
    this.events.push({ id, type, body });
    const { lateEvent, latestEvent, duplicateEvent } = this.#rates();
    const delay = () => (this.#random() < lateEvent ? this.#random() * latestEvent : 0);
    for (const endpoint of endpoints) {
      this.#start(this.#deliver(endpoint, body, delay()));
      if (this.#random() < duplicateEvent) this.#start(this.#deliver(endpoint, body, delay()));
    }
  }

  /** Waits until everything that is under way has been taken or given up. */
  async flush(): Promise<void> {
    while (this.#under.size > 0) await Promise.all(this.#under);
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.flush();
  }

  #start(delivery: Promise<void>): void {
    this.#under.add(delivery);
    delivery.finally(() => this.#under.delete(delivery));
  }

  async #deliver({ url, secret, headers }: WebhookEndpoint, body: string, delay: number): Promise<void> {
    const { signal } = this.#stopped;
    try {
      await pause(delay, undefined, { signal });
      for (let attempt = 0; attempt < tries; attempt++) {
        const sent = { ...headers, 'content-type': 'application/json', 'stripe-signature': sign(body, secret) };
        const timeout = AbortSignal.any([signal, AbortSignal.timeout(10_000)]);
        const answer = await fetch(url, { method: 'POST', headers: sent, body, signal: timeout }).catch(() => null);
        await answer?.body?.cancel();
        if (answer?.ok) {
          this.delivered++;
          return;
        }
        await pause(Math.min(100 * 2 ** attempt, longestPause), undefined, { signal });
      }
      this.abandoned++;
    } catch {
      // Stopped.
    }
  }
}
