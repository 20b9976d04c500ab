/**
 * What a box does besides answering requests: its worker, with connections of its own, and the line by which replicas
 * wake one another.
 */
import type { Logger } from 'pino';
import { type Database, openDatabase } from '../db/database.ts';
import type { DatabaseObserver } from '../db/observer.ts';
import type { Subscriber } from '../events/subscriber.ts';
import type { Extensions } from '../extension/extension.ts';
import { withoutCurrentWork } from '../operations/current-work.ts';
import type { Job } from './job.ts';
import { openReplicaChannel, type ReplicaChannel } from './replica-channel.ts';
import { createWorker, type Worker, type WorkerObserver } from './worker.ts';

export interface BackgroundOptions {
  url: string;
  /** The role its connections take on. */
  role: string | null;
  /** The database is distributed by Citus. */
  distributed: boolean;
  /** What the packages do in the background. */
  packages: readonly { subscribers?: readonly Subscriber[]; jobs?: readonly Job[] }[];
  log: Logger;
  observe?: Partial<WorkerObserver>;
  /** Is told of every wait and every statement of its connections. */
  observer?: DatabaseObserver;
}

export interface Background {
  /** Its connections. */
  readonly database: Database;
  /** Call when events of a tenant have been committed. */
  wake(tenantId: string): void;
  /** Begins the work, with the contributions of the box's packages. */
  start(extensions: Extensions): void;
  /** Lets what is under way end. */
  stop(): Promise<void>;
}

/** Connections of the worker; the line between replicas is one more. */
const poolSize = 4;
/** Milliseconds that one statement may take. */
const statementTimeout = 60_000;

/**
 * Prepares the background work of a box.
 * @throws Error when two subscribers or jobs have one name
 */
export function prepareBackground(options: BackgroundOptions): Background {
  const { url, role, distributed, packages, log, observe, observer } = options;
  const subscribers = packages.flatMap((loaded) => loaded.subscribers ?? []);
  const jobs = packages.flatMap((loaded) => loaded.jobs ?? []);
  refuseTwins('subscriber', subscribers);
  refuseTwins('job', jobs);
  const database = openDatabase({
    url,
    poolSize,
    role,
    distributed,
    statementTimeout,
    applicationName: 'box background',
    observer,
  });
  const worker: Worker = createWorker({ database, subscribers, jobs, log, observe });
  let line: ReplicaChannel | null = null;
  return {
    database,
    wake(tenantId) {
      // Told of in the midst of a request.
      withoutCurrentWork(() => {
        worker.wake(tenantId);
        line?.notify(tenantId);
      });
    },
    start(extensions) {
      database.extensions = extensions;
      line = openReplicaChannel(url, worker.wake, log);
      worker.start();
    },
    async stop() {
      await line?.close();
      await worker.stop();
      await database.close();
    },
  };
}

function refuseTwins(what: string, declared: readonly { name: string }[]): void {
  const names = declared.map(({ name }) => name);
  const twin = names.find((name, index) => names.indexOf(name) !== index);
  if (twin) throw new Error(`two packages have a ${what} called ${twin}`);
}
