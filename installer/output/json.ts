/**
 * The output of `--json`: one event per line on standard output. The last event is `result` or `error`, with the exit
 * status. A wait is reported at most once a second, progress once per package.
 */
import type { Output } from './output.ts';
import { printableJson } from './printable.ts';

interface JsonOptions {
  /** Receives each line with its line break; standard output by default. */
  write?: (line: string) => void;
  /** Name of the command, such as `service install`; absent where no command was recognised. */
  command?: string | undefined;
}

/** Each event has its name, the time and the command, then what event-schema.ts declares. */
export function jsonOutput({ write = (line) => process.stdout.write(line), command }: JsonOptions = {}): Output {
  const event = ({ event, ...fields }: { event: string } & Record<string, unknown>) =>
    write(`${printableJson(JSON.stringify({ event, time: new Date().toISOString(), command, ...fields }))}\n`);
  let lastSecond = 0;
  return {
    info: (name, message, facts = {}) => event({ event: name, message, ...facts }),
    warn: (message, facts = {}) => event({ event: 'warning', message, ...facts }),
    problem: (message, facts = {}) => event({ event: 'problem', message, ...facts }),
    receiving: () => {},
    pulled: (progress) => event({ event: 'package', ...progress }),
    waiting: (message, seconds) => {
      if (Math.floor(seconds) === lastSecond) return;
      lastSecond = Math.floor(seconds);
      event({ event: 'waiting', message, seconds: lastSecond });
    },
    result: (result, _lines, exitCode = 0) => event({ event: 'result', exitCode, result }),
    failure: ({ code, exitCode, message, advice, facts }) =>
      event({ event: 'error', exitCode, error: { code, message, advice, ...facts } }),
  };
}
