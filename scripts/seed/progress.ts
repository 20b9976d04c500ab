/**
 * Shows the progress of `npm run seed`: a bar at a terminal, otherwise a line every ten seconds.
 */
import type { WriteStream } from 'node:tty';
import cliProgress from 'cli-progress';
import type { SeedProgress } from '../../tools/seed/index.ts';

export interface ProgressDisplay {
  update(progress: SeedProgress): void;
  stop(): void;
}

const secondsPerLine = 10;

/** @param now returns milliseconds */
export function showProgress(out: WriteStream, now = () => performance.now()): ProgressDisplay {
  const started = now();
  const figuresOf = ({ done, rows }: SeedProgress) => {
    const seconds = (now() - started) / 1000;
    const rate = seconds > 0 ? Math.round(rows / seconds) : 0;
    return {
      rate: `${rate.toLocaleString('en')} rows/s`,
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
