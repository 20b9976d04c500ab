/**
 * Runs a rig: creates its folder, limits its time, prints its progress, and stops everything that it started.
 */
import { rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { temporaryFolder } from '@carton/runtime/testing';
import type { Findings, Rig, Stage } from './rig.ts';
import { folderPrefix, killProcessesOf, removeOrphanedRigs } from './rig-processes.ts';

export interface RunOptions {
  short: boolean;
  values: Record<string, string>;
  /** Keeps the folder, with the logs. */
  keep: boolean;
  say: (text: string) => void;
  /** Interrupts the rig. */
  signal: AbortSignal;
}

/**
 * Runs a rig. Everything that it started has stopped when the promise resolves or rejects.
 * @throws Skipped; Error if the rig could not finish
 */
export async function runRig(rig: Rig, { short, values, keep, say, signal }: RunOptions): Promise<Findings> {
  const orphaned = await removeOrphanedRigs();
  if (orphaned.length > 0) say(`removed what killed rigs left behind (${orphaned.join(', ')})`);
  const folder = await temporaryFolder(folderPrefix(process.pid));
  const started = performance.now();
  const ends: { what: string; stop: () => unknown }[] = [];
  const ended = new AbortController();
  const stage: Stage = {
    folder,
    short,
    signal: AbortSignal.any([signal, ended.signal]),
    number: (option) => Number(values[option]),
    word: (option) => values[option] as string,
    say: (text) => say(`${((performance.now() - started) / 1000).toFixed(1).padStart(6)} s  ${text}`),
    atEnd: (what, stop) => ends.unshift({ what, stop }),
  };
  const timeLimit = rig.timeLimit(stage);
  const timer = setTimeout(() => ended.abort(new Error(`it did not finish within ${timeLimit} s`)), timeLimit * 1000);
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
    ended.abort(new Error('the rig has ended'));
    aborted.catch(() => {});
    for (const { what, stop } of ends) {
      await Promise.resolve()
        .then(stop)
        .catch((error: Error) => stage.say(`${what} could not be stopped: ${error.message}`));
    }
    const left = await killProcessesOf(folder);
    if (left > 0) stage.say(`${left} processes did not stop and were killed`);
    if (keep) {
      // Under its own name, the next rig would remove it.
      const kept = join(dirname(folder), `kept-${basename(folder)}`);
      await rename(folder, kept);
      stage.say(`kept its folder: ${kept}`);
    }
    if (!keep) await rm(folder, { recursive: true, force: true });
  }
}
