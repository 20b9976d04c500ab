/**
 * Runs the control plane as a process, configured by its environment.
 */
import { join } from 'node:path';
import { runService } from '@carton/runtime/service';
import { startControlPlane } from './boot.ts';
import { readConfig } from './config.ts';
import { followSecretFiles } from './registry/secret-files.ts';

await runService('the control plane', async () => {
  const { home, databaseUrl, logLevel, drainTime, secretFiles, ...config } = readConfig(process.env);
  return {
    logLevel,
    drainTime,
    databaseUrl,
    databaseFolder: join(home, 'postgresql'),
    start: (databaseUrl, log) => {
      followSecretFiles(secretFiles, (level, message, fields) => log[level](fields, message));
      return startControlPlane({ ...config, databaseUrl, log });
    },
  };
});
