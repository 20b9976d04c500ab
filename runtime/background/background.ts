/**
 * The background work of a box: its worker, with its own connection pool, and the channel on which replicas notify one
 * another of new events.
 */
import type { Logger } from 'pino';
import { type Database, openDatabase } from '../db/database.ts';
import type { DatabaseObserver } from '../db/observer.ts';
import type { EventDefinition } from '../events/event.ts';
import { eventReader, readingWith } from '../events/recorded.ts';
import type { Subscriber } from '../events/subscriber.ts';
import type { Extensions } from '../extension/extension.ts';
import { withoutCurrentWork } from '../operations/current-work.ts';
import type { Workers } from '../workers/workers.ts';
import { createIndexKeeper } from './index-keeper.ts';
import type { Job } from './job.ts';
import { languageIndexes } from './language-indexes.ts';
import { openReplicaChannel, type ReplicaChannel } from './replica-channel.ts';
import { createWorker, type Worker, type WorkerObserver } from './worker.ts';

export interface BackgroundOptions {
  url: string;
  /** The role that its connections switch to. */
  role: string | null;
  /** The database is distributed by Citus. */
  distributed: boolean;
  /** The packages with their events, subscribers and jobs. */
  packages: readonly {
    events?: readonly EventDefinition[];
    subscribers?: readonly Subscriber[];
    jobs?: readonly Job[];
  }[];
  log: Logger;
  observe?: Partial<WorkerObserver>;
  /** Receives every wait for a connection and every statement. */
  observer?: DatabaseObserver;
  /** Milliseconds until the first work on indexes; null for none. Default: 10 seconds. */
  indexWorkAfter?: number | null | undefined;
  /** The workers of the box: the leader does the background work of all. */
  workers?: Workers | undefined;
}

export interface Background {
  /** The database with a connection pool of its own; absent where another process does the work. */
  readonly database?: Database;
  /** Call it after events of a tenant are committed. */
  wake(tenantId: string): void;
  /** Starts the worker, with the contributions of the box's packages. */
  start(extensions: Extensions): void;
  /** Stops the worker after the work in progress. Other replicas still hear of new events. */
  retire(): Promise<void>;
  /** Stops everything after the work in progress. */
  stop(): Promise<void>;
}

/** Connections of the worker; the replica channel uses one more. */
const poolSize = 4;
/** Milliseconds that one statement may take. */
const statementTimeout = 60_000;

/**
 * Prepares the background work of a box.
 * @throws Error when two subscribers or two jobs have the same name
 */
export function prepareBackground(options: BackgroundOptions): Background {
  const { workers } = options;
  if (workers && !workers.isLeader) return backgroundOfLeader(workers);
  const background = backgroundHere(options);
  workers?.handlers.set('wake', (tenantId: string) => background.wake(tenantId));
  return background;
}

/** What is not told, because the leader has crashed, the sweep of the next one finds. */
function backgroundOfLeader(workers: Workers): Background {
  return {
    wake: (tenantId) => workers.leader?.tell('wake', tenantId),
    start: () => {},
    retire: async () => {},
    stop: async () => {},
  };
}

function backgroundHere(options: BackgroundOptions): Background {
  const { url, role, distributed, packages, log, observe, observer, indexWorkAfter } = options;
  const reader = eventReader(packages.flatMap((loaded) => loaded.events ?? []));
  const subscribers = packages
    .flatMap((loaded) => loaded.subscribers ?? [])
    .map((subscriber) => readingWith(reader, subscriber));
  const jobs = packages.flatMap((loaded) => loaded.jobs ?? []);
  rejectDuplicates('subscriber', subscribers);
  rejectDuplicates('job', jobs);
  const database = openDatabase({
    url,
    poolSize,
    role,
    distributed,
    statementTimeout,
    applicationName: 'box background',
    observer,
  });
  const worker: Worker = createWorker({ database, subscribers, reader, jobs, log, observe });
  const indexes = createIndexKeeper(url, log, indexWorkAfter);
  let channel: ReplicaChannel | null = null;
  let stopping: Promise<void> | undefined;
  const retire = () => {
    stopping ??= Promise.all([worker.stop(), indexes.stop()]).then(() => undefined);
    return stopping;
  };
  return {
    database,
    wake(tenantId) {
      // Called during a request, to which the background work does not belong.
      withoutCurrentWork(() => {
        worker.wake(tenantId);
        channel?.notify(tenantId);
      });
    },
    start(extensions) {
      database.extensions = extensions;
      channel = openReplicaChannel(url, worker.wake, log);
      worker.start();
      indexes.start(languageIndexes.of(database));
    },
    retire,
    async stop() {
      await channel?.close();
      await retire();
      await database.close();
    },
  };
}

function rejectDuplicates(kind: string, declared: readonly { name: string }[]): void {
  const names = declared.map(({ name }) => name);
  const duplicate = names.find((name, index) => names.indexOf(name) !== index);
  if (duplicate) throw new Error(`two packages have a ${kind} named ${duplicate}`);
}
