// Sends the outbox to the control plane, one report after the other, for as long as it takes.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from './log.ts';
import type { Outbox } from './outbox.ts';

const sendTimeout = 10_000;
const firstDelay = 1_000;
const longestDelay = 60_000;
/** Answers below 500 that speak of the moment or of the registry's own secret, not of the report. */
const passing = new Set([401, 403, 408, 425, 429]);

export type DeliveryOptions = {
  outbox: Outbox;
  /** Where reports are posted. */
  reportUrl: string;
  /** Bearer secret of this registry. */
  registrySecret: string;
  log: Log;
};

export type Delivery = {
  /** Says that the outbox holds something new. */
  wake(): void;
  /** Ends delivery; a report under way is given up and sent again by the next process, with the same key. */
  stop(): Promise<void>;
};

/** Starts the delivery: it sends what is due now, then sleeps until woken; after a failure it waits 1 s to 60 s. */
export function startDelivery({ outbox, reportUrl, registrySecret, log }: DeliveryOptions): Delivery {
  const stopping = new AbortController();
  let wakeUp = () => {};
  let news = true;

  /** Sends one report. `later` means that it stays, `away` that sending others makes no sense now either. */
  async function send(file: string): Promise<'done' | 'later' | 'away'> {
    const stored = await outbox.read(file).catch(() => undefined);
    if (stored === undefined) {
      log('error', 'a download report is unreadable; it is put aside', { file });
      await outbox.bury(file);
      return 'done';
    }
    const { idempotencyKey, report } = stored;
    let status: number;
    try {
      const response = await fetch(reportUrl, {
        method: 'POST',
        redirect: 'error',
        headers: {
          Authorization: `Bearer ${registrySecret}`,
          'Content-Type': 'application/json',
          'Idempotency-Key': idempotencyKey,
        },
        body: JSON.stringify(report),
        signal: AbortSignal.any([stopping.signal, AbortSignal.timeout(sendTimeout)]),
      });
      await response.arrayBuffer();
      status = response.status;
    } catch {
      return 'away';
    }
    if (status >= 200 && status < 300) {
      await outbox.drop(file);
      return 'done';
    }
    if (status >= 400 && status < 500 && !passing.has(status)) {
      log('error', 'the control plane refused a download report; it is put aside', { status, file, report });
      await outbox.bury(file);
      return 'done';
    }
    if (status === 401 || status === 403) {
      log('error', "the control plane does not accept this registry's secret; reports are kept", { status });
    }
    return status >= 500 && status !== 503 ? 'later' : 'away';
  }

  /** Goes through the outbox once. Returns how many reports are left in it. */
  async function sendDue(): Promise<number> {
    const files = await outbox.due();
    let sent = 0;
    for (const file of files) {
      if (stopping.signal.aborted) break;
      const outcome = await send(file);
      if (outcome === 'away') break;
      if (outcome === 'done') sent += 1;
    }
    return files.length - sent;
  }

  async function run(): Promise<void> {
    let delay = firstDelay;
    while (!stopping.signal.aborted) {
      news = false;
      const left = await sendDue().catch((error: unknown) => {
        log('error', 'the outbox of download reports could not be worked through', { reason: String(error) });
        return 1;
      });
      if (left === 0) {
        if (delay > firstDelay) log('info', 'the control plane takes download reports again');
        delay = firstDelay;
        await new Promise<void>((resolve) => {
          wakeUp = resolve;
          if (news || stopping.signal.aborted) resolve();
        });
        continue;
      }
      if (stopping.signal.aborted) break;
      if (delay === firstDelay) log('warn', 'the control plane takes no download reports; they are kept', { left });
      // Some chance in the delay keeps several registries from returning in step.
      await sleep(delay * (0.75 + Math.random() / 4), undefined, { signal: stopping.signal }).catch(() => {});
      delay = Math.min(delay * 2, longestDelay);
    }
  }

  const running = run();
  return {
    wake() {
      news = true;
      wakeUp();
    },
    async stop() {
      stopping.abort();
      wakeUp();
      await running;
    },
  };
}
