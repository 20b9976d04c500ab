/**
 * Runs the website hosting layer as a process, configured by its environment. Exit code 0 after SIGTERM or SIGINT, 1 if
 * it cannot start, 2 for wrong arguments.
 */
import { answerArguments } from '../registry/arguments.ts';
import { logToStandardOutput as log } from '../registry/log.ts';
import { followSecretFiles } from '../registry/secret-files.ts';
import { startHosting } from './index.ts';
import { readHostingSettings, requiredSettings, settings } from './settings.ts';

answerArguments({
  command: 'npm run hosting --',
  about: 'Runs the service of the website hosting layer',
  settings,
  required: requiredSettings,
});

try {
  const { secretFiles, ...options } = readHostingSettings(process.env);
  followSecretFiles(secretFiles, log);
  const hosting = await startHosting(options);
  log('info', 'the website hosting layer is listening', { url: hosting.url, names: hosting.names });
  let isStopping = false;
  const stop = async () => {
    if (isStopping) return;
    isStopping = true;
    await hosting.stop();
    log('info', 'the website hosting layer has stopped');
    process.exit(0);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
} catch (error) {
  process.stderr.write(`the website hosting layer cannot start: ${(error as Error).message}\n`);
  process.exit(1);
}
