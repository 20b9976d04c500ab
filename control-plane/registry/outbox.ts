// Download reports on disk, one file each, until the control plane has accepted them.
//
//   begun/  a tarball is being served; after a crash, these count as served
//   ready/  due to be sent, oldest first
//   dead/   rejected by the control plane, for inspection by the operator
//
// The name of a file is its time and its idempotency key, by which the control plane recognises a repeated report.

import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { flush, writeNewFile } from '@carton/durable-files';

export type DownloadReport = {
  customerId: string;
  tier: string;
  packageName: string;
  version?: string;
  outcome: 'allowed' | 'denied';
};

export type StoredReport = {
  file: string;
  idempotencyKey: string;
  /** When the download began, in ISO 8601; undefined if the name of the file does not say. */
  downloadedAt: string | undefined;
  report: DownloadReport;
};

/** A report on disk that is not due yet. */
export type PendingReport = {
  /** Makes the report due: the download is complete. */
  complete(): Promise<void>;
  /** Deletes the report: the download failed. */
  abandon(): Promise<void>;
};

export type Outbox = {
  /** Stores a report before its download starts; resolves when it is on disk. */
  begin(report: DownloadReport): Promise<PendingReport>;
  /** Stores a report that is due immediately; resolves when it is on disk. */
  add(report: DownloadReport): Promise<void>;
  /** Files of the reports that are due, oldest first. */
  due(): Promise<string[]>;
  read(file: string): Promise<StoredReport>;
  /** The number of due reports, the age of the oldest in seconds (0 without one), and the number of rejected ones. */
  backlog(): Promise<{ due: number; oldestAge: number; dead: number }>;
  /** Deletes a report that the control plane has accepted. */
  remove(file: string): Promise<void>;
  /** Moves a report that cannot be delivered to `dead/`. */
  moveToDead(file: string): Promise<void>;
};

/** Opens the outbox in a folder. Reports begun by an earlier process become due. `onDue` is called for each new one. */
export async function openOutbox(folder: string, onDue: () => void): Promise<Outbox> {
  const [begun, ready, dead] = ['begun', 'ready', 'dead'].map((state) => join(folder, state)) as [
    string,
    string,
    string,
  ];
  for (const state of [begun, ready, dead]) await mkdir(state, { recursive: true, mode: 0o700 });
  for (const file of await readdir(begun)) {
    // An incomplete file belongs to a download that had not started.
    if (await isComplete(join(begun, file))) await rename(join(begun, file), join(ready, file));
    else await unlink(join(begun, file));
  }

  let lastStamp = 0;

  async function begin(report: DownloadReport): Promise<PendingReport> {
    // Microseconds since the epoch, strictly increasing, so that reports of the same millisecond keep their order.
    lastStamp = Math.max(lastStamp + 1, Date.now() * 1000);
    const file = `${String(lastStamp).padStart(17, '0')}.${randomUUID()}.json`;
    await writeNewFile(join(begun, file), JSON.stringify(report));
    return {
      async complete() {
        await rename(join(begun, file), join(ready, file));
        onDue();
      },
      abandon: () => unlink(join(begun, file)),
    };
  }

  return {
    begin,
    async add(report) {
      const stored = await begin(report);
      await stored.complete();
      await flush(ready);
    },
    async due() {
      return (await readdir(ready)).sort();
    },
    async read(file) {
      const report = JSON.parse(await readFile(join(ready, file), 'utf8')) as DownloadReport;
      return { file, idempotencyKey: file.split('.')[1] || file, downloadedAt: timeOf(file), report };
    },
    async backlog() {
      const [due, rejected] = await Promise.all([readdir(ready), readdir(dead)]);
      const oldest = due.reduce((earliest, file) => (file < earliest ? file : earliest), due[0] ?? '');
      const oldestAge = oldest === '' ? 0 : Math.max(0, Date.now() / 1000 - Number(oldest.split('.')[0]) / 1_000_000);
      return { due: due.length, oldestAge, dead: rejected.length };
    },
    remove: (file) => unlink(join(ready, file)),
    moveToDead: (file) => rename(join(ready, file), join(dead, file)),
  };
}

function timeOf(file: string): string | undefined {
  const milliseconds = Number(file.split('.')[0]) / 1000;
  return Math.abs(milliseconds) <= 8.64e15 ? new Date(milliseconds).toISOString() : undefined;
}

async function isComplete(path: string): Promise<boolean> {
  try {
    JSON.parse(await readFile(path, 'utf8'));
    return true;
  } catch {
    return false;
  }
}
