/**
 * The output of `--json`: one event a line on standard output. The last line is `result` or `error` and carries the
 * exit status; waiting is told once a second at most and progress once a package.
 */
import type { Output } from './output.ts';

/** @param write takes one line, line break included */
export function jsonOutput(write: (line: string) => void = (line) => process.stdout.write(line)): Output {
  const event = (fields: object) => write(`${JSON.stringify(fields)}\n`);
  let lastSecond = 0;
  return {
    say: (name, message, facts = {}) => event({ event: name, message, ...facts }),
    warn: (message, facts = {}) => event({ event: 'warning', message, ...facts }),
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
