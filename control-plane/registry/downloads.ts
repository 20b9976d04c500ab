// Which downloads are reported: every tarball that went out whole, and every refusal of a package to a customer.
//
// npm asks for a packument first and never for the tarball when that was refused, so a refused packument is a denied
// download too. The same refusal counts once a minute: a client that asks again and again is one denied download.

import type { ServerResponse } from 'node:http';
import type { Licence } from './activation-token.ts';
import type { Log } from './log.ts';
import type { DownloadReport, Outbox } from './outbox.ts';
import { isWhole, watchBody } from './response-body.ts';

const sameRefusalWindow = 60_000;

export type Downloads = {
  /** Reports a tarball once its answer is out; call it, and wait, before the first byte goes out. */
  serving(licence: Licence, packageName: string, version: string, response: ServerResponse): Promise<void>;
  /** Reports a refusal; resolves when the report is safe on disk. */
  refused(licence: Licence, packageName: string, version: string | undefined): Promise<void>;
  /** Resolves when the reports of all finished answers are on disk. */
  settle(): Promise<void>;
};

/** `elapsed` gives milliseconds that only ever grow. */
export function createDownloads(outbox: Outbox, elapsed: () => number, log: Log): Downloads {
  const refusedAt = new Map<string, number>();
  const settling = new Set<Promise<void>>();

  /** Whether the same refusal was reported within the last minute; remembers it if not. */
  function isRepeated(key: string): boolean {
    const now = elapsed();
    for (const [known, at] of refusedAt) {
      // A map keeps the order of insertion, so the first one that is young ends the search for old ones.
      if (now - at < sameRefusalWindow) break;
      refusedAt.delete(known);
    }
    if (refusedAt.has(key)) return true;
    refusedAt.set(key, now);
    return false;
  }

  return {
    async serving(licence, packageName, version, response) {
      const { customerId, tier } = licence;
      const report: DownloadReport = { customerId, tier, packageName, version, outcome: 'allowed' };
      const begun = await outbox.begin(report);
      const bytesOut = watchBody(response);
      response.once('close', () => {
        const served = response.statusCode === 200 && isWhole(response, bytesOut());
        const settled = (served ? begun.complete() : begun.abandon())
          .catch((error: unknown) => log('error', 'a download report could not be moved', { reason: String(error) }))
          .finally(() => settling.delete(settled));
        settling.add(settled);
      });
    },
    async refused({ customerId, tier }, packageName, version) {
      const key = JSON.stringify([customerId, packageName, version]);
      if (isRepeated(key)) return;
      try {
        await outbox.add({ customerId, tier, packageName, version, outcome: 'denied' });
      } catch (error) {
        refusedAt.delete(key);
        throw error;
      }
    },
    async settle() {
      await Promise.all(settling);
    },
  };
}
