/**
 * The log of a service: JSON, a line each, and each line of a request with the request's id and trace. Its level can be
 * changed while the service runs.
 */
import { type DestinationStream, type Logger, pino } from 'pino';
import { workFields } from './current-work.ts';

/** @param level the least that is logged */
export function openLog(level: string, destination?: DestinationStream): Logger {
  const options = { level, mixin: () => workFields() };
  return pino(options, destination ?? standardOutput());
}

/** Bytes that wait for room where the log is written; lines beyond them are dropped. */
const mostWaiting = 1024 * 1024;

/** Standard output, which may be a file on a disk without room: then lines wait or are lost, and the service goes on. */
function standardOutput(): DestinationStream {
  const output = pino.destination({ fd: 1, sync: true, maxLength: mostWaiting });
  output.on('error', () => {});
  // By itself the stream tries again with a line that it takes: one that is full would never be written.
  output.on('drop', () => output.write(''));
  return output;
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
