/**
 * The process of the control plane.
 */
import { join } from 'node:path';
import { runService } from '@carton/runtime/service';
import { startControlPlane } from './boot.ts';
import { readConfig } from './config.ts';

await runService('the control plane', async () => {
  const { home, databaseUrl, logLevel, ...config } = readConfig(process.env);
  return {
    logLevel,
    databaseUrl,
    databaseFolder: join(home, 'postgresql'),
    start: (databaseUrl, log) => startControlPlane({ ...config, databaseUrl, log }),
  };
});
