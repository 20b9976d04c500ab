// Delivers the reports of the outbox to the control plane, in batches and with retries. An earlier control plane, which
// accepts no batches, gets them one by one.

import { setTimeout as sleep } from 'node:timers/promises';
import { type BackOff, type Sent, secondsUntilRetry, send as sendRequest } from '@carton/runtime/delivery';
import { type BatchAnswer, batchOf, batchSize, readBatchAnswer } from './batches.ts';
import type { Log } from './log.ts';
import type { Outbox, StoredReport } from './outbox.ts';
import { firstOf, type Secret } from './secrets.ts';

const sendTimeout = 10_000;
const backOff: BackOff = { first: 1, factor: 2, most: 60 };
/** Bytes: more than the outcomes of a batch. */
const longestAnswer = 1024 * 1024;
/** Milliseconds after which an earlier control plane is asked again whether it accepts batches. */
const batchesAskedAgain = 10 * 60_000;
/** Client errors that are temporary, or caused by an address or the registry's secret, not by the report. */
const temporaryStatuses = new Set([401, 403, 404, 405, 408, 425, 429]);

export type DeliveryOptions = {
  outbox: Outbox;
  /** URL of the control plane, without a trailing slash. */
  controlPlaneUrl: string;
  /** Bearer secret of this registry. */
  registrySecret: Secret;
  log: Log;
  /** Milliseconds of a monotonic clock. */
  elapsed?: () => number;
};

export type Delivery = {
  /** Reports that the outbox has a new report. */
  wake(): void;
  /** Stops the delivery. A request in flight is aborted; the next process sends its reports with the same keys. */
  stop(): Promise<void>;
};

const nothingSent = { status: null, error: null, milliseconds: 0, retryAfter: 0 };

/** `retry`: it stays in the outbox; `unavailable`: so do the others, which would fail too. */
type ReportSent = 'done' | 'retry' | 'unavailable';

/** Starts the delivery. It sends all due reports, then waits until woken; the back-off after failures is 1 to 60 s. */
export function startDelivery(options: DeliveryOptions): Delivery {
  const { outbox, controlPlaneUrl, registrySecret, log, elapsed = () => performance.now() } = options;
  const stopping = new AbortController();
  let wakeUp = () => {};
  let hasNewReports = true;
  let batchesFrom = Number.NEGATIVE_INFINITY;
  let lastSent: Sent | null = null;

  /** Returns undefined if there is no answer. */
  async function post(path: string, body: string, more = {}): Promise<{ status: number; text: string } | undefined> {
    const authorization = `Bearer ${firstOf(registrySecret)}`;
    const headers = { authorization, 'content-type': 'application/json', ...more };
    const options = { stop: stopping.signal, timeout: sendTimeout, mostRead: longestAnswer };
    lastSent = await sendRequest({ url: `${controlPlaneUrl}${path}`, headers, body }, options);
    if (lastSent === null || lastSent.status === null) return undefined;
    return { status: lastSent.status, text: lastSent.body ?? '' };
  }

  async function reject({ file, report }: StoredReport, reason: object): Promise<void> {
    const message = 'the control plane rejected a download report, which was moved to reports/dead';
    log('error', message, { ...reason, file, report });
    await outbox.moveToDead(file);
  }

  function isTemporary(status: number): boolean {
    if (status === 401 || status === 403) {
      log('error', 'the control plane rejects REGISTRY_SECRET; download reports stay in the outbox', { status });
    }
    const isRedirect = status >= 300 && status < 400;
    return isRedirect || status === 503 || temporaryStatuses.has(status);
  }

  async function sendSingly(stored: StoredReport): Promise<ReportSent> {
    const { file, idempotencyKey, report } = stored;
    const headers = { 'Idempotency-Key': idempotencyKey };
    const answer = await post('/telemetry/download', JSON.stringify(report), headers);
    if (answer === undefined) return 'unavailable';
    const { status } = answer;
    if (status >= 200 && status < 300) {
      await outbox.remove(file);
      return 'done';
    }
    if (isTemporary(status)) return 'unavailable';
    if (status < 400 || status >= 500) return 'retry';
    await reject(stored, { status });
    return 'done';
  }

  async function sendTogether(reports: readonly StoredReport[]): Promise<BatchAnswer | 'unavailable'> {
    const answer = await post('/telemetry/downloads/batch', batchOf(reports));
    return answer === undefined ? 'unavailable' : readBatchAnswer(answer.status, answer.text, reports);
  }

  /** Sends these reports. Returns how many are done, and whether further ones would fail. */
  async function send(reports: readonly StoredReport[]): Promise<{ done: number; isUnavailable: boolean }> {
    if (elapsed() >= batchesFrom) {
      const answer = await sendTogether(reports);
      if (answer === 'unavailable') return { done: 0, isUnavailable: true };
      if (answer.kind === 'outcomes') {
        for (const [at, outcome] of answer.outcomes.entries()) {
          const stored = reports[at] as StoredReport;
          if (outcome.accepted) await outbox.remove(stored.file);
          else await reject(stored, { reason: outcome.detail });
        }
        return { done: reports.length, isUnavailable: false };
      }
      if (answer.kind === 'unknown') {
        batchesFrom = elapsed() + batchesAskedAgain;
        log('info', 'the control plane accepts no batches of download reports: they are sent one by one');
      } else if (isTemporary(answer.status)) return { done: 0, isUnavailable: true };
      // Any other failure may be caused by one report: sent singly, it does not stop the others.
    }
    let done = 0;
    for (const stored of reports) {
      if (stopping.signal.aborted) return { done, isUnavailable: true };
      const outcome = await sendSingly(stored);
      if (outcome === 'unavailable') return { done, isUnavailable: true };
      if (outcome === 'done') done += 1;
    }
    return { done, isUnavailable: done === 0 };
  }

  /** Reads reports. Those that are unreadable are moved to `dead/`. */
  async function read(files: readonly string[]): Promise<StoredReport[]> {
    const reports = await Promise.all(files.map((file) => outbox.read(file).catch(() => undefined)));
    for (const [at, stored] of reports.entries()) {
      const file = files[at] as string;
      if (stored !== undefined) continue;
      log('error', 'a download report is unreadable and was moved to reports/dead', { file });
      await outbox.moveToDead(file);
    }
    return reports.filter((stored) => stored !== undefined);
  }

  /** Sends the due reports once. Returns how many are left. */
  async function sendDue(): Promise<number> {
    const files = await outbox.due();
    let left = files.length;
    for (let at = 0; at < files.length && !stopping.signal.aborted; at += batchSize) {
      const chunk = files.slice(at, at + batchSize);
      const reports = await read(chunk);
      left -= chunk.length - reports.length;
      if (reports.length === 0) continue;
      const { done, isUnavailable } = await send(reports);
      left -= done;
      if (isUnavailable) break;
    }
    return left;
  }

  async function run(): Promise<void> {
    let failures = 0;
    while (!stopping.signal.aborted) {
      hasNewReports = false;
      lastSent = null;
      const left = await sendDue().catch((error: unknown) => {
        log('error', 'the outbox of download reports could not be processed', { reason: String(error) });
        return 1;
      });
      if (left === 0) {
        if (failures > 0) log('info', 'the control plane accepts download reports again');
        failures = 0;
        await new Promise<void>((resolve) => {
          wakeUp = resolve;
          if (hasNewReports || stopping.signal.aborted) resolve();
        });
        continue;
      }
      if (stopping.signal.aborted) break;
      failures += 1;
      const { status, error, milliseconds, retryAfter } = lastSent ?? nothingSent;
      if (failures === 1) {
        const message = 'download reports could not be delivered and stay in the outbox';
        log('warn', message, { left, status, reason: error, milliseconds });
      }
      const wait = secondsUntilRetry(backOff, failures, retryAfter) * 1000;
      await sleep(wait, undefined, { signal: stopping.signal }).catch(() => {});
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
