/**
 * The process of a service: reads the settings, starts the database and the service, and at SIGTERM or SIGINT drains
 * and stops it. A signal during the start ends the start: whatever it has not completed, the next one does.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './db/embedded.ts';
import { disableParallelScavenge } from './garbage-collection.ts';
import { openLog, switchLevelOnSignal } from './operations/log.ts';
import { StopSignals } from './operations/stop-signals.ts';
import type { Handover } from './start-service/start-service.ts';
import { findSupervisor, type Supervisor } from './start-service/supervisor.ts';
import { openWorkers, type Workers } from './workers/workers.ts';

/** How long a leader waits for the other workers, which complete their requests when it stops. */
const othersMilliseconds = 12_000;
/** How long a worker whose supervisor has died may take for its last requests and idle connections. */
const retirementMilliseconds = 80_000;

export interface RunningService {
  /** With a handover: begins to listen on the shared socket. */
  serve(): Promise<void>;
  /** Completes what its clients have begun, while another process serves. */
  retire(): Promise<void>;
  /** Makes `/health` report that the service will stop, and continues to serve. */
  drain(): void;
  /** Completes the requests in progress, then stops. */
  stop(): Promise<void>;
}

/** Where a service runs: see `ServiceOptions`. */
export interface ServicePlace {
  handover?: Handover | undefined;
  workers?: Workers | undefined;
}

export interface ServiceDescription {
  /** The lowest level that is logged. */
  logLevel: string;
  /** Milliseconds between the signal to stop and stopping. */
  drainTime: number;
  /** The database; if undefined, the embedded PostgreSQL runs with the service. */
  databaseUrl: string | undefined;
  /** Folder of the embedded PostgreSQL. */
  databaseFolder: string;
  /** Folder in which the embedded PostgreSQL archives its WAL. */
  archiveFolder?: string | undefined;
  /** Loads what `start` needs while the embedded PostgreSQL starts. `start` works, and reports what fails, without it. */
  load?(): Promise<unknown>;
  start(databaseUrl: string, log: Logger, place: ServicePlace): Promise<RunningService>;
}

/**
 * Runs a service until a signal stops it, and exits: with 0, or with 1 and one line on standard error if it cannot
 * start.
 * @param name the subject of that line: `the box`
 * @param describe reads the settings
 */
export async function runService(name: string, describe: () => Promise<ServiceDescription>): Promise<never> {
  disableParallelScavenge();
  const signals = new StopSignals();
  const supervisor = findSupervisor();
  try {
    const service = await describe();
    const workers = supervisor?.place && (await openWorkers(supervisor.place));
    workers?.handlers.set('stop', signals.raise);
    signals.onEach(() => workers?.tellAll('stop'));
    await run(service, signals, supervisor, workers);
    process.exit(0);
  } catch (error) {
    process.stderr.write(`${name} cannot start: ${(error as Error).message}\n`);
    process.exit(1);
  }
}

async function run(
  service: ServiceDescription,
  signals: StopSignals,
  supervisor: Supervisor | undefined,
  workers: Workers | undefined,
): Promise<void> {
  const log = workers ? openLog(service.logLevel).child({ worker: workers.number }) : openLog(service.logLevel);
  switchLevelOnSignal(log);
  const starting = new AbortController();
  let embedded: EmbeddedPostgres | null = null;
  void signals.first.then(() => {
    starting.abort();
    embedded?.survive(false);
    supervisor?.reportStopping();
  });
  let isStarted = false;
  try {
    if (!service.databaseUrl) {
      embedded = await startEmbeddedPostgres({
        directory: service.databaseFolder,
        archive: service.archiveFolder,
        log: (line) => log.info({ part: 'postgresql' }, line),
        adopt: supervisor !== undefined,
        meanwhile: () => void service.load?.().catch(() => {}),
        joinOnly: workers?.isLeader === false,
        signal: starting.signal,
      });
    }
    const url = service.databaseUrl ?? (embedded?.url as string);
    const running = await unlessEnded(service.start(url, log, { handover: supervisor, workers }), starting.signal);
    isStarted = true;
    let isServing = true;
    try {
      if (supervisor) isServing = await serveUntilReplaced(running, supervisor, signals, embedded);
      else await signals.first;
    } catch (error) {
      await running.stop();
      throw error;
    }
    if (isServing) await drain(running, service.drainTime, signals, log);
    log.info('stopping');
    await running.stop();
  } catch (error) {
    if (isStarted || !starting.signal.aborted) throw error;
    // With the end of the start, whatever else has failed in it: the signal may have reached PostgreSQL, too.
    log.info('stopping during the start');
  } finally {
    if (!isStarted && !starting.signal.aborted && workers?.followers.size) {
      // Of a leader that has crashed: they serve on until the supervisor succeeds to start another.
      await embedded?.release();
    } else {
      // They complete their requests, which need the database.
      if ((await workers?.untilAlone(othersMilliseconds)) === false) {
        log.warn({ workers: workers?.followers.size }, 'stopping before the other workers, which take too long');
      }
      await embedded?.stop();
    }
    await workers?.close();
  }
}

/** Waits for a step of the start, which goes on without a reader once the signal is aborted. @throws its reason */
async function unlessEnded<T>(step: Promise<T>, signal: AbortSignal): Promise<T> {
  step.catch(() => {});
  const ended = new Promise<never>((_, reject) => {
    const end = () => reject(signal.reason);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
  return Promise.race([step, ended]);
}

/**
 * Serves when the supervisor says so, until a signal or, after a replacement, the end of the last connection.
 * @returns whether clients are still sent here
 */
async function serveUntilReplaced(
  running: RunningService,
  supervisor: Supervisor,
  signals: StopSignals,
  embedded: EmbeddedPostgres | null,
): Promise<boolean> {
  const mayServe = await Promise.race([supervisor.serve.then(() => true), signals.first.then(() => false)]);
  if (!mayServe) return false;
  await running.serve();
  supervisor.reportServing();
  const { place } = supervisor;
  // The other workers serve on while a leader that has crashed is started again.
  if (place) embedded?.survive(true);
  const isReplaced = supervisor.retire.then(() => true);
  // Without the supervisor the leader serves on alone, as a box with one worker does.
  const isAbandoned = supervisor.ended.then(() => (place && place.number > 1 ? true : isReplaced));
  if (!(await Promise.race([isReplaced, isAbandoned, signals.first.then(() => false)]))) return true;
  // The successor restarts the server if it fails, and stops it in the end.
  await embedded?.release();
  const retired = running.retire();
  supervisor.reportRetiring();
  const tooLong = supervisor.ended.then(() => sleep(retirementMilliseconds, undefined, { ref: false }));
  await Promise.race([retired, signals.first, tooLong]);
  return false;
}

async function drain(running: RunningService, milliseconds: number, signals: StopSignals, log: Logger): Promise<void> {
  running.drain();
  if (milliseconds === 0) return;
  log.info({ seconds: milliseconds / 1000 }, 'draining');
  await signals.secondWithin(milliseconds);
}
