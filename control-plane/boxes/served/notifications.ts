/**
 * Receives the notifications of a channel of PostgreSQL (LISTEN), on a connection of its own, which is opened again when
 * it is lost.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';

/** Milliseconds between probes of the connection, which may be dead without an error. */
const probeInterval = 5_000;
/** Milliseconds for a probe, or for a new connection. */
const patience = 5_000;
/** Milliseconds between attempts to connect, doubled after each failure. */
const delays = { first: 100, longest: 5_000 };

export interface ListenLog {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
}

export interface ListenOptions {
  databaseUrl: string;
  channel: string;
  log: ListenLog;
  /** A notification. */
  receive(payload: string): void;
  /**
   * Notifications arrive from now on. Earlier ones may be missing. If it throws, the connection is opened again.
   * @param catchUp that of `Listening`
   */
  connected(catchUp: () => Promise<void>): Promise<void>;
  /** Notifications may be missing from now on, also if `connected` is still in progress. */
  lost(): void;
}

export interface Listening {
  /** Resolves once all notifications of transactions that are committed by now are received. @throws Error if it is lost */
  catchUp(): Promise<void>;
  /** Ends the connection, so that it is opened again. */
  restart(): void;
  close(): Promise<void>;
}

/** A probe: its payload begins with a character that no host name has. */
const probePrefix = '?';

/** Listens from when it resolves. @throws Error if the first connection fails */
export async function listenTo(options: ListenOptions): Promise<Listening> {
  const { databaseUrl, channel, log, receive, connected, lost } = options;
  let isClosed = false;
  let client: pg.Client;
  const probes = new Map<string, () => void>();

  async function connect(): Promise<void> {
    const opened = new pg.Client({
      connectionString: databaseUrl,
      application_name: 'control-plane notifications',
      connectionTimeoutMillis: patience,
      keepAlive: true,
    });
    opened.on('notification', ({ payload = '' }) => {
      if (payload.startsWith(probePrefix)) probes.get(payload)?.();
      else receive(payload);
    });
    // An error of a lost connection, after which it ends.
    opened.on('error', () => {});
    const end = new Promise<void>((resolve) => opened.once('end', resolve));
    const early = end.then(() => {
      throw new Error('the connection for notifications has ended');
    });
    early.catch(() => {});
    try {
      await opened.connect();
      await opened.query(`listen ${channel}`);
      if (isClosed) throw new Error('no notifications are received any more');
      client = opened;
      await Promise.race([connected(catchUp), early]);
    } catch (error) {
      lost();
      await opened.end().catch(() => {});
      throw error;
    }
    void end.then(() => {
      if (isClosed) return;
      lost();
      log.warn({ channel }, 'the connection for notifications was lost; queries of the database take their place');
      return reconnect();
    });
  }

  async function reconnect(): Promise<void> {
    for (let delay = delays.first; !isClosed; delay = Math.min(2 * delay, delays.longest)) {
      try {
        await connect();
        log.info({ channel }, 'notifications are received again');
        return;
      } catch {
        await setTimeout(delay, undefined, { ref: false });
      }
    }
  }

  async function catchUp(): Promise<void> {
    const payload = `${probePrefix}${randomUUID()}`;
    const arrival = new Promise<void>((resolve) => probes.set(payload, resolve));
    const overdue = setTimeout(patience, undefined, { ref: false }).then(() => {
      throw new Error('a notification did not arrive');
    });
    try {
      // Notifications arrive in the order of the commits.
      await Promise.race([
        Promise.all([client.query('select pg_notify($1, $2)', [channel, payload]), arrival]),
        overdue,
      ]);
    } finally {
      probes.delete(payload);
    }
  }

  const restart = (connection = client) =>
    (connection as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();

  await connect();
  const timer = setInterval(() => {
    const probed = client;
    catchUp().catch(() => restart(probed));
  }, probeInterval);
  timer.unref();
  return {
    catchUp,
    restart: () => restart(),
    async close() {
      isClosed = true;
      clearInterval(timer);
      await client.end();
    },
  };
}
