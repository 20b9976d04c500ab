/**
 * The process of the control plane: read the settings, start the database, boot, listen, stop on SIGTERM or SIGINT.
 */
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@carton/runtime/service';
import { pino } from 'pino';
import { startControlPlane } from './boot.ts';
import { readConfig } from './config.ts';

async function main(): Promise<void> {
  // A signal during the start is kept until there is something to stop.
  const stopped = new Promise<void>((resolve) => {
    process.once('SIGTERM', () => resolve());
    process.once('SIGINT', () => resolve());
  });
  const { home, databaseUrl, logLevel, ...config } = readConfig(process.env);
  const log = pino({ level: logLevel });
  const embedded = databaseUrl
    ? null
    : await startEmbeddedPostgres({
        directory: join(home, 'postgresql'),
        log: (line) => log.info({ part: 'postgresql' }, line),
      });
  try {
    const controlPlane = await startControlPlane({
      ...config,
      databaseUrl: databaseUrl ?? (embedded?.url as string),
      log,
    });
    await stopped;
    log.info('stopping');
    await controlPlane.stop();
  } finally {
    await embedded?.stop();
  }
}

try {
  await main();
  process.exit(0);
} catch (error) {
  process.stderr.write(`the control plane cannot start: ${(error as Error).message}\n`);
  process.exit(1);
}
