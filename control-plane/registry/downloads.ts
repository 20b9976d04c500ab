// Reports downloads: every completely served tarball (`tarballs.ts`), and every denied package.
//
// npm requests a packument first, and no tarball if that was denied, so a denied packument is reported as a denied
// download. Repetitions within a minute are reported once: a client that retries is one denied download.

import type { ServerResponse } from 'node:http';
import type { Licence } from './activation-token.ts';
import type { Log } from './log.ts';
import type { DownloadReport, Outbox } from './outbox.ts';
import { isComplete, watchBody } from './response-body.ts';

const repetitionWindow = 60_000;

export type DownloadReporter = {
  /**
   * Stores a report that becomes due when `response`, a 200 or 206, has been sent completely. Await it before sending the
   * body.
   */
  startAllowed(licence: Licence, packageName: string, version: string, response: ServerResponse): Promise<void>;
  /** Reports a denied download; resolves when the report is on disk. */
  addDenied(licence: Licence, packageName: string, version: string | undefined): Promise<void>;
  /** Resolves when the reports of all finished responses are on disk. */
  flush(): Promise<void>;
};

/** Creates the reporter. `elapsed` returns the milliseconds of a monotonic clock; `count` is called for each report. */
export function createDownloadReporter(
  outbox: Outbox,
  elapsed: () => number,
  log: Log,
  count: (outcome: DownloadReport['outcome']) => void = () => {},
): DownloadReporter {
  const deniedAt = new Map<string, number>();
  const pending = new Set<Promise<void>>();

  /** Whether the same denied download was reported within the window. Stores it if not. */
  function isRepeated(key: string): boolean {
    const now = elapsed();
    for (const [stored, at] of deniedAt) {
      // A map keeps the order of insertion, so all entries after a current one are current.
      if (now - at < repetitionWindow) break;
      deniedAt.delete(stored);
    }
    if (deniedAt.has(key)) return true;
    deniedAt.set(key, now);
    return false;
  }

  return {
    async startAllowed(licence, packageName, version, response) {
      const { customerId, tier } = licence;
      const report: DownloadReport = { customerId, tier, packageName, version, outcome: 'allowed' };
      const stored = await outbox.begin(report);
      const bytesOut = watchBody(response);
      const finish = () => {
        const served = [200, 206].includes(response.statusCode) && isComplete(response, bytesOut());
        if (served) count('allowed');
        const finished = (served ? stored.complete() : stored.abandon())
          .catch((error: unknown) => log('error', 'a download report could not be moved', { reason: String(error) }))
          .finally(() => pending.delete(finished));
        pending.add(finished);
      };
      // The client may have gone while the report was written.
      if (response.closed) finish();
      else response.once('close', finish);
    },
    async addDenied({ customerId, tier }, packageName, version) {
      const key = JSON.stringify([customerId, packageName, version]);
      if (isRepeated(key)) return;
      try {
        await outbox.add({ customerId, tier, packageName, version, outcome: 'denied' });
        count('denied');
      } catch (error) {
        deniedAt.delete(key);
        throw error;
      }
    },
    async flush() {
      await Promise.all(pending);
    },
  };
}
