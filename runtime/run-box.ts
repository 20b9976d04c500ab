/**
 * Runs a box with the packages of its lock file until a signal stops it.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Tier } from './box/tier.ts';
import { readConfig } from './config.ts';
import { loadPackages } from './package/load.ts';
import { runService } from './run-service.ts';

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

await runService('the box', async () => {
  const { databaseUrl, archiveFolder, home, lockFile, logLevel, drainTime, ...config } = readConfig(process.env);
  const { tier, packages } = await readLockFile(lockFile);
  const names = Object.keys(packages);
  return {
    logLevel,
    drainTime,
    databaseUrl,
    databaseFolder: join(home, 'data', 'postgresql'),
    archiveFolder,
    load: () => Promise.all([import('./start-box.ts'), loadPackages(names, lockFile)]),
    start: async (databaseUrl, log, { handover, workers }) => {
      const { startBox } = await import('./start-box.ts');
      return startBox({
        ...config,
        databaseUrl,
        tier,
        packages: names,
        packagesFrom: lockFile,
        dataFolder: join(home, 'data'),
        uploadFolder: join(home, 'data', 'uploads'),
        environment: process.env,
        log,
        handover,
        workers,
      });
    },
  };
});
