/**
 * Keeps indexes as they should be, without a migration: those of languages in use, and those whose collation has another
 * version. One box of several does it, as the owner of the tables, each minute.
 */
import pg from 'pg';
import type { Logger } from 'pino';
import { rebuildIndexes } from '../db/collation-versions.ts';
import { lockIndexes } from '../db/index-lock.ts';
import { keepLanguageIndexes, type LanguageIndex } from './language-indexes.ts';

export interface IndexKeeper {
  start(indexes: readonly LanguageIndex[]): void;
  /** Cancels the work in progress, which a later start repeats. */
  stop(): Promise<void>;
}

/** Milliseconds from the start, which has more urgent work. */
const defaultDelay = 10_000;
const interval = 60_000;
/** After failures, each of which may have cost the building of an index. */
const longestInterval = 3_600_000;

export interface KeptIndexes {
  indexes: readonly LanguageIndex[];
  /** Whether to drop those of languages that are no longer in use. */
  dropUnused: boolean;
  log: Logger;
}

/**
 * Does what there is to do, unless another box is at it or applies migrations.
 * @returns how many indexes could not be rebuilt
 */
export async function keepIndexes(client: pg.Client, { indexes, dropUnused, log }: KeptIndexes): Promise<number> {
  if (!(await lockIndexes(client))) return 0;
  const failed = await rebuildIndexes(client, log);
  for (const index of indexes) await keepLanguageIndexes(client, index, { dropUnused, log });
  return failed;
}

/** Connects as the owner of the tables. The server cancels the work when the connection closes. */
export function openIndexClient(url: string): pg.Client {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'box indexes',
    options: '-c client_connection_check_interval=500ms',
  });
  client.on('error', () => {}); // the query in progress fails with the same error
  return client;
}

/** @param firstDelay milliseconds; null to do nothing */
export function createIndexKeeper(url: string, log: Logger, firstDelay: number | null = defaultDelay): IndexKeeper {
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let working: Promise<void> = Promise.resolve();
  let stopped = false;

  const work = async (
    indexes: readonly LanguageIndex[],
    { dropUnused, delay }: { dropUnused: boolean; delay: number },
  ) => {
    let isFailed = false;
    client = openIndexClient(url);
    try {
      await client.connect();
      isFailed = (await keepIndexes(client, { indexes, dropUnused, log })) > 0;
    } catch (error) {
      isFailed = true;
      if (!stopped) log.warn({ err: error }, 'work on indexes was interrupted and will be retried');
    }
    await client.end().catch(() => {});
    schedule(indexes, {
      dropUnused: false,
      delay: isFailed ? Math.min(2 * Math.max(delay, interval), longestInterval) : interval,
    });
  };

  const schedule = (indexes: readonly LanguageIndex[], next: { dropUnused: boolean; delay: number }) => {
    if (stopped) return;
    const begin = () => {
      working = work(indexes, next);
    };
    timer = setTimeout(begin, next.delay).unref();
  };

  return {
    start(indexes) {
      if (firstDelay !== null) schedule(indexes, { dropUnused: true, delay: firstDelay });
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await client?.end().catch(() => {});
      await working;
    },
  };
}
