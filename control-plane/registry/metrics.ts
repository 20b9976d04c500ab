// The metrics of the registry, in Prometheus' text format.

import { setTimeout as sleep } from 'node:timers/promises';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { RefusedReason } from './refusal.ts';
import type { StorageFault, StorageOperation } from './storage/failure.ts';
import { vendor } from './vendor.ts';

/** Values that are read at a scrape. */
export type Readings = {
  /** Reports that wait for the control plane, the age of the oldest in seconds, and rejected ones. */
  backlog(): Promise<{ due: number; oldestAge: number; dead: number }>;
  /** Seconds. */
  withdrawalsAge(): number;
  /** Seconds. */
  signingKeysAge(): number;
};

export type Metrics = {
  /** Counts a finished request. `refusal` is the code of the error with which the registry rejected it. */
  countRequest(kind: string, status: number, refusal: string | undefined): void;
  /** Counts a token or secret that was refused. */
  countCredential(credential: 'token' | 'publisher' | 'metrics', reason: RefusedReason): void;
  countDownload(outcome: 'allowed' | 'denied'): void;
  addTarballBytes(bytes: number): void;
  /** Counts a request to the bucket of the storage. */
  countBucketRequest(operation: StorageOperation, seconds: number, fault: StorageFault | undefined): void;
  /** Counts a request to the storage that failed. */
  countStorageFault(operation: StorageOperation, fault: StorageFault): void;
  /** Counts a change of a packument that another registry has changed first. */
  countConflict(): void;
  /** The metrics of the registry, without those of the process: for documentation. */
  describe(): { name: string; type: string; labels: readonly string[]; help: string }[];
  /** The text of a scrape, with the metrics of the process itself. */
  text(): Promise<string>;
};

/** The part of prom-client's metrics that their interface does not declare. */
type DescribedMetric = { name: string; type: string; labelNames?: string[]; help: string };

/** Media type of the text. */
export const metricsType = Registry.PROMETHEUS_CONTENT_TYPE;

export function createMetrics(readings: Readings): Metrics {
  const registry = new Registry();
  const about = (name: string, help: string) => ({ name: `${vendor}_registry_${name}`, help, registers: [registry] });
  const requests = new Counter({
    ...about('requests_total', 'Finished requests, by what was asked for and status'),
    labelNames: ['kind', 'status'],
  });
  const refusals = new Counter({
    ...about('refusals_total', 'Requests that were rejected, by the `code` of the response'),
    labelNames: ['code'],
  });
  const credentials = new Counter({
    ...about(
      'credentials_refused_total',
      'Credentials that were refused: activation tokens (`token`), by reason (`audience`, `issuer`, `expired`, `unknown_key`, `signature`, `algorithm`, `claims`, `malformed`, `withdrawn`), and secrets (`publisher`, `metrics`), which are `wrong`',
    ),
    labelNames: ['credential', 'reason'],
  });
  const downloads = new Counter({
    ...about(
      'downloads_total',
      'Downloads of customers: complete (`allowed`), or of packages not in the licence (`denied`)',
    ),
    labelNames: ['outcome'],
  });
  const bytes = new Counter(about('tarball_bytes_total', 'Bytes of tarballs that were sent'));
  const reports = new Gauge({
    ...about('reports', 'Download reports on disk, by state: `due`, or `dead` (rejected by the control plane)'),
    labelNames: ['state'],
  });
  const oldest = new Gauge(
    about('oldest_report_age_seconds', 'Age of the oldest report that is due; 0 if there is none'),
  );
  const withdrawals = new Gauge(
    about(
      'withdrawals_age_seconds',
      'Time since withdrawn licences were last read from the control plane, or since the start',
    ),
  );
  const keys = new Gauge(
    about(
      'signing_keys_age_seconds',
      'Time since the public keys were last read from the control plane, or since the start',
    ),
  );

  const bucketSeconds = new Histogram({
    ...about(
      'bucket_request_seconds',
      'Requests to the bucket of the storage, with their retries, by operation (`read` and `write` of a packument, a provenance or, if it is published, a tarball; `open` of a tarball that is sent; `remove`, `list`): until a response has begun, or has arrived for `read`',
    ),
    labelNames: ['operation'],
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
  });
  const storageFaults = new Counter({
    ...about(
      'storage_faults_total',
      'Requests to the storage that failed, by what is wrong: `denied` (the credentials or their rights, or those of the user to the folder), `full`, `read_only` (the disk of a folder), `missing` (no such bucket), `region`, `credentials` (none), `unreachable`, `other`',
    ),
    labelNames: ['operation', 'fault'],
  });
  const conflicts = new Counter(
    about(
      'packument_conflicts_total',
      'Changes of a packument that were applied again, since another registry had changed it first',
    ),
  );

  async function read(): Promise<void> {
    const { due, oldestAge, dead } = await readings.backlog();
    reports.set({ state: 'due' }, due);
    reports.set({ state: 'dead' }, dead);
    oldest.set(oldestAge);
    withdrawals.set(readings.withdrawalsAge());
    keys.set(readings.signingKeysAge());
  }

  let hasDefaults = false;
  return {
    countRequest(kind, status, refusal) {
      requests.inc({ kind, status });
      if (refusal !== undefined) refusals.inc({ code: refusal });
    },
    countCredential: (credential, reason) => credentials.inc({ credential, reason }),
    countDownload: (outcome) => downloads.inc({ outcome }),
    addTarballBytes: (count) => bytes.inc(count),
    countBucketRequest(operation, seconds, fault) {
      bucketSeconds.observe({ operation }, seconds);
      if (fault !== undefined) storageFaults.inc({ operation, fault });
    },
    countStorageFault: (operation, fault) => storageFaults.inc({ operation, fault }),
    countConflict: () => conflicts.inc(),
    describe() {
      return registry.getMetricsAsArray().map((metric) => {
        const { name, type, labelNames = [], help } = metric as unknown as DescribedMetric;
        return { name, type, labels: labelNames, help };
      });
    },
    async text() {
      if (!hasDefaults) {
        hasDefaults = true;
        collectDefaultMetrics({ register: registry });
        // The event loop monitor has no values before its first samples.
        await sleep(50);
      }
      await read();
      return registry.metrics();
    },
  };
}
