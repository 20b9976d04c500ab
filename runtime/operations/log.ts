/**
 * The log of a service: lines of JSON, those of a request with its id and trace. Its level can be changed while the
 * service runs.
 */
import { type DestinationStream, type Logger, pino } from 'pino';
import { workFields } from './current-work.ts';

/** @param level the lowest level that is logged */
export function openLog(level: string, destination?: DestinationStream): Logger {
  const options = { level, mixin: () => workFields() };
  return pino(options, destination ?? standardOutput());
}

/** Bytes that are buffered while the log cannot be written; further lines are dropped. */
const maxBuffered = 1024 * 1024;

/**
 * Standard output, which may be a file on a full disk: then lines are buffered or dropped, and the service continues.
 */
function standardOutput(): DestinationStream {
  const output = pino.destination({ fd: 1, sync: true, maxLength: maxBuffered });
  output.on('error', () => {});
  // The stream retries only when it accepts another line, which a full buffer never does.
  output.on('drop', () => output.write(''));
  return output;
}

/** Makes SIGUSR2 switch the log level to `debug` and back. Returns the function that removes the handler. */
export function switchLevelOnSignal(log: Logger): () => void {
  const initial = log.level;
  const change = () => {
    log.level = log.level === 'debug' ? initial : 'debug';
    // At a level that is logged, unless the log is silent.
    log[log.isLevelEnabled('info') ? 'info' : 'error']({ to: log.level }, 'log level changed');
  };
  process.on('SIGUSR2', change);
  return () => process.off('SIGUSR2', change);
}
