/**
 * Webhooks of the provider: signed, retried until accepted, and randomly late, repeated and out of order.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { FaultRates } from './faults.ts';
import type { Random } from './random.ts';

/** An endpoint for an account's events. */
export interface WebhookEndpoint {
  url: string;
  secret: string;
  /** Additional headers, for a proxy in front of the box. */
  headers?: Record<string, string>;
}

const maxPause = 3000;
const maxAttempts = 40;

/** The signature header for `body`, sent at a Unix time in seconds. */
export function sign(body: string, secret: string, seconds = Math.floor(Date.now() / 1000)): string {
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`;
}

export class Webhooks {
  /** Events in the order they occurred. */
  readonly events: { id: string; type: string; body: string }[] = [];
  /** Accepted deliveries, and events that were given up. */
  delivered = 0;
  abandoned = 0;
  readonly #random: Random;
  readonly #rates: () => FaultRates;
  readonly #stopped = new AbortController();
  readonly #inFlight = new Set<Promise<void>>();

  constructor(random: Random, rates: () => FaultRates) {
    this.#random = random;
    this.#rates = rates;
  }

  /** Creates an event with the object's current state, and sends it. */
  send(endpoints: readonly WebhookEndpoint[], type: string, object: unknown): void {
    const id = `evt_${randomBytes(12).toString('hex')}`;
    const created = Math.floor(Date.now() / 1000);
    const body = JSON.stringify({ id, object: 'event', type, created, livemode: false, data: { object } });
    this.events.push({ id, type, body });
    const { delayEvent, maxEventDelay, repeatEvent } = this.#rates();
    const delay = () => (this.#random() < delayEvent ? this.#random() * maxEventDelay : 0);
    for (const endpoint of endpoints) {
      this.#start(this.#deliver(endpoint, body, delay()));
      if (this.#random() < repeatEvent) this.#start(this.#deliver(endpoint, body, delay()));
    }
  }

  /** Waits until every delivery in flight has been accepted or given up. */
  async flush(): Promise<void> {
    while (this.#inFlight.size > 0) await Promise.all(this.#inFlight);
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.flush();
  }

  #start(delivery: Promise<void>): void {
    this.#inFlight.add(delivery);
    delivery.finally(() => this.#inFlight.delete(delivery));
  }

  async #deliver({ url, secret, headers }: WebhookEndpoint, body: string, delay: number): Promise<void> {
    const { signal } = this.#stopped;
    try {
      await pause(delay, undefined, { signal });
      for (let attempt = 0; attempt < maxAttempts; attempt++) {
        const sent = { ...headers, 'content-type': 'application/json', 'stripe-signature': sign(body, secret) };
        const timeout = AbortSignal.any([signal, AbortSignal.timeout(10_000)]);
        const response = await fetch(url, { method: 'POST', headers: sent, body, signal: timeout }).catch(() => null);
        await response?.body?.cancel();
        if (response?.ok) {
          this.delivered++;
          return;
        }
        await pause(Math.min(100 * 2 ** attempt, maxPause), undefined, { signal });
      }
      this.abandoned++;
    } catch {
      // Stopped.
    }
  }
}
