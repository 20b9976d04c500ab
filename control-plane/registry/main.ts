// Runs the registry as a process, configured by its environment. Exit code 0 after SIGTERM or SIGINT, 1 if it cannot
// start, 2 for wrong arguments.

import { answerArguments } from './arguments.ts';
import { readConfig, requiredSettings, settings } from './config.ts';
import { startRegistry } from './index.ts';
import { logToStandardOutput as log } from './log.ts';
import { followSecretFiles } from './secret-files.ts';

answerArguments({
  command: 'npm run registry --',
  about: 'Runs the gated npm registry',
  settings,
  required: requiredSettings,
});

try {
  const config = readConfig(process.env);
  followSecretFiles(config.secretFiles, log);
  const registry = await startRegistry(config).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error;
    throw new Error(`port ${config.port} on ${config.host} is already in use`);
  });
  log('info', 'the registry is listening', { url: registry.url, localUrl: registry.localUrl });

  let isStopping = false;
  const stop = async () => {
    if (isStopping) return;
    isStopping = true;
    await registry.stop();
    log('info', 'the registry has stopped');
    process.exit(0);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
} catch (error) {
  process.stderr.write(`The registry cannot start: ${(error as Error).message}\n`);
  process.exit(1);
}
