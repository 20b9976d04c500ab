/**
 * The process of a box: read the settings, start the database, boot, listen, stop on SIGTERM or SIGINT.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { boot } from './boot.ts';
import { readConfig } from './config.ts';
import { startEmbeddedPostgres } from './db/embedded.ts';
import type { Tier } from './package/load.ts';

interface LockFile {
  tier: Tier;
  packages: Record<string, { version: string; integrity: string }>;
}

async function readLockFile(path: string): Promise<LockFile> {
  const text = await readFile(path, 'utf8').catch(() => {
    throw new Error(`${path} is missing: BOX_PACKAGES names the lock file of the installed packages`);
  });
  return JSON.parse(text);
}

async function main(): Promise<void> {
  const config = readConfig(process.env);
  const log = pino({ level: config.logLevel });
  const lock = await readLockFile(config.lockFile);
  const embedded = config.databaseUrl
    ? null
    : await startEmbeddedPostgres({
        directory: join(config.home, 'data', 'postgresql'),
        log: (line) => log.info({ part: 'postgresql' }, line),
      });
  // A signal during the start is kept until there is something to stop.
  const stopped = new Promise<void>((resolve) => {
    process.once('SIGTERM', () => resolve());
    process.once('SIGINT', () => resolve());
  });
  try {
    const box = await boot({
      databaseUrl: config.databaseUrl ?? (embedded?.url as string),
      poolSize: config.poolSize,
      tier: lock.tier,
      packages: Object.keys(lock.packages),
      packagesFrom: config.lockFile,
      operatorSecret: config.operatorSecret,
      hostingSecret: config.hostingSecret,
      trustProxy: config.trustProxy,
      host: config.host,
      port: config.port,
      log,
    });
    await stopped;
    log.info('stopping');
    await box.stop();
  } finally {
    await embedded?.stop();
  }
}

try {
  await main();
  process.exit(0);
} catch (error) {
  process.stderr.write(`the box cannot start: ${(error as Error).message}\n`);
  process.exit(1);
}
