// Delivers the reports of the outbox to the control plane, one after the other, with retries.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from './log.ts';
import type { Outbox } from './outbox.ts';

const sendTimeout = 10_000;
const firstDelay = 1_000;
const longestDelay = 60_000;
/** Client errors that are temporary or caused by the registry's secret, not by the report. */
const temporaryStatuses = new Set([401, 403, 408, 425, 429]);

export type DeliveryOptions = {
  outbox: Outbox;
  /** The URL that reports are posted to. */
  reportUrl: string;
  /** Bearer secret of this registry. */
  registrySecret: string;
  log: Log;
};

export type Delivery = {
  /** Reports that the outbox has a new report. */
  wake(): void;
  /** Stops the delivery. A request in flight is aborted; the next process sends its report with the same key. */
  stop(): Promise<void>;
};

/** Starts the delivery. It sends all due reports, then waits until woken; the back-off after failures is 1 to 60 s. */
export function startDelivery({ outbox, reportUrl, registrySecret, log }: DeliveryOptions): Delivery {
  const stopping = new AbortController();
  let wakeUp = () => {};
  let hasNewReports = true;

  /** Sends one report. `retry`: it stays in the outbox; `unavailable`: so do the others, which would fail too. */
  async function send(file: string): Promise<'done' | 'retry' | 'unavailable'> {
    const stored = await outbox.read(file).catch(() => undefined);
    if (stored === undefined) {
      log('error', 'a download report is unreadable and was moved to reports/dead', { file });
      await outbox.moveToDead(file);
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
      return 'unavailable';
    }
    if (status >= 200 && status < 300) {
      await outbox.remove(file);
      return 'done';
    }
    if (status >= 400 && status < 500 && !temporaryStatuses.has(status)) {
      log('error', 'the control plane rejected a download report, which was moved to reports/dead', {
        status,
        file,
        report,
      });
      await outbox.moveToDead(file);
      return 'done';
    }
    if (status === 401 || status === 403) {
      log('error', 'the control plane rejects REGISTRY_SECRET; download reports stay in the outbox', { status });
    }
    return status >= 500 && status !== 503 ? 'retry' : 'unavailable';
  }

  /** Sends the due reports once. Returns how many are left. */
  async function sendDue(): Promise<number> {
    const files = await outbox.due();
    let sent = 0;
    for (const file of files) {
      if (stopping.signal.aborted) break;
      const outcome = await send(file);
      if (outcome === 'unavailable') break;
      if (outcome === 'done') sent += 1;
    }
    return files.length - sent;
  }

  async function run(): Promise<void> {
    let delay = firstDelay;
    while (!stopping.signal.aborted) {
      hasNewReports = false;
      const left = await sendDue().catch((error: unknown) => {
        log('error', 'the outbox of download reports could not be processed', { reason: String(error) });
        return 1;
      });
      if (left === 0) {
        if (delay > firstDelay) log('info', 'the control plane accepts download reports again');
        delay = firstDelay;
        await new Promise<void>((resolve) => {
          wakeUp = resolve;
          if (hasNewReports || stopping.signal.aborted) resolve();
        });
        continue;
      }
      if (stopping.signal.aborted) break;
      if (delay === firstDelay) log('warn', 'download reports could not be delivered and stay in the outbox', { left });
      // Jitter, so that several registries do not retry at the same time.
      await sleep(delay * (0.75 + Math.random() / 4), undefined, { signal: stopping.signal }).catch(() => {});
      delay = Math.min(delay * 2, longestDelay);
    }
  }

  const running = run();
  return {
    wake() {
      hasNewReports = true;
      wakeUp();
    },
    async stop() {
      stopping.abort();
      wakeUp();
      await running;
    },
  };
}
