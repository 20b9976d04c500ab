/**
 * A service as a process: read the settings, start the database, start the service, and at SIGTERM or SIGINT let it
 * drain and stop it.
 */
import type { Logger } from 'pino';
import { collectWithoutHelpers } from './collection.ts';
import { startEmbeddedPostgres } from './db/embedded.ts';
import { openLog, switchLevelOnSignal } from './operations/log.ts';
import { StopSignals } from './operations/stop-signals.ts';

/** A service that runs. */
export interface RunningService {
  /** Says to whoever asks that it will stop, and goes on serving. */
  drain(): void;
  /** Ends what is under way, then closes. */
  stop(): Promise<void>;
}

export interface ServiceDescription {
  /** Least level that is logged. */
  logLevel: string;
  /** Milliseconds between being told to stop and stopping. */
  drainTime: number;
  /** A PostgreSQL that runs elsewhere; else the embedded one runs with the service. */
  databaseUrl: string | undefined;
  /** Folder of the embedded PostgreSQL. */
  databaseFolder: string;
  start(databaseUrl: string, log: Logger): Promise<RunningService>;
}

/**
 * Runs a service until it is told to stop, and ends the process: 0 when it was stopped, 1 with one line on standard
 * error when it could not start.
 * @param name stands in that line: `the box`
 * @param describe reads the settings
 */
export async function runService(name: string, describe: () => Promise<ServiceDescription>): Promise<never> {
  collectWithoutHelpers();
  // A signal during the start is kept until there is something to stop.
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
