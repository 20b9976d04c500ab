/**
 * The process of a service: reads the settings, starts the database and the service, and at SIGTERM or SIGINT drains
 * and stops it.
 */
import type { Logger } from 'pino';
import { disableParallelScavenge } from './collection.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './db/embedded.ts';
import { openLog, switchLevelOnSignal } from './operations/log.ts';
import { StopSignals } from './operations/stop-signals.ts';
import type { Handover } from './start/service.ts';
import { findSupervisor, type Supervisor } from './start/supervisor.ts';

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
  start(databaseUrl: string, log: Logger, handover: Handover | undefined): Promise<RunningService>;
}

/**
 * Runs a service until a signal stops it, and exits: with 0, or with 1 and one line on standard error if it cannot
 * start.
 * @param name the subject of that line: `the box`
 * @param describe reads the settings
 */
export async function runService(name: string, describe: () => Promise<ServiceDescription>): Promise<never> {
  disableParallelScavenge();
  // A signal that arrives during the start takes effect afterwards.
  const signals = new StopSignals();
  const supervisor = findSupervisor();
  try {
    await run(await describe(), signals, supervisor);
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
): Promise<void> {
  const log = openLog(service.logLevel);
  switchLevelOnSignal(log);
  const embedded = service.databaseUrl
    ? null
    : await startEmbeddedPostgres({
        directory: service.databaseFolder,
        archive: service.archiveFolder,
        log: (line) => log.info({ part: 'postgresql' }, line),
        adopt: supervisor !== undefined,
      });
  try {
    const running = await service.start(service.databaseUrl ?? (embedded?.url as string), log, supervisor);
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
  } finally {
    await embedded?.stop();
  }
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
  const isReplaced = await Promise.race([supervisor.retire.then(() => true), signals.first.then(() => false)]);
  if (!isReplaced) return true;
  // The successor restarts the server if it fails, and stops it in the end.
  await embedded?.release();
  const retired = running.retire();
  supervisor.reportRetiring();
  await Promise.race([retired, signals.first]);
  return false;
}

async function drain(running: RunningService, milliseconds: number, signals: StopSignals, log: Logger): Promise<void> {
  running.drain();
  if (milliseconds === 0) return;
  log.info({ seconds: milliseconds / 1000 }, 'draining');
  await signals.secondWithin(milliseconds);
}
