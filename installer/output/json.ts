/**
 * The output of `--json`: one event per line on standard output. The last event is `result` or `error`, with the exit
 * status. A wait is reported at most once a second, progress once per package.
 */
import type { Output } from './output.ts';

/** @param write receives each line with its line break */
export function jsonOutput(write: (line: string) => void = (line) => process.stdout.write(line)): Output {
  const event = (fields: object) => write(`${JSON.stringify(fields)}\n`);
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
