/**
 * The background worker of a box: it visits tenants, and at each visit deals their waiting events out, delivers what
 * is due and begins jobs that are due. Every replica has one; rows that are locked or claimed keep them apart.
 *
 * A tenant is visited when it has written events, here or on another replica (replica-channel.ts), and at every sweep over all
 * tenants. The sweep alone is enough for everything to be done: what is lost with a process that dies between its
 * commit and the waking is found by it.
 */
import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import { type DeliveryAttempt, deliverInTransaction, deliverOutsideTransaction } from '../events/deliver.ts';
import { dispatchTask, type FanOutResult, fanOut } from '../events/fan-out.ts';
import type { Subscriber } from '../events/subscriber.ts';
import type { RunTask } from '../operations/task.ts';
import { claimJob, type Job } from './job.ts';
import { TenantQueue } from './tenant-queue.ts';

/** Told of what the worker does; for metrics and traces. */
export interface WorkerObserver {
  around: RunTask;
  fannedOut(round: FanOutResult): void;
  attempted(attempt: DeliveryAttempt): void;
  jobEnded(name: string, failed: boolean): void;
  swept(tenants: number, milliseconds: number): void;
}

export interface WorkerOptions {
  /** Connections of the worker's own, so that neither it nor the requests wait for the other. */
  database: Database;
  subscribers: readonly Subscriber[];
  jobs: readonly Job[];
  log: Logger;
  observe?: Partial<WorkerObserver>;
}

export interface Worker {
  /** Has a tenant visited soon. */
  wake(tenantId: string): void;
  /** Begins to sweep. */
  start(): void;
  /** Lets what is under way end, and begins nothing more. */
  stop(): Promise<void>;
}

/** After a quiet time a tenant is visited this soon. */
const gatherMilliseconds = 50;
/** While events keep coming they are gathered this long, as many together cost little more than one. */
const busyMilliseconds = 500;
const sweepMilliseconds = 5_000;
/** A sweep over very many tenants takes no more of the time than this. */
const largestShareOfSweeps = 0.1;
/** After so many rounds a tenant goes to the end of the queue, so that one with a flood keeps no other waiting. */
const mostRounds = 20;
/**
 * Tenants that are served side by side: events dealt out and delivered in the database, deliveries that call other
 * services, jobs. What waits for a service keeps nothing waiting that does not.
 */
const widths = { events: 2, calls: 8, jobs: 2 };

/** Makes the worker; it does nothing before `start`. */
export function createWorker(options: WorkerOptions): Worker {
  const { database, subscribers, log, observe = {} } = options;
  const around: RunTask = observe.around?.bind(observe) ?? ((_, run) => run());
  const jobNames = options.jobs.map(({ name }) => name);
  const prepared = new Set<string>();
  const woken = new Set<string>();
  let stopped = false;
  let lastVisits = 0;
  let nextVisits: NodeJS.Timeout | undefined;
  let nextSweep: NodeJS.Timeout | undefined;
  let sweeping: Promise<void> = Promise.resolve();

  const failed = (error: unknown, tenantId: string) =>
    log.warn({ err: error, tenantId }, 'background work failed, it is tried again');

  const ended = (attempt: DeliveryAttempt) => {
    observe.attempted?.(attempt);
    const { outcome, error, ...about } = attempt;
    if (outcome === 'dead') log.error({ ...about, err: error }, 'an event is dead for a subscriber');
    if (outcome === 'failed') log.warn({ ...about, err: error }, 'a subscriber failed, it is called again');
  };
  const how = { subscribers, around, observe: ended };

  const events = new TenantQueue({
    width: widths.events,
    failed,
    async serve(tenantId) {
      if (!prepared.has(tenantId)) await prepareTasks(tenantId);
      const db = database.forTenant(tenantId);
      const [due] = await db.query<Due>(dueStatement, [jobNames]);
      if (due?.jobs) void jobs.add(tenantId);
      if (!due?.events && !due?.deliveries) return false;
      let more = due.events;
      for (let round = 0; more && !stopped && round < mostRounds; round++) {
        const dealt = await fanOut(db, subscribers);
        if (dealt.events > 0) observe.fannedOut?.(dealt);
        more = dealt.more;
      }
      void calls.add(tenantId);
      return (await repeatedly(() => deliverInTransaction(database, tenantId, how))) || more;
    },
  });

  const calls = new TenantQueue({
    width: widths.calls,
    failed,
    serve: (tenantId) => repeatedly(() => deliverOutsideTransaction(database, tenantId, how)),
  });

  const jobs = new TenantQueue({
    width: widths.jobs,
    failed,
    async serve(tenantId) {
      const db = database.forTenant(tenantId);
      for (const job of options.jobs) if (!stopped && (await claimJob(db, job))) await runJob(tenantId, job);
      return false;
    },
  });

  /** Does something until there is nothing left to do; true when it was stopped before. */
  const repeatedly = async (work: () => Promise<number>): Promise<boolean> => {
    for (let round = 0; round < mostRounds; round++) if (stopped || (await work()) === 0) return false;
    return true;
  };

  const runJob = async (tenantId: string, job: Job): Promise<void> => {
    const db = database.forTenant(tenantId);
    const isFailed = await around({ name: job.name }, async () => job.run(db)).then(
      () => false,
      (error) => {
        log.warn({ err: error, job: job.name, tenantId }, 'a job failed, it is begun again when it is due');
        return true;
      },
    );
    observe.jobEnded?.(job.name, isFailed);
  };

  /** The rows that dispatch and jobs are claimed by. */
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
        // One after another: a sweep leaves room for tenants that are woken.
        await events.add(id);
      }
      observe.swept?.(tenants.length, performance.now() - began);
    } catch (error) {
      if (!stopped) log.warn({ err: error }, 'the sweep over the tenants failed, it is tried again');
    }
    const took = performance.now() - began;
    if (!stopped) nextSweep = setTimeout(startSweep, Math.max(sweepMilliseconds, took / largestShareOfSweeps)).unref();
  };

  const startSweep = () => {
    sweeping = sweep();
  };

  return {
    wake(tenantId) {
      if (stopped) return;
      woken.add(tenantId);
      const pause = Math.max(gatherMilliseconds, busyMilliseconds - (performance.now() - lastVisits));
      nextVisits ??= setTimeout(visitWoken, pause).unref();
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

/** One round trip for a tenant that has nothing to be done. */
const dueStatement = `
  select exists (select from event_outbox where tenant_id = $1 and dispatched_at is null) as events,
         exists (select from event_deliveries
                  where tenant_id = $1 and status = 'pending' and next_attempt_at <= now()) as deliveries,
         exists (select from background_tasks
                  where tenant_id = $1 and name = any($2) and due_at <= now()) as jobs`;
