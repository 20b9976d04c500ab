/**
 * Telling the other replicas that a tenant has events, by LISTEN and NOTIFY, so that they are dispatched at once also
 * when the one that wrote them is busy, stopping or dead. It is a hint: what it misses, the sweep finds.
 *
 * Nothing is notified in the transaction of a change: PostgreSQL lets only one such transaction commit at a time. The
 * tenants of a moment are told of together, once they are committed.
 */
import pg from 'pg';
import type { Logger } from 'pino';
import { vendor } from '../vendor.ts';

const channel = `${vendor.name}_events`;
const gatherMilliseconds = 100;
const reconnectMilliseconds = 2_000;
/** A notification holds 8,000 bytes, an id 36. */
const mostInOne = 200;

export interface ReplicaChannel {
  /** Tells the others of a tenant. */
  notify(tenantId: string): void;
  close(): Promise<void>;
}

/**
 * Opens a connection that listens, and opens it again whenever it breaks.
 * @param woken is called for each tenant that another replica tells of
 */
export function openReplicaChannel(
  databaseUrl: string,
  woken: (tenantId: string) => void,
  log: Logger,
): ReplicaChannel {
  const waiting = new Set<string>();
  let client: pg.Client | null = null;
  let closed = false;
  let reconnect: NodeJS.Timeout | undefined;
  let flush: NodeJS.Timeout | undefined;

  const connect = async () => {
    const opened = new pg.Client({
      connectionString: databaseUrl,
      application_name: 'box events',
      keepAlive: true,
    });
    const lost = (error?: Error) => {
      if (client !== opened && client !== null) return;
      client = null;
      if (closed) return;
      if (error) log.debug({ err: error }, 'the line between replicas broke, it is opened again');
      clearTimeout(reconnect);
      reconnect = setTimeout(connect, reconnectMilliseconds).unref();
    };
    opened.on('error', lost);
    opened.on('end', () => lost());
    opened.on('notification', ({ payload = '', processId }) => {
      if (processId === (opened as unknown as { processID: number }).processID) return;
      for (const tenantId of payload.split(' ')) if (tenantId) woken(tenantId);
    });
    try {
      await opened.connect();
      await opened.query(`listen ${channel}`);
      client = opened;
    } catch (error) {
      lost(error as Error);
      await opened.end().catch(() => {});
    }
  };

  const send = () => {
    flush = undefined;
    const tenants = [...waiting].slice(0, mostInOne);
    for (const tenantId of tenants) waiting.delete(tenantId);
    client?.query('select pg_notify($1, $2)', [channel, tenants.join(' ')]).catch(() => {});
    if (waiting.size > 0) schedule();
  };

  const schedule = () => {
    flush ??= setTimeout(send, gatherMilliseconds).unref();
  };

  const opening = connect();
  return {
    notify(tenantId) {
      if (closed) return;
      waiting.add(tenantId);
      schedule();
    },
    async close() {
      closed = true;
      clearTimeout(reconnect);
      clearTimeout(flush);
      await opening;
      await client?.end().catch(() => {});
    },
  };
}
