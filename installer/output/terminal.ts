/**
 * The output at a terminal: a tick for each step, a progress bar during the pull, and a line that counts the seconds of a
 * wait. `styleText` honours NO_COLOR and the terminal's capabilities.
 */
import { styleText } from 'node:util';
import cliProgress from 'cli-progress';
import { megabytes, type Output } from './output.ts';
import { failureLine } from './plain.ts';
import { printable } from './printable.ts';

/** Creates the output for the process's own terminal. */
export function terminalOutput(): Output {
  const out = process.stdout;
  const paint = (style: 'green' | 'yellow' | 'red' | 'dim' | 'bold', text: string) => styleText(style, text);
  let bar: cliProgress.SingleBar | undefined;
  let isWaiting = false;

  /** Removes the progress bar and the line of a wait, so that the next line starts on an empty row. */
  const clear = () => {
    bar?.stop();
    bar = undefined;
    if (isWaiting) out.write('\r\u001b[K');
    isWaiting = false;
  };
  const line = (text: string) => {
    clear();
    out.write(`${text}\n`);
  };

  return {
    info: (_event, text) => line(`${paint('green', '✔')} ${printable(text)}`),
    warn: (text) => line(`${paint('yellow', '!')} ${printable(text)}`),
    problem: (text) => line(`${paint('red', '✖')} ${printable(text)}`),
    receiving: (bytes, totalBytes) => {
      bar ??= startBar(totalBytes);
      bar.update(bytes, { size: sizes(bytes, totalBytes) });
    },
    pulled: ({ name, version, done, total, bytes, totalBytes }) => {
      bar ??= startBar(totalBytes);
      bar.update({ count: `${done}/${total}`, name: `${name} ${version}` });
      if (done === total) clear();
      else bar.update({ size: sizes(bytes, totalBytes) });
    },
    waiting: (text, seconds) => {
      if (!isWaiting) clear();
      isWaiting = true;
      out.write(`\r\u001b[K${paint('dim', '…')} ${printable(text)} ${paint('dim', `${Math.round(seconds)} s`)}`);
    },
    result: (_facts, lines) => {
      clear();
      if (lines.length > 0) out.write(`\n${lines.map((text) => `  ${printable(text)}`).join('\n')}\n\n`);
    },
    failure: (failure) => {
      clear();
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
    // The command handles signals and stops the bar itself.
    gracefulExit: false,
    stream: process.stdout,
  });
  bar.start(totalBytes, 0, { count: '', name: '', size: '' });
  return bar;
}
