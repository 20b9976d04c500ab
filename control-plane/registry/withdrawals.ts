// Licences that the vendor has suspended or revoked, followed from the control plane, so that their tokens end before they
// expire. The last list is kept in memory and on disk: while the control plane is away, it stays in force.

import { readFile } from 'node:fs/promises';
import type { Licence } from './activation-token.ts';
import { replaceFile } from './files.ts';
import type { Log } from './log.ts';
import { firstOf, type Secret } from './secrets.ts';

/** Milliseconds between two reads of the list: a fraction of the minute within which a token must end. */
const defaultInterval = 10_000;
const fetchTimeout = 5_000;

type Withdrawal = { licenseId: string; customerId: string; withdrawnAt: string };

export type Withdrawals = {
  /** Whether the licence of a token was withdrawn. */
  concern(licence: Licence): boolean;
  /** Seconds since the list was last read, or since it was opened. */
  age(): number;
  stop(): Promise<void>;
};

export type WithdrawalsOptions = {
  /** URL of the list. */
  url: string;
  registrySecret: Secret;
  /** File that keeps the list. */
  cacheFile: string;
  /** Milliseconds between two reads. */
  interval?: number | undefined;
  log: Log;
};

/** Opens the list as it was last read, and reads it again from now on. */
export async function followWithdrawals(options: WithdrawalsOptions): Promise<Withdrawals> {
  const { url, registrySecret, cacheFile, interval = defaultInterval, log } = options;
  const stopping = new AbortController();
  let licences = new Set<string>();
  let customers = new Map<string, number>();
  let kept = '';
  let isReachable = true;
  let readAt = performance.now();

  function use(items: readonly Withdrawal[]): void {
    licences = new Set(items.map(({ licenseId }) => licenseId));
    customers = new Map(items.map(({ customerId, withdrawnAt }) => [customerId, Date.parse(withdrawnAt) / 1000]));
  }

  async function readAgain(): Promise<void> {
    try {
      const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(fetchTimeout)]);
      const headers = { Authorization: `Bearer ${firstOf(registrySecret)}` };
      const response = await fetch(url, { headers, redirect: 'error', signal });
      if (!response.ok) throw new Error(`status ${response.status}`);
      const items = withdrawalsIn(await response.json());
      use(items);
      readAt = performance.now();
      if (!isReachable) log('info', 'withdrawn licences are followed again', { url });
      isReachable = true;
      const text = JSON.stringify({ items });
      if (text !== kept) await replaceFile(cacheFile, text);
      kept = text;
    } catch (error) {
      if (stopping.signal.aborted || !isReachable) return;
      isReachable = false;
      log('warn', 'withdrawn licences cannot be read: the last list stays in force', { url, reason: String(error) });
    }
  }

  const cached = await readFile(cacheFile, 'utf8').catch(() => undefined);
  if (cached !== undefined) {
    try {
      use(withdrawalsIn(JSON.parse(cached)));
      kept = cached;
    } catch (error) {
      log('warn', 'the kept list of withdrawn licences is unreadable', { file: cacheFile, reason: String(error) });
    }
  }

  let timer: NodeJS.Timeout | undefined;
  let reading: Promise<void>;
  const follow = () => {
    reading = readAgain().finally(() => {
      if (!stopping.signal.aborted) timer = setTimeout(follow, interval).unref();
    });
  };
  follow();

  return {
    concern({ licenceId, customerId, issuedAt }) {
      if (licenceId !== undefined) return licences.has(licenceId);
      // A token of an earlier control plane names its customer only.
      return issuedAt <= (customers.get(customerId) ?? Number.NEGATIVE_INFINITY);
    },
    age: () => (performance.now() - readAt) / 1000,
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      await reading;
    },
  };
}

/** @throws Error if it is not such a list */
function withdrawalsIn(value: unknown): Withdrawal[] {
  const items = (value as { items?: unknown } | null)?.items;
  const isWithdrawal = (item: Partial<Withdrawal> | null) =>
    [item?.licenseId, item?.customerId, item?.withdrawnAt].every((field) => typeof field === 'string');
  if (!Array.isArray(items) || !items.every(isWithdrawal)) throw new Error('the response is not a list of withdrawals');
  return items;
}
