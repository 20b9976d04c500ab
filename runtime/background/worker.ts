/**
 * The background worker of a box: it visits tenants, and at each visit dispatches their events, makes deliveries that
 * are due and runs jobs that are due. Every replica has a worker; row locks and leases keep two of them from doing the
 * same work.
 *
 * A tenant is visited when it has written events, here or on another replica (replica-channel.ts), and at every sweep
 * over all tenants. The sweep alone guarantees that all work is done: it finds the events of a process that died
 * between its commit and the notification.
 */
import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import { type DeliveryAttempt, deliverInTransaction, deliverOutsideTransaction } from '../events/deliver.ts';
import { dispatchTask, type FanOutResult, fanOut } from '../events/fan-out.ts';
import type { EventReader } from '../events/recorded.ts';
import type { Subscriber } from '../events/subscriber.ts';
import type { RunTask } from '../operations/task.ts';
import { claimJob, type Job } from './job.ts';
import { TenantQueue } from './tenant-queue.ts';

/** Receives what the worker does, for metrics and traces. */
export interface WorkerObserver {
  around: RunTask;
  fannedOut(round: FanOutResult): void;
  attempted(attempt: DeliveryAttempt): void;
  jobEnded(name: string, failed: boolean): void;
  swept(tenants: number, milliseconds: number): void;
}

export interface WorkerOptions {
  /** With a pool of the worker's own, so that the worker and requests do not wait for each other's connections. */
  database: Database;
  subscribers: readonly Subscriber[];
  /** Reads recorded events for the dispatch; the subscribers read theirs. */
  reader: EventReader;
  jobs: readonly Job[];
  log: Logger;
  observe?: Partial<WorkerObserver>;
}

export interface Worker {
  /** Schedules a visit to a tenant. */
  wake(tenantId: string): void;
  /** Starts the first sweep; others follow. */
  start(): void;
  /** Starts nothing more, and resolves when the work in progress has ended. */
  stop(): Promise<void>;
}

/** The delay of a visit after an idle period. */
const idleDelayMilliseconds = 50;
/** The least time between visits to woken tenants under load: many events at a time cost little more than one. */
const busyIntervalMilliseconds = 500;
const sweepMilliseconds = 5_000;
/** The largest share of the time that sweeps over very many tenants may take. */
const maxSweepShare = 0.1;
/**
 * After this many rounds a tenant goes to the end of the queue, so that a flood of events does not delay other tenants.
 */
const maxRounds = 20;
/**
 * Number of tenants served at the same time: dispatch and deliveries in the database, deliveries that call other
 * services, jobs. They are separate, so that a slow service delays only the work that calls services.
 */
const concurrency = { events: 2, calls: 8, jobs: 2 };

/** Creates the worker; it does nothing before `start`. */
export function createWorker(options: WorkerOptions): Worker {
  const { database, subscribers, reader, log, observe = {} } = options;
  const around: RunTask = observe.around?.bind(observe) ?? ((_, run) => run());
  const jobNames = options.jobs.map(({ name }) => name);
  const prepared = new Set<string>();
  const woken = new Set<string>();
  let stopped = false;
  let lastVisits = 0;
  let nextVisits: NodeJS.Timeout | undefined;
  let nextSweep: NodeJS.Timeout | undefined;
  let sweeping: Promise<void> = Promise.resolve();

  const onError = (error: unknown, tenantId: string) =>
    log.warn({ err: error, tenantId }, 'background work failed and will be retried');

  const onAttempt = (attempt: DeliveryAttempt) => {
    observe.attempted?.(attempt);
    const { outcome, error, ...fields } = attempt;
    if (outcome === 'dead') log.error({ ...fields, err: error }, 'a delivery is dead: its last attempt failed');
    if (outcome === 'failed') log.warn({ ...fields, err: error }, 'a delivery failed and will be retried');
  };
  const deliverOptions = { subscribers, around, observe: onAttempt };

  const events = new TenantQueue({
    concurrency: concurrency.events,
    onError,
    async serve(tenantId) {
      if (!prepared.has(tenantId)) await prepareTasks(tenantId);
      const db = database.forTenant(tenantId);
      const [due] = await db.query<Due>(dueStatement, [jobNames]);
      if (due?.jobs) void jobs.add(tenantId);
      if (!due?.events && !due?.deliveries) return false;
      let hasMore = due.events;
      for (let round = 0; hasMore && !stopped && round < maxRounds; round++) {
        const result = await fanOut(db, subscribers, reader);
        if (result.events > 0) observe.fannedOut?.(result);
        hasMore = result.hasMore;
      }
      void calls.add(tenantId);
      return (await repeat(() => deliverInTransaction(database, tenantId, deliverOptions))) || hasMore;
    },
  });

  const calls = new TenantQueue({
    concurrency: concurrency.calls,
    onError,
    serve: (tenantId) => repeat(() => deliverOutsideTransaction(database, tenantId, deliverOptions)),
  });

  const jobs = new TenantQueue({
    concurrency: concurrency.jobs,
    onError,
    async serve(tenantId) {
      const db = database.forTenant(tenantId);
      for (const job of options.jobs) if (!stopped && (await claimJob(db, job))) await runJob(tenantId, job);
      return false;
    },
  });

  /**
   * Repeats work until it returns 0 or the worker stops; resolves to true after `maxRounds`, when there may be more.
   */
  const repeat = async (work: () => Promise<number>): Promise<boolean> => {
    for (let round = 0; round < maxRounds; round++) if (stopped || (await work()) === 0) return false;
    return true;
  };

  const runJob = async (tenantId: string, job: Job): Promise<void> => {
    const db = database.forTenant(tenantId);
    const isFailed = await around({ name: job.name }, async () => job.run(db)).then(
      () => false,
      (error) => {
        log.warn({ err: error, job: job.name, tenantId }, 'a job failed and will run again when it is due');
        return true;
      },
    );
    observe.jobEnded?.(job.name, isFailed);
  };

  /** Inserts the rows with which workers claim the dispatch and the jobs of a tenant. */
  const prepareTasks = async (tenantId: string) => {
    const text = 'insert into background_tasks (tenant_id, name) select $1, unnest($2::text[]) on conflict do nothing';
    await database.forTenant(tenantId).query(text, [[dispatchTask, ...jobNames]]);
    prepared.add(tenantId);
  };

  const visitWoken = () => {
    nextVisits = undefined;
    lastVisits = performance.now();
    for (const tenantId of woken) void events.add(tenantId);
    woken.clear();
  };

  const sweep = async (): Promise<void> => {
    const began = performance.now();
    try {
      const tenants = await database.box.query<{ id: string }>('select id from tenants order by id');
      for (const { id } of tenants) {
        if (stopped) return;
        // One after another, to leave capacity for tenants that are woken.
        await events.add(id);
      }
      observe.swept?.(tenants.length, performance.now() - began);
    } catch (error) {
      if (!stopped) log.warn({ err: error }, 'the sweep over the tenants failed and will be retried');
    }
    const duration = performance.now() - began;
    if (!stopped) nextSweep = setTimeout(startSweep, Math.max(sweepMilliseconds, duration / maxSweepShare)).unref();
  };

  const startSweep = () => {
    sweeping = sweep();
  };

  return {
    wake(tenantId) {
      if (stopped) return;
      woken.add(tenantId);
      const delay = Math.max(idleDelayMilliseconds, busyIntervalMilliseconds - (performance.now() - lastVisits));
      nextVisits ??= setTimeout(visitWoken, delay).unref();
    },
    start: startSweep,
    async stop() {
      stopped = true;
      clearTimeout(nextVisits);
      clearTimeout(nextSweep);
      await sweeping;
      await Promise.all([events.close(), calls.close(), jobs.close()]);
    },
  };
}

interface Due {
  events: boolean;
  deliveries: boolean;
  jobs: boolean;
}

/** Takes one round trip for a tenant without work. */
const dueStatement = `
  select exists (select from event_outbox where tenant_id = $1 and dispatched_at is null) as events,
         exists (select from event_deliveries
                  where tenant_id = $1 and status = 'pending' and next_attempt_at <= now()) as deliveries,
         exists (select from background_tasks
                  where tenant_id = $1 and name = any($2) and due_at <= now()) as jobs`;
