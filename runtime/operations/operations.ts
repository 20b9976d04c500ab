/**
 * Metrics, traces and the log of slow statements of a service. Created before the service, which reports its requests,
 * its pools and its background work to it.
 */
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import type { Migration } from '../db/migrations.ts';
import type { DatabaseObserver } from '../db/observer.ts';
import type { AppOptions, RequestObserver } from '../http/app-options.ts';
import { BackgroundObserver } from './background.ts';
import { withCurrentWork } from './current-work.ts';
import { migrationFamilies, poolFamilies } from './metrics/database.ts';
import { exposition, type Gather } from './metrics/exposition.ts';
import { family, type MetricFamily, single } from './metrics/family.ts';
import { RequestCounts } from './metrics/requests.ts';
import { WaitCounts } from './metrics/waits.ts';
import { refusalCounter } from './refusals.ts';
import { ServiceObserver } from './services.ts';
import { StatementObserver } from './statements.ts';
import type { TracingSettings } from './tracing/settings.ts';
import type { Tracer } from './tracing/tracer.ts';

export interface OperationsOptions {
  log: Logger;
  /** Version and tier of the build, the labels of a metric. */
  about: Record<string, string>;
  /** Milliseconds from which a statement is logged as slow; 0 for never. */
  slowQueries?: number;
  /** Without it there are no traces. */
  tracing?: TracingSettings | null;
  /** Reads the metrics of all processes, where there are several. */
  gather?: Gather;
}

export interface Operations {
  observeDatabase: DatabaseObserver;
  observeRequest: RequestObserver;
  observeRefusals: NonNullable<AppOptions<never, never>['observeRefusals']>;
  observeWaits: NonNullable<AppOptions<never, never>['observeWaits']>;
  observeBackground: BackgroundObserver;
  observeServices: ServiceObserver;
  /** Adds a pool to the metrics. */
  watchPool(name: string, knex: Knex): void;
  /** Adds the migrations and the availability of the database to the metrics. */
  watchMigrations(knex: Knex, migrations: readonly Migration[]): void;
  /** Adds metrics of the service's own, before the first scrape. */
  addMetrics(families: readonly MetricFamily[]): void;
  /** The metrics as text. */
  metrics(): Promise<string>;
  /** All metrics except those of the process itself. */
  families(): readonly MetricFamily[];
  /** True after the service was told to stop; a metric reports it. */
  draining: boolean;
  /** Sends the remaining traces. */
  stop(): Promise<void>;
}

/** @throws Error naming an invalid setting of the traces */
export async function startOperations(options: OperationsOptions): Promise<Operations> {
  const { log, about, slowQueries = 0, tracing, gather } = options;
  const tracer = tracing ? await (await import('./tracing/open-telemetry.ts')).openTracer(tracing, about, log) : null;
  const requests = new RequestCounts();
  const refusals = refusalCounter();
  const waits = new WaitCounts();
  const statements = new StatementObserver({ log, slowFrom: slowQueries, tracer });
  const background = new BackgroundObserver(tracer);
  const services = new ServiceObserver(log);
  const pools = new Map<string, Knex>();
  let migrations: MetricFamily[] = [];
  const added: MetricFamily[] = [];
  const operations: Operations = {
    observeDatabase: statements,
    observeRequest: requestObserver(requests, tracer),
    observeRefusals(operation, refused) {
      for (const { outcome } of refused) refusals.add({ operation, outcome });
    },
    observeWaits: waits,
    observeBackground: background,
    observeServices: services,
    watchPool(name, knex) {
      pools.set(name, knex);
    },
    watchMigrations(knex, ofPackages) {
      migrations = migrationFamilies(knex, ofPackages);
    },
    addMetrics(families) {
      added.push(...families);
    },
    // The families are read at the first scrape, when all pools and migrations are known.
    metrics: exposition(() => operations.families(), gather),
    families: () => [
      family({
        name: 'build_info',
        type: 'gauge',
        help: 'Always 1; its labels name the build',
        labels: Object.keys(about),
        ofAll: 'max',
        read: () => [{ value: 1, labels: about }],
      }),
      family({
        name: 'draining',
        type: 'gauge',
        help: '1 after the process was told to stop, else 0',
        ofAll: 'max',
        read: single(() => (operations.draining ? 1 : 0)),
      }),
      ...requests.families,
      ...waits.families,
      refusals.family,
      ...migrations,
      ...poolFamilies(pools),
      ...statements.families,
      ...background.families,
      ...services.families,
      ...added,
    ],
    draining: false,
    stop: async () => tracer?.stop(),
  };
  return operations;
}

/** Counts each request and makes it the current work of the code that handles it. */
function requestObserver(requests: RequestCounts, tracer: Tracer | null): RequestObserver {
  return async (ctx, answer) => {
    requests.inFlight += 1;
    const trace = tracer?.beginRequest(ctx);
    if (trace) ctx.state.trace = trace;
    const milliseconds = await withCurrentWork(ctx.state, answer);
    requests.inFlight -= 1;
    requests.count(ctx.state.operationId, ctx.method, ctx.status, milliseconds);
    if (trace) tracer?.endRequest(ctx, trace);
  };
}
