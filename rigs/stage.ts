/**
 * A rig from its start to its end: its folder, its time, its progress, and everything it started stopped again.
 */
import { rm } from 'node:fs/promises';
import { temporaryFolder } from '@carton/runtime/testing';
import type { Findings, Rig, Stage } from './rig.ts';
import { clearStrays, folderPrefix, killAllOf } from './strays.ts';

export interface RunOptions {
  short: boolean;
  values: Record<string, string>;
  /** Leaves the folder, with the logs in it. */
  keep: boolean;
  say: (text: string) => void;
  /** Ends the rig before its time. */
  signal: AbortSignal;
}

/**
 * Runs a rig; everything that it started is stopped when this settles.
 * @throws Skipped; Error when it could not be run to its end
 */
export async function runRig(rig: Rig, { short, values, keep, say, signal }: RunOptions): Promise<Findings> {
  const strays = await clearStrays();
  if (strays.length > 0) say(`an earlier rig was killed: what it left is cleared away (${strays.join(', ')})`);
  const folder = await temporaryFolder(folderPrefix(process.pid));
  const begun = performance.now();
  const ends: { what: string; stop: () => unknown }[] = [];
  const over = new AbortController();
  const stage: Stage = {
    folder,
    short,
    signal: AbortSignal.any([signal, over.signal]),
    number: (option) => Number(values[option]),
    word: (option) => values[option] as string,
    say: (text) => say(`${((performance.now() - begun) / 1000).toFixed(1).padStart(6)} s  ${text}`),
    atEnd: (what, stop) => ends.unshift({ what, stop }),
  };
  const longest = rig.longest(stage);
  const timer = setTimeout(() => over.abort(new Error(`it did not end within ${longest} s`)), longest * 1000);
  const aborted = new Promise<never>((_, reject) => {
    stage.signal.addEventListener('abort', () => reject(stage.signal.reason));
    if (stage.signal.aborted) reject(stage.signal.reason);
  });
  try {
    const work = rig.run(stage);
    work.catch(() => {});
    return await Promise.race([work, aborted]);
  } finally {
    clearTimeout(timer);
    over.abort(new Error('it is over'));
    aborted.catch(() => {});
    for (const { what, stop } of ends) {
      await Promise.resolve()
        .then(stop)
        .catch((error: Error) => stage.say(`${what} could not be stopped: ${error.message}`));
    }
    const left = await killAllOf(folder);
    if (left > 0) stage.say(`${left} processes had not stopped and were killed`);
    if (keep) stage.say(`its folder stays: ${folder}`);
    else await rm(folder, { recursive: true, force: true });
  }
}
