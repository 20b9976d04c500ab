/**
 * Runs the control plane as a process, configured by its environment. Exit code 0 after SIGTERM or SIGINT, 1 if it cannot
 * start, 2 for wrong arguments.
 */
import { join } from 'node:path';
import { runService } from '@carton/runtime/service';
import { readConfig, requiredSettings, settings } from './config.ts';
import { answerArguments } from './registry/arguments.ts';
import { followSecretFiles } from './registry/secret-files.ts';
import { startControlPlane } from './start-control-plane.ts';

answerArguments({
  command: 'npm run control-plane --',
  about: 'Runs the control plane',
  settings,
  required: requiredSettings,
});

await runService('the control plane', async () => {
  const { home, databaseUrl: givenUrl, logLevel, drainTime, secretFiles, ...config } = readConfig(process.env);
  return {
    logLevel,
    drainTime,
    databaseUrl: givenUrl,
    databaseFolder: join(home, 'postgresql'),
    start: (databaseUrl, log) => {
      followSecretFiles(secretFiles, (level, message, fields) => log[level](fields, message));
      return startControlPlane({ ...config, databaseUrl, log }).catch((error) => {
        throw givenUrl === undefined ? error : explained(error);
      });
    },
  };
});

/** Names the setting for an error of the connection. A name with several addresses has an error for each. */
function explained(error: Error & { code?: string; errors?: Error[] }): Error {
  if (!/^E[A-Z_]+$/.test(error.code ?? '')) return error;
  const reasons = error.errors?.map(({ message }) => message) ?? [error.message];
  return new Error(`DATABASE_URL leads to no PostgreSQL server that responds: ${reasons.join(', ')}`, { cause: error });
}
