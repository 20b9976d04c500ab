/**
 * What an operator sees of a service: metrics, traces, slow statements. Made before the service, which hands its
 * requests, its pool and its background work over to be watched.
 */
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import type { Migration } from '../db/migrations.ts';
import type { DatabaseObserver } from '../db/observer.ts';
import type { RequestObserver } from '../http/app-options.ts';
import { BackgroundWatch } from './background.ts';
import { withCurrentWork } from './current-work.ts';
import { migrationFamilies, poolFamilies } from './metrics/database.ts';
import { exposition } from './metrics/exposition.ts';
import { family, type MetricFamily, single } from './metrics/family.ts';
import { RequestCounts } from './metrics/requests.ts';
import { StatementWatch } from './statements.ts';
import type { TracingSettings } from './tracing/settings.ts';
import type { Tracer } from './tracing/tracer.ts';

export interface OperationsOptions {
  log: Logger;
  /** Names the build: version, tier. Labels of a metric. */
  about: Record<string, string>;
  /** Milliseconds from which on a statement is logged; 0 for never. */
  slowQueries?: number;
  /** Traces are made and sent only where this is given. */
  tracing?: TracingSettings | null;
}

export interface Operations {
  observeDatabase: DatabaseObserver;
  observeRequest: RequestObserver;
  observeBackground: BackgroundWatch;
  /** Adds a pool to the metrics. */
  watchPool(name: string, knex: Knex): void;
  /** Adds the migrations, and whether the database answers. */
  watchMigrations(knex: Knex, migrations: readonly Migration[]): void;
  /** The metrics' text. */
  metrics(): Promise<string>;
  /** All metrics but those of the process itself. */
  families(): readonly MetricFamily[];
  /** Says in the metrics that the service has been told to stop. */
  draining: boolean;
  /** Sends the last traces. */
  stop(): Promise<void>;
}

/** @throws Error naming a setting of the traces that is wrong */
export async function startOperations(options: OperationsOptions): Promise<Operations> {
  const { log, about, slowQueries = 0, tracing } = options;
  const tracer = tracing ? await (await import('./tracing/open-telemetry.ts')).openTracer(tracing, about, log) : null;
  const requests = new RequestCounts();
  const statements = new StatementWatch({ log, slowFrom: slowQueries, tracer });
  const background = new BackgroundWatch(tracer);
  const pools = new Map<string, Knex>();
  let migrations: MetricFamily[] = [];
  const operations: Operations = {
    observeDatabase: statements,
    observeRequest: requestObserver(requests, tracer),
    observeBackground: background,
    watchPool(name, knex) {
      pools.set(name, knex);
    },
    watchMigrations(knex, given) {
      migrations = migrationFamilies(knex, given);
    },
    metrics: () => text(),
    families: () => [
      family({
        name: 'build_info',
        type: 'gauge',
        help: 'Always 1; its labels name the build',
        labels: Object.keys(about),
        read: () => [{ value: 1, labels: about }],
      }),
      family({
        name: 'draining',
        type: 'gauge',
        help: '1 once the process has been told to stop, else 0',
        read: single(() => (operations.draining ? 1 : 0)),
      }),
      ...requests.families,
      ...migrations,
      ...poolFamilies(pools),
      ...statements.families,
      ...background.families,
    ],
    draining: false,
    stop: async () => tracer?.stop(),
  };
  // The families are asked for at the first scrape: by then everything that is watched is known.
  let text = async (): Promise<string> => {
    text = exposition(operations.families());
    return text();
  };
  return operations;
}

/** Counts each request, and makes it known to what runs for it. */
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
