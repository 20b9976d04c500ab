/**
 * The output for people without a terminal: a log, a pipe, a systemd journal. One plain line per happening, no colour,
 * nothing overwritten. The failure goes to standard error.
 */
import { vendor } from '../vendor.ts';
import type { Output } from './output.ts';

const waitEverySeconds = 10;

/** @param streams where lines and the failure go; the process's own unless given */
export function plainOutput(streams: { out: NodeJS.WritableStream; error: NodeJS.WritableStream } = standard): Output {
  const line = (text: string) => streams.out.write(`${text}\n`);
  let nextWait = waitEverySeconds;
  return {
    say: (_event, text) => line(text),
    warn: (text) => line(`warning: ${text}`),
    receiving: () => {},
    pulled: ({ done, total, name, version, source }) => line(`${source} ${done}/${total} ${name} ${version}`),
    waiting: (text, seconds) => {
      if (seconds < 1) nextWait = waitEverySeconds; // another wait begins
      if (seconds < nextWait) return;
      nextWait = seconds + waitEverySeconds;
      line(`${text} (${Math.round(seconds)} s)`);
    },
    result: (_facts, lines) => {
      for (const text of lines) line(text);
    },
    failure: (failure) => streams.error.write(`${failureLine(failure)}\n`),
  };
}

const standard = { out: process.stdout, error: process.stderr };

/** The one line that ends a failed command: `carton: what happened. What to do.` */
export function failureLine(failure: { message: string; advice: string }): string {
  const message = failure.message.replace(/[.\s]+$/, '');
  return `${vendor}: ${message}.${failure.advice ? ` ${failure.advice.replace(/[.\s]+$/, '')}.` : ''}`;
}
