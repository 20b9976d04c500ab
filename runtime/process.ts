/**
 * The process of a service: reads the settings, starts the database and the service, and at SIGTERM or SIGINT drains
 * and stops it.
 */
import type { Logger } from 'pino';
import { disableParallelScavenge } from './collection.ts';
import { startEmbeddedPostgres } from './db/embedded.ts';
import { openLog, switchLevelOnSignal } from './operations/log.ts';
import { StopSignals } from './operations/stop-signals.ts';

export interface RunningService {
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
  start(databaseUrl: string, log: Logger): Promise<RunningService>;
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
  try {
    await run(await describe(), signals);
    process.exit(0);
  } catch (error) {
    process.stderr.write(`${name} cannot start: ${(error as Error).message}\n`);
    process.exit(1);
  }
}

async function run(service: ServiceDescription, signals: StopSignals): Promise<void> {
  const log = openLog(service.logLevel);
  switchLevelOnSignal(log);
  const embedded = service.databaseUrl
    ? null
    : await startEmbeddedPostgres({
        directory: service.databaseFolder,
        log: (line) => log.info({ part: 'postgresql' }, line),
      });
  try {
    const running = await service.start(service.databaseUrl ?? (embedded?.url as string), log);
    await signals.first;
    await drain(running, service.drainTime, signals, log);
    log.info('stopping');
    await running.stop();
  } finally {
    await embedded?.stop();
  }
}

async function drain(running: RunningService, milliseconds: number, signals: StopSignals, log: Logger): Promise<void> {
  running.drain();
  if (milliseconds === 0) return;
  log.info({ seconds: milliseconds / 1000 }, 'draining');
  await signals.secondWithin(milliseconds);
}
