/**
 * The output for a person at a terminal: a tick per step, a bar while packages arrive, one line that counts the seconds
 * while the box starts. Colours follow NO_COLOR and the terminal (`styleText` asks both).
 */
import { styleText } from 'node:util';
import cliProgress from 'cli-progress';
import { megabytes, type Output } from './output.ts';
import { failureLine } from './plain.ts';

/** An output that draws on the process's own terminal. */
export function terminalOutput(): Output {
  const out = process.stdout;
  const paint = (style: 'green' | 'yellow' | 'red' | 'dim' | 'bold', text: string) => styleText(style, text);
  let bar: cliProgress.SingleBar | undefined;
  let waits = false;

  /** Ends whatever is being redrawn, so that the next line starts on a clean row. */
  const settle = () => {
    bar?.stop();
    bar = undefined;
    if (waits) out.write('\r\u001b[K');
    waits = false;
  };
  const line = (text: string) => {
    settle();
    out.write(`${text}\n`);
  };

  return {
    say: (_event, text) => line(`${paint('green', '✔')} ${text}`),
    warn: (text) => line(`${paint('yellow', '!')} ${text}`),
    receiving: (bytes, totalBytes) => {
      bar ??= startBar(totalBytes);
      bar.update(bytes, { size: sizes(bytes, totalBytes) });
    },
    pulled: ({ name, version, done, total, bytes, totalBytes }) => {
      bar ??= startBar(totalBytes);
      bar.update({ count: `${done}/${total}`, name: `${name} ${version}` });
      if (done === total) settle();
      else bar.update({ size: sizes(bytes, totalBytes) });
    },
    waiting: (text, seconds) => {
      if (!waits) settle();
      waits = true;
      out.write(`\r\u001b[K${paint('dim', '…')} ${text} ${paint('dim', `${Math.round(seconds)} s`)}`);
    },
    result: (_facts, lines) => {
      settle();
      if (lines.length > 0) out.write(`\n${lines.map((text) => `  ${text}`).join('\n')}\n\n`);
    },
    failure: (failure) => {
      settle();
      process.stderr.write(`${paint('red', '✖')} ${failureLine(failure)}\n`);
    },
  };
}

function sizes(bytes: number, totalBytes: number): string {
  return `${megabytes(Math.min(bytes, totalBytes))} of ${megabytes(totalBytes)}`;
}

function startBar(totalBytes: number): cliProgress.SingleBar {
  const bar = new cliProgress.SingleBar({
    format: '  {bar} {percentage}%  {count}  {size}  {name}',
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 24,
    hideCursor: true,
    clearOnComplete: true,
    stopOnComplete: false,
    // The command itself ends the bar when a signal stops it; the bar's own handler would be a second one.
    gracefulExit: false,
    stream: process.stdout,
  });
  bar.start(totalBytes, 0, { count: '', name: '', size: '' });
  return bar;
}
