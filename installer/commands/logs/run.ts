/**
 * The command line of `logs`: the log as it is, on standard output.
 */
import { once } from 'node:events';
import { chooseOutput } from '../../output/choose.ts';
import { abortOnSignals, runCommand } from '../support/run-command.ts';
import { logs } from './logs.ts';

interface Options {
  dir: string;
  json?: boolean;
  lines: number;
  follow?: boolean;
}

/** Runs `logs` and sets the exit status. It ends when its reader does, as `tail` does. */
export async function runLogs({ dir, json, lines, follow = false }: Options): Promise<void> {
  const output = await chooseOutput({ json });
  const ended = new AbortController();
  process.stdout.on('error', () => ended.abort());
  const signal = AbortSignal.any([abortOnSignals(), ended.signal]);
  await runCommand(output, async () => {
    const exists = await logs({ dir, lines, follow, signal }, async (bytes) => {
      if (!process.stdout.write(bytes) && !signal.aborted)
        await once(process.stdout, 'drain', { signal }).catch(() => {});
    });
    if (!exists && !follow)
      output.warn('the box has written no log yet: it starts with the first start in the background');
    return 0;
  });
}
