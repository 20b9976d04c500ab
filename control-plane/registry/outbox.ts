// Download reports on disk, one file each, until the control plane has taken them.
//
//   begun/  a tarball is being served: counts once the answer is out; what a crash leaves here was served
//   ready/  to be sent, oldest first
//   dead/   refused by the control plane, kept for a person to look at
//
// A file's name is its time and its idempotency key, so a report sent twice can be recognised.

import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { flushFolder, writeNewFile } from './files.ts';

export type DownloadReport = {
  customerId: string;
  tier: string;
  packageName: string;
  version?: string;
  outcome: 'allowed' | 'denied';
};

export type StoredReport = { file: string; idempotencyKey: string; report: DownloadReport };

/** A report that is safe on disk but not due yet. */
export type BegunReport = {
  /** The download took place: the report is due. */
  complete(): Promise<void>;
  /** The download did not take place: there is nothing to report. */
  abandon(): Promise<void>;
};

export type Outbox = {
  /** Keeps a report before its download begins; resolves when it is safe on disk. */
  begin(report: DownloadReport): Promise<BegunReport>;
  /** Keeps a report that is due at once; resolves when it is safe on disk. */
  add(report: DownloadReport): Promise<void>;
  /** Files of the reports that are due, oldest first. */
  due(): Promise<string[]>;
  read(file: string): Promise<StoredReport>;
  /** Drops a report the control plane has taken. */
  drop(file: string): Promise<void>;
  /** Puts a report aside that the control plane will never take. */
  bury(file: string): Promise<void>;
};

/** Opens the outbox in a folder and makes due what an earlier process had begun. `onDue` is called for each new one. */
export async function openOutbox(folder: string, onDue: () => void): Promise<Outbox> {
  const [begun, ready, dead] = ['begun', 'ready', 'dead'].map((state) => join(folder, state)) as [
    string,
    string,
    string,
  ];
  for (const state of [begun, ready, dead]) await mkdir(state, { recursive: true, mode: 0o700 });
  for (const file of await readdir(begun)) {
    // A file cut off while it was written belongs to a download that had not begun.
    if (await isWhole(join(begun, file))) await rename(join(begun, file), join(ready, file));
    else await unlink(join(begun, file));
  }

  let lastStamp = 0;

  async function begin(report: DownloadReport): Promise<BegunReport> {
    // Microseconds since the epoch, each larger than the one before: two reports of one millisecond keep their order.
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
      const kept = await begin(report);
      await kept.complete();
      await flushFolder(ready);
    },
    async due() {
      return (await readdir(ready)).sort();
    },
    async read(file) {
      const report = JSON.parse(await readFile(join(ready, file), 'utf8')) as DownloadReport;
      return { file, idempotencyKey: file.split('.')[1] ?? file, report };
    },
    drop: (file) => unlink(join(ready, file)),
    bury: (file) => rename(join(ready, file), join(dead, file)),
  };
}

async function isWhole(path: string): Promise<boolean> {
  try {
    JSON.parse(await readFile(path, 'utf8'));
    return true;
  } catch {
    return false;
  }
}
