/**
 * The worker of one replica: sends what is due to each webhook, so that a slow webhook delays no other one.
 */
import { type CheckUrl, openCircuits, type Sent, send, signatureHeaders, vendor } from '@carton/runtime/service';
import type { Knex } from 'knex';
import type { Encryption } from '../encryption.ts';
import { shownEvent } from '../events/outbox.ts';
import type { Job } from '../schedule.ts';
import {
  backOff,
  dispatchEvents,
  type LeasedDelivery,
  leaseDeliveries,
  listEnabled,
  releaseDelivery,
  storeAttempt,
} from './work.ts';

/** Milliseconds in which a receiver has to respond; less than a lease. */
const defaultTimeout = 15_000;
/** A receiver that is away gets few requests, however many events wait for it. */
const circuitOptions = { failures: 3, pause: 30_000 };
/** How long requests in progress may go on once the worker is stopped. */
const stopMilliseconds = 3_000;

export interface WebhookLog {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
}

export interface WebhookServices {
  db: Knex;
  checkWebhook: CheckUrl;
  webhookSecrets: Encryption;
  log: WebhookLog;
  /** Milliseconds in which a receiver has to respond. Default: 15 seconds. */
  timeout?: number | undefined;
}

interface WebhookWorker {
  /** Dispatches events and begins to send what is due; it does not wait for responses. */
  work(): Promise<void>;
  /** Waits until nothing is sent any more. Requests that take longer are aborted, and sent again later. */
  stop(): Promise<void>;
}

export function webhookJob(services: WebhookServices, interval = 2_000): Job {
  const { work, stop } = openWebhookWorker(services);
  return { complaint: 'events could not be sent', interval, run: work, end: stop };
}

/** Whether it is the receiver that cannot work, rather than the event that it does not accept. */
function isAway({ status }: Sent): boolean {
  return status === null || status >= 500 || status === 408 || status === 429;
}

function openWebhookWorker(services: WebhookServices): WebhookWorker {
  const { db, checkWebhook, webhookSecrets, log, timeout = defaultTimeout } = services;
  const busy = new Map<string, Promise<void>>();
  const circuits = openCircuits(circuitOptions);
  const stopping = new AbortController();
  let isStopped = false;

  /** Returns whether the event was delivered. */
  async function deliver(leased: LeasedDelivery): Promise<boolean> {
    const { webhookId, url, secret, formerSecret } = leased;
    const secrets = [secret, formerSecret].flatMap((stored) =>
      stored === null ? [] : webhookSecrets.decrypt(stored, webhookId),
    );
    const body = JSON.stringify(shownEvent(leased));
    const headers = {
      ...signatureHeaders(secrets, leased.id, Math.floor(Date.now() / 1000), body),
      'content-type': 'application/json',
      'user-agent': `${vendor.name}-webhooks`,
    };
    const sent = await send({ url, headers, body }, { checkUrl: checkWebhook, stop: stopping.signal, timeout });
    if (sent === null) {
      await releaseDelivery(db, leased);
      return false;
    }
    if (isAway(sent)) circuits.failed(url, Math.min(sent.retryAfter, backOff.most));
    else circuits.answered(url);
    const outcome = await storeAttempt(db, leased, sent);
    const facts = { webhook: webhookId, event: leased.id, status: sent.status, error: sent.error };
    if (outcome === 'dead') log.warn(facts, 'event could not be delivered for three days, and is given up');
    if (outcome === 'gone') log.warn(facts, 'webhook has responded with 410, and is disabled');
    if (outcome === 'failing') log.warn(facts, 'webhook has failed for three days, and is disabled; its events wait');
    return outcome === 'delivered';
  }

  /** Sends until nothing is due. After a failure it waits for the next round, so that a webhook that is down gets few requests. */
  async function sendTo(webhookId: string): Promise<void> {
    for (;;) {
      const leased = await db.transaction((transaction) => leaseDeliveries(transaction, webhookId));
      const delivered = await Promise.all(leased.map(deliver));
      if (isStopped || leased.length === 0 || !delivered.every(Boolean)) return;
    }
  }

  return {
    async work() {
      while ((await dispatchEvents(db)) > 0);
      for (const { id, url } of await listEnabled(db)) {
        if (isStopped || busy.has(id) || circuits.isOpen(url)) continue;
        const sending = sendTo(id)
          .catch((error) => log.warn({ err: error, webhook: id }, 'webhook could not be sent to'))
          .finally(() => busy.delete(id));
        busy.set(id, sending);
      }
    },
    async stop() {
      isStopped = true;
      const timer = setTimeout(() => stopping.abort(), stopMilliseconds);
      await Promise.all(busy.values());
      clearTimeout(timer);
    },
  };
}
