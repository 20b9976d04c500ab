/**
 * The domains that are served, and their backends, in the memory of this replica. Notifications of the database tell it
 * which domains have changed; it then reads these again. While it receives none, the database is asked for each host.
 */
import type { Knex } from 'knex';
import { findBackend } from '../store.ts';
import { type Listening, type ListenLog, listenTo } from './notifications.ts';

/** Rows that are read at a time. */
const batchSize = 10_000;

/** A box, shared by its domains. */
interface ServingBox {
  backendUrl: string;
}

interface ServedRow extends ServingBox {
  domain: string;
  boxId: string;
}

export interface ServedDomains {
  /** Finds the first of these domains that is served. */
  find(domains: readonly string[]): Promise<{ domain: string; backendUrl: string } | null>;
  /** Resolves once this replica knows all that is committed by now, so that a request sees what an earlier one changed. */
  catchUp(): Promise<void>;
  close(): Promise<void>;
}

const servedRows = (db: Knex) =>
  db('box_domains')
    .join('boxes', 'boxes.id', 'box_domains.boxId')
    .whereIn('state', ['proved', 'failing'])
    .select<ServedRow[]>('box_domains.domain', 'boxes.id as boxId', 'boxes.backendUrl');

/** What a connection for notifications keeps current. With the connection it is abandoned, and with it what still reads it. */
interface Memory {
  domains: Map<string, ServingBox>;
  boxes: Map<string, ServingBox>;
  /** Domains whose notifications were received since they were last read. */
  changed: Set<string>;
  /** False if something was committed whose notifications the load may not have awaited. */
  isCaughtUp: boolean;
  refreshing: Promise<void> | null;
}

const emptyMemory = (): Memory => ({
  domains: new Map(),
  boxes: new Map(),
  changed: new Set(),
  isCaughtUp: false,
  refreshing: null,
});

function keep({ domains, boxes }: Memory, { domain, boxId, backendUrl }: ServedRow): void {
  const box = boxes.get(boxId) ?? { backendUrl };
  box.backendUrl = backendUrl;
  boxes.set(boxId, box);
  domains.set(domain, box);
}

/** Opens the served domains: complete, and kept current, from when it resolves. */
export async function openServedDomains(db: Knex, databaseUrl: string, log: ListenLog): Promise<ServedDomains> {
  let memory = emptyMemory();
  let isCurrent = false;

  /** Reads all domains, in batches, unless the connection is lost. Those that change meanwhile are among `changed`. */
  async function load(catchUp: () => Promise<void>): Promise<void> {
    const own = memory;
    for (let last = ''; ; ) {
      const rows = await servedRows(db).where('box_domains.domain', '>', last).orderBy('domain').limit(batchSize);
      if (memory !== own) return;
      for (const row of rows) keep(own, row);
      if (rows.length < batchSize) break;
      last = (rows.at(-1) as ServedRow).domain;
    }
    while (!own.isCaughtUp) {
      own.isCaughtUp = true;
      await catchUp();
      await refresh(own);
    }
    if (memory !== own) return;
    isCurrent = true;
    log.info({ domains: own.domains.size }, 'the served domains are in memory');
  }

  /** Reads the changed domains again, until there are none. */
  async function refresh(own: Memory): Promise<void> {
    while (own.changed.size > 0) {
      const names = [...own.changed].slice(0, batchSize);
      for (const name of names) own.changed.delete(name);
      const rows = await servedRows(db).whereRaw('box_domains.domain = any(?::text[])', [names]);
      const found = new Set(rows.map(({ domain }) => domain));
      for (const row of rows) keep(own, row);
      for (const name of names) if (!found.has(name)) own.domains.delete(name);
    }
  }

  /** Starts to refresh, unless that is in progress. If it fails, everything is read again by a new connection. */
  function startRefresh(own: Memory): void {
    own.refreshing ??= refresh(own)
      .catch((error) => {
        if (memory !== own) return;
        isCurrent = false;
        log.warn({ err: error }, 'served domains could not be read; queries of the database take their place');
        listening.restart();
      })
      .finally(() => {
        own.refreshing = null;
      });
  }

  const listening: Listening = await listenTo({
    databaseUrl,
    channel: 'served_domains',
    log,
    connected: load,
    receive(domain) {
      memory.changed.add(domain);
      if (isCurrent) startRefresh(memory);
    },
    lost() {
      isCurrent = false;
      memory = emptyMemory();
    },
  });

  return {
    async find(names) {
      if (!isCurrent) return findBackend(db, names, false);
      const { domains } = memory;
      const domain = names.find((name) => domains.has(name));
      return domain === undefined ? null : { domain, backendUrl: (domains.get(domain) as ServingBox).backendUrl };
    },
    async catchUp() {
      memory.isCaughtUp = false;
      if (!isCurrent) return;
      await listening.catchUp().catch(() => {
        // Before its end is noticed.
        isCurrent = false;
        listening.restart();
      });
      while (memory.refreshing) await memory.refreshing;
    },
    close: () => listening.close(),
  };
}
