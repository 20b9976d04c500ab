/**
 * Runs a rig: creates its folder, limits its time, prints its progress, and stops everything that it started.
 */
import { mkdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { temporaryFolder } from '@carton/runtime/testing';
import type { Findings, Rig, Stage } from './rig.ts';
import { folderPrefix, killProcessesOf, removeOrphanedRigs } from './rig-processes.ts';

/** The limits are those of an idle machine; one that is busy with other work takes longer, and is no fault. */
const busyFactor = 3;

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
  const sayWithTime = (text: string) =>
    say(`${((performance.now() - started) / 1000).toFixed(1).padStart(6)} s  ${text}`);
  try {
    return await runIn(folder, rig, { short, values, say: sayWithTime, signal });
  } finally {
    if (keep) {
      // Under its own name, the next rig would remove it.
      const kept = join(dirname(folder), `kept-${basename(folder)}`);
      await rename(folder, kept);
      sayWithTime(`kept its folder: ${kept}`);
    }
    // What was killed may have created a file after its folder was read.
    if (!keep) await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}

/**
 * Runs a rig as a part of another one, in a folder of its own, which remains.
 * @param values of options that differ from their defaults
 * @throws as `runRig` does
 */
export async function runPart(
  { folder, short, say, signal }: Stage,
  rig: Rig,
  { name, values }: { name: string; values: Record<string, string> },
): Promise<Findings> {
  const own = join(folder, name);
  await mkdir(own);
  const defaults = Object.entries(rig.options).map(([option, { defaultValue, short: ofShort }]) => [
    option,
    (short ? ofShort : undefined) ?? defaultValue,
  ]);
  return runIn(own, rig, {
    short,
    values: { ...Object.fromEntries(defaults), ...values },
    say: (text) => say(`${name}: ${text}`),
    signal,
  });
}

async function runIn(
  folder: string,
  rig: Rig,
  { short, values, say, signal }: Omit<RunOptions, 'keep'>,
): Promise<Findings> {
  const ends: { what: string; stop: () => unknown }[] = [];
  const ended = new AbortController();
  const stage: Stage = {
    folder,
    short,
    signal: AbortSignal.any([signal, ended.signal]),
    number: (option) => Number(values[option]),
    word: (option) => values[option] as string,
    say,
    atEnd: (what, stop) => ends.unshift({ what, stop }),
  };
  const timeLimit = busyFactor * rig.timeLimit(stage);
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
  }
}
