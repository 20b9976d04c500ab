/**
 * A service as a process: read the settings, start the database, start the service, stop on SIGTERM or SIGINT.
 */
import { type Logger, pino } from 'pino';
import { startEmbeddedPostgres } from './db/embedded.ts';

export interface ServiceDescription {
  /** Least level that is logged. */
  logLevel: string;
  /** A PostgreSQL that runs elsewhere; else the embedded one runs with the service. */
  databaseUrl: string | undefined;
  /** Folder of the embedded PostgreSQL. */
  databaseFolder: string;
  start(databaseUrl: string, log: Logger): Promise<{ stop(): Promise<void> }>;
}

/**
 * Runs a service until it is told to stop, and ends the process: 0 when it was stopped, 1 with one line on standard
 * error when it could not start.
 * @param name stands in that line: `the box`
 * @param describe reads the settings
 */
export async function runService(name: string, describe: () => Promise<ServiceDescription>): Promise<never> {
  // A signal during the start is kept until there is something to stop.
  const stopped = new Promise<void>((resolve) => {
    process.once('SIGTERM', () => resolve());
    process.once('SIGINT', () => resolve());
  });
  try {
    await run(await describe(), stopped);
    process.exit(0);
  } catch (error) {
    process.stderr.write(`${name} cannot start: ${(error as Error).message}\n`);
    process.exit(1);
  }
}

async function run(service: ServiceDescription, stopped: Promise<void>): Promise<void> {
  const log = pino({ level: service.logLevel });
  const embedded = service.databaseUrl
    ? null
    : await startEmbeddedPostgres({
        directory: service.databaseFolder,
        log: (line) => log.info({ part: 'postgresql' }, line),
      });
  try {
    const running = await service.start(service.databaseUrl ?? (embedded?.url as string), log);
    await stopped;
    log.info('stopping');
    await running.stop();
  } finally {
    await embedded?.stop();
  }
}
