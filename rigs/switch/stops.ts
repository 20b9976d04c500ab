/**
 * Stops a box at random moments of its start, by each command and signal that does: it must end by itself, and leave no
 * process, no PostgreSQL and no socket behind.
 */
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findRunningBox } from '../../installer/box/running.ts';
import type { RigBox } from '../support/box.ts';
import type { Stage } from '../support/rig.ts';
import { processesOf } from '../support/rig-processes.ts';

/** Most milliseconds after the end of `start`, when other workers still start. */
const longestPause = 1000;
/** What the log says of a process that did not end by itself, or was started again. */
const faults = /killing it|take too long|cannot start|restarting it/;

/** Starts the box and stops it. @returns milliseconds from the stop until all of its processes have ended */
type Way = (box: RigBox, startTime: number) => Promise<number>;

const ways: Record<string, Way> = {
  'stop after start': async (box) => {
    await start(box);
    await sleep(Math.random() * longestPause);
    return measure(() => box.command('stop', '--json'));
  },
  'Ctrl-C in the foreground': async (box, startTime) => {
    const begun = box.begin('start', '--foreground', '--json');
    const ended = once(begun, 'exit');
    await sleep(Math.random() * (startTime + longestPause));
    return measure(async () => {
      begun.kill('SIGINT');
      await ended;
    });
  },
  'SIGTERM for the supervisor': async (box) => {
    await start(box);
    await sleep(Math.random() * longestPause);
    const supervisor = (await findRunningBox(box.folder))?.parent?.pid as number;
    return measure(async () => {
      process.kill(supervisor, 'SIGTERM');
      while ((await processesOf(dirname(box.folder.root))).length > 0) await sleep(20);
    });
  },
  'Ctrl-C during start': async (box, startTime) => {
    const begun = box.begin('start', '--json');
    const ended = once(begun, 'exit');
    await sleep(Math.random() * startTime);
    return measure(async () => {
      begun.kill('SIGINT');
      const [status] = await ended;
      if (status === 0) await box.command('stop', '--json');
    });
  },
  'stop after a crash': async (box, startTime) => {
    await start(box);
    await box.kill();
    await sleep(Math.random() * startTime);
    return measure(() => box.command('stop', '--json'));
  },
};

async function start(box: RigBox): Promise<void> {
  const { code, output } = await box.command('start', '--json');
  if (code !== 0) throw new Error(`start ended with ${code}: ${output}`);
}

async function measure(stop: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await stop();
  return performance.now() - began;
}

/** Stops the box as often as the option `stops` says; it does not run in the end. */
export async function stopDuringStarts(stage: Stage, box: RigBox) {
  const broken: string[] = [];
  const durations: number[] = [];
  await box.stop();
  const startTime = await measure(() => start(box));
  await box.command('stop', '--json');
  const names = Object.keys(ways);
  for (let number = 0; number < stage.number('stops'); number++) {
    stage.signal.throwIfAborted();
    const name = names[number % names.length] as string;
    const logStart = (await readFile(box.folder.log, 'utf8')).length;
    const duration = await (ways[name] as Way)(box, startTime);
    durations.push(duration);
    const left = await processesOf(dirname(box.folder.root));
    if (left.length > 0) broken.push(`${name}: the processes ${left.join(', ')} are left`);
    const sockets = await readdir(box.folder.run);
    if (sockets.length > 0) broken.push(`${name}: ${sockets.join(', ')} are left in run/`);
    const lines = (await readFile(box.folder.log, 'utf8')).slice(logStart).split('\n');
    // After a crash the supervisor does start it again.
    const wrong = lines.filter((line) => faults.test(line) && !(name.includes('crash') && /restarting it/.test(line)));
    for (const line of wrong) broken.push(`${name}: ${line}`);
    stage.say(`${name}: stopped in ${duration.toFixed(0)} ms`);
  }
  return { broken, durations };
}
