/**
 * The log of a service: JSON, a line each, and each line of a request with the request's id and trace. Its level can be
 * changed while the service runs.
 */
import { type DestinationStream, type Logger, pino } from 'pino';
import { workFields } from './current-work.ts';

/** @param level the least that is logged */
export function openLog(level: string, destination?: DestinationStream): Logger {
  const options = { level, mixin: () => workFields() };
  return destination ? pino(options, destination) : pino(options);
}

/** Lets SIGUSR2 turn the log to `debug`, and back at the next one. Answers what ends it. */
export function switchLevelOnSignal(log: Logger): () => void {
  const usual = log.level;
  const change = () => {
    log.level = log.level === 'debug' ? usual : 'debug';
    // Said at the level that is always shown, unless there is no log at all.
    log[log.isLevelEnabled('info') ? 'info' : 'error']({ to: log.level }, 'log level changed');
  };
  process.on('SIGUSR2', change);
  return () => process.off('SIGUSR2', change);
}
