/**
 * Notifies the other replicas that a tenant has events, with LISTEN and NOTIFY, so that they are dispatched immediately
 * even if the replica that wrote them is busy, stopping or dead. It is only a hint: the sweep finds events whose
 * notification was lost.
 *
 * The notification is not part of the transaction of a change: PostgreSQL commits only one such transaction at a time.
 * It is sent after the commit, with several tenants in one notification.
 */
import pg from 'pg';
import type { Logger } from 'pino';
import { vendor } from '../vendor.ts';

const channel = `${vendor.name}_events`;
const batchMilliseconds = 100;
const reconnectMilliseconds = 2_000;
/** A notification has at most 8,000 bytes, an id 36. */
const maxBatch = 200;

export interface ReplicaChannel {
  /** Notifies the other replicas of a tenant. */
  notify(tenantId: string): void;
  close(): Promise<void>;
}

/**
 * Opens a connection that listens, and reconnects when it is lost.
 * @param onNotified called for each tenant of which another replica notifies
 */
export function openReplicaChannel(
  databaseUrl: string,
  onNotified: (tenantId: string) => void,
  log: Logger,
): ReplicaChannel {
  const waiting = new Set<string>();
  let client: pg.Client | null = null;
  let closed = false;
  let reconnectTimer: NodeJS.Timeout | undefined;
  let sendTimer: NodeJS.Timeout | undefined;

  const connect = async () => {
    const opened = new pg.Client({
      connectionString: databaseUrl,
      application_name: 'box events',
      keepAlive: true,
    });
    const onLost = (error?: Error) => {
      if (client !== opened && client !== null) return;
      client = null;
      if (closed) return;
      if (error) log.debug({ err: error }, 'the connection of the replica channel was lost, reconnecting');
      clearTimeout(reconnectTimer);
      reconnectTimer = setTimeout(connect, reconnectMilliseconds).unref();
    };
    opened.on('error', onLost);
    opened.on('end', () => onLost());
    opened.on('notification', ({ payload = '', processId }) => {
      if (processId === (opened as unknown as { processID: number }).processID) return;
      for (const tenantId of payload.split(' ')) if (tenantId) onNotified(tenantId);
    });
    try {
      await opened.connect();
      await opened.query(`listen ${channel}`);
      client = opened;
    } catch (error) {
      onLost(error as Error);
      await opened.end().catch(() => {});
    }
  };

  const send = () => {
    sendTimer = undefined;
    const tenants = [...waiting].slice(0, maxBatch);
    for (const tenantId of tenants) waiting.delete(tenantId);
    client?.query('select pg_notify($1, $2)', [channel, tenants.join(' ')]).catch(() => {});
    if (waiting.size > 0) schedule();
  };

  const schedule = () => {
    sendTimer ??= setTimeout(send, batchMilliseconds).unref();
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
      clearTimeout(reconnectTimer);
      clearTimeout(sendTimer);
      await opening;
      await client?.end().catch(() => {});
    },
  };
}
