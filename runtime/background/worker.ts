/**
 * The background worker of a box: it visits tenants, and at each visit deals their waiting events out, delivers what
 * is due and begins jobs that are due. Every replica has one; rows that are locked or claimed keep them apart.
 *
 * A tenant is visited when it has written events, here or on another replica (wake.ts), and at every sweep over all
 * tenants. The sweep alone is enough for everything to be done: what is lost with a process that dies between its
 * commit and the waking is found by it.
 */
import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import { deliverDue, type EndedAttempt } from '../events/deliver.ts';
import { dispatchTask, type FannedOut, fanOut } from '../events/fan-out.ts';
import type { Subscriber } from '../events/subscriber.ts';
import { claimJob, type Job } from './job.ts';

/** A piece of the worker's work: an attempt to deliver an event, or a run of a job. */
export interface BackgroundTask {
  /** `payment.reconcile`: of the subscriber or the job. */
  name: string;
  delivery?: { deliveryId: string; eventId: string; type: string; attempt: number };
}

/** Told of what the worker does; for metrics and traces. */
export interface WorkerObserver {
  /** Runs a piece of work, and throws what it throws. */
  around<T>(task: BackgroundTask, run: () => Promise<T>): Promise<T>;
  fannedOut(round: FannedOut): void;
  attempted(attempt: EndedAttempt): void;
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

/** Events that are written close together are dealt out together. */
const gatherMilliseconds = 50;
const sweepMilliseconds = 5_000;
/** A sweep over very many tenants takes no more of the time than this. */
const largestShareOfSweeps = 0.1;
/** Tenants that are visited side by side. */
const mostVisits = 2;
const deliveriesAtOnce = 16;
/** After so many rounds a tenant goes to the end of the queue, so that one with a flood keeps no other waiting. */
const roundsOfAVisit = 20;

/** Makes the worker; it does nothing before `start`. */
export function createWorker(options: WorkerOptions): Worker {
  const { database, log, observe = {} } = options;
  const around: WorkerObserver['around'] = observe.around?.bind(observe) ?? ((_, run) => run());
  const queue = new Set<string>();
  const visiting = new Map<string, Promise<void>>();
  const known = new Set<string>();
  let stopped = false;
  let nextSweep: NodeJS.Timeout | undefined;
  let gathering: NodeJS.Timeout | undefined;
  let sweeping: Promise<void> = Promise.resolve();

  const wake = (tenantId: string) => {
    if (stopped) return;
    queue.add(tenantId);
    gathering ??= setTimeout(() => {
      gathering = undefined;
      begin();
    }, gatherMilliseconds).unref();
  };

  /** Begins visits while there is room. A tenant that is woken while it is visited is visited once more. */
  const begin = () => {
    for (const tenantId of queue) {
      if (stopped || visiting.size >= mostVisits) return;
      if (visiting.has(tenantId)) continue;
      queue.delete(tenantId);
      const visit = visitTenant(tenantId)
        .catch((error) => {
          if (!stopped) log.warn({ err: error, tenantId }, 'background work failed, it is tried again');
          return false;
        })
        .then((more) => {
          visiting.delete(tenantId);
          if (more) queue.add(tenantId);
          begin();
        });
      visiting.set(tenantId, visit);
    }
  };

  /** Does what there is to do for a tenant; true when there is more than fits into one visit. */
  const visitTenant = async (tenantId: string): Promise<boolean> => {
    const db = database.forTenant(tenantId);
    if (!known.has(tenantId)) await prepareTasks(tenantId);
    const [due] = await db.query<Due>(dueStatement);
    for (const name of due?.jobs ?? []) await runJob(tenantId, name);
    if (!due?.events && !due?.deliveries) return false;
    for (let round = 0; round < roundsOfAVisit; round++) {
      if (stopped) return false;
      const dealt = await fanOut(db, options.subscribers);
      if (dealt.events > 0) observe.fannedOut?.(dealt);
      const { subscribers } = options;
      const how = { subscribers, limit: deliveriesAtOnce, around, observe: ended };
      const delivered = await deliverDue(database, tenantId, how);
      if (!dealt.more && delivered === 0) return false;
    }
    return true;
  };

  const ended = (attempt: EndedAttempt) => {
    observe.attempted?.(attempt);
    const { outcome, error, ...about } = attempt;
    if (outcome === 'dead') log.error({ ...about, err: error }, 'an event is dead for a subscriber');
    if (outcome === 'failed') log.warn({ ...about, err: error }, 'a subscriber failed, it is called again');
  };

  const runJob = async (tenantId: string, name: string): Promise<void> => {
    const job = options.jobs.find((declared) => declared.name === name);
    if (!job || stopped) return;
    const db = database.forTenant(tenantId);
    if (!(await claimJob(db, job))) return;
    const failed = await around({ name }, async () => job.run(db)).then(
      () => false,
      (error) => {
        log.warn({ err: error, job: name, tenantId }, 'a job failed, it is begun again when it is due');
        return true;
      },
    );
    observe.jobEnded?.(name, failed);
  };

  /** The rows that dispatch and jobs are claimed by. */
  const prepareTasks = async (tenantId: string) => {
    const names = [dispatchTask, ...options.jobs.map(({ name }) => name)];
    await database
      .forTenant(tenantId)
      .query('insert into background_tasks (tenant_id, name) select $1, unnest($2::text[]) on conflict do nothing', [
        names,
      ]);
    known.add(tenantId);
  };

  const sweep = async (): Promise<void> => {
    const began = performance.now();
    try {
      const tenants = await database.box.query<{ id: string }>('select id from tenants order by id');
      for (const { id } of tenants) {
        if (stopped) return;
        queue.add(id);
        begin();
        // One after another: a sweep leaves room for tenants that are woken.
        await visiting.get(id);
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
    wake,
    start: startSweep,
    async stop() {
      stopped = true;
      clearTimeout(nextSweep);
      clearTimeout(gathering);
      await sweeping;
      await Promise.all(visiting.values());
    },
  };
}

interface Due {
  events: boolean;
  deliveries: boolean;
  jobs: string[];
}

/** One round trip for a tenant that has nothing to be done. */
const dueStatement = `
  select exists (select from event_outbox where tenant_id = $1 and dispatched_at is null) as events,
         exists (select from event_deliveries
                  where tenant_id = $1 and status = 'pending' and next_attempt_at <= now()) as deliveries,
         array(select name from background_tasks
                where tenant_id = $1 and name <> '${dispatchTask}' and due_at <= now()) as jobs`;
