/**
 * The output for logs, pipes and the systemd journal: one line per event, without colours or redrawing. The error goes to
 * standard error.
 */
import { vendor } from '../vendor.ts';
import type { Output } from './output.ts';
import { printable } from './printable.ts';

const waitEverySeconds = 10;

/** @param streams destinations of lines and of the error; the process's own by default */
export function plainOutput(streams: { out: NodeJS.WritableStream; error: NodeJS.WritableStream } = standard): Output {
  const line = (text: string) => streams.out.write(`${printable(text)}\n`);
  let nextWait = waitEverySeconds;
  return {
    info: (_event, text) => line(text),
    warn: (text) => line(`warning: ${text}`),
    problem: (text) => line(`problem: ${text}`),
    receiving: () => {},
    pulled: ({ done, total, name, version, source }) => line(`${source} ${done}/${total} ${name} ${version}`),
    waiting: (text, seconds) => {
      if (seconds < 1) nextWait = waitEverySeconds; // a new wait
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

/** Formats the last line of a failed command: `carton: what happened. What to do.` */
export function failureLine(failure: { message: string; advice: string }): string {
  const message = failure.message.replace(/[.\s]+$/, '');
  return printable(`${vendor}: ${message}.${failure.advice ? ` ${failure.advice.replace(/[.\s]+$/, '')}.` : ''}`);
}
