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

/** Opens the served domains: complete, and kept current, from when it resolves. */
export async function openServedDomains(db: Knex, databaseUrl: string, log: ListenLog): Promise<ServedDomains> {
  let domains = new Map<string, ServingBox>();
  let boxes = new Map<string, ServingBox>();
  let isCurrent = false;
  /** Domains whose notifications were received since they were last read. */
  const changed = new Set<string>();
  let refreshing: Promise<void> | null = null;

  const keep = (target: Map<string, ServingBox>, known: Map<string, ServingBox>, row: ServedRow) => {
    const box = known.get(row.boxId) ?? { backendUrl: row.backendUrl };
    box.backendUrl = row.backendUrl;
    known.set(row.boxId, box);
    target.set(row.domain, box);
  };

  /** Reads all domains, in batches. Those that change meanwhile are among `changed`. */
  async function load(): Promise<void> {
    const [loaded, known] = [new Map<string, ServingBox>(), new Map<string, ServingBox>()];
    changed.clear();
    for (let last = ''; ; ) {
      const rows = await servedRows(db).where('box_domains.domain', '>', last).orderBy('domain').limit(batchSize);
      for (const row of rows) keep(loaded, known, row);
      if (rows.length < batchSize) break;
      last = (rows.at(-1) as ServedRow).domain;
    }
    [domains, boxes] = [loaded, known];
    await refresh();
    isCurrent = true;
    log.info({ domains: domains.size }, 'the served domains are in memory');
  }

  /** Reads the changed domains again, until there are none. */
  async function refresh(): Promise<void> {
    while (changed.size > 0) {
      const names = [...changed].slice(0, batchSize);
      for (const name of names) changed.delete(name);
      const rows = await servedRows(db).whereRaw('box_domains.domain = any(?::text[])', [names]);
      const found = new Set(rows.map(({ domain }) => domain));
      for (const row of rows) keep(domains, boxes, row);
      for (const name of names) if (!found.has(name)) domains.delete(name);
    }
  }

  /** Starts to refresh, unless that is in progress. If it fails, everything is read again by a new connection. */
  function startRefresh(): void {
    refreshing ??= refresh()
      .catch((error) => {
        isCurrent = false;
        log.warn({ err: error }, 'served domains could not be read; queries of the database take their place');
        listening.restart();
      })
      .finally(() => {
        refreshing = null;
      });
  }

  const listening: Listening = await listenTo({
    databaseUrl,
    channel: 'served_domains',
    log,
    connected: load,
    receive(domain) {
      changed.add(domain);
      if (isCurrent) startRefresh();
    },
    lost() {
      isCurrent = false;
    },
  });

  return {
    async find(names) {
      if (!isCurrent) return findBackend(db, names, false);
      const domain = names.find((name) => domains.has(name));
      return domain === undefined ? null : { domain, backendUrl: (domains.get(domain) as ServingBox).backendUrl };
    },
    async catchUp() {
      if (!isCurrent) return;
      await listening.catchUp().catch(() => {
        // Before its end is noticed.
        isCurrent = false;
        listening.restart();
      });
      while (refreshing) await refreshing;
    },
    close: () => listening.close(),
  };
}
