/**
 * Shows the progress of long work: a bar at a terminal, otherwise a line every ten seconds.
 */
import type { WriteStream } from 'node:tty';
import cliProgress from 'cli-progress';

export interface Progress {
  /** What is being done, in a word or two. */
  step: string;
  /** From 0 to 1. */
  done: number;
  /** What has been done so far, such as rows. */
  count: number;
}

export interface ProgressDisplay {
  update(progress: Progress): void;
  stop(): void;
}

const secondsPerLine = 10;

/** @param unit what is counted, such as `rows` @param now returns milliseconds */
export function showProgress(out: WriteStream, unit: string, now = () => performance.now()): ProgressDisplay {
  const started = now();
  const figuresOf = ({ done, count }: Progress) => {
    const seconds = (now() - started) / 1000;
    const rate = seconds > 0 ? Math.round(count / seconds) : 0;
    return {
      rate: `${rate.toLocaleString('en')} ${unit}/s`,
      left: done > 0 && done < 1 ? `${timeOf((seconds / done) * (1 - done))} left` : '',
    };
  };
  if (!out.isTTY) {
    let nextLine = 0;
    let lastStep = '';
    return {
      update(progress) {
        if (now() - started < nextLine && progress.step === lastStep) return;
        nextLine = now() - started + secondsPerLine * 1000;
        lastStep = progress.step;
        const { rate, left } = figuresOf(progress);
        out.write(`${[`${Math.floor(progress.done * 100)}%`, progress.step, rate, left].filter(Boolean).join(', ')}\n`);
      },
      stop() {},
    };
  }
  const bar = new cliProgress.SingleBar({
    format: '{bar} {percent}%  {step}  {rate}  {left}',
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 30,
    hideCursor: true,
    stopOnComplete: false,
    gracefulExit: false,
    stream: out,
  });
  bar.start(100, 0, { percent: '  0', step: 'starting', rate: '', left: '' });
  return {
    update(progress) {
      const percent = Math.floor(progress.done * 100);
      const shown = { percent: String(percent).padStart(3), step: progress.step.padEnd(9) };
      bar.update(percent, { ...shown, ...figuresOf(progress) });
    },
    stop() {
      if (bar.isActive) bar.stop();
    },
  };
}

/** A duration: `45 s`, `3 min 20 s`. */
function timeOf(seconds: number): string {
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
