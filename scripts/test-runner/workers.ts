/**
 * Runs test files in worker processes: each takes the next file when it has ended one. A worker whose memory has grown
 * is replaced. One that dies fails the file that it was running, unless another file of it may have ended it: then the
 * file runs again in a new worker.
 */
import type { FileResult, LateFailure } from './file-result.ts';
import { WorkerProcess } from './worker-process.ts';

export interface RunOptions {
  files: readonly string[];
  /** Whether a file runs in a process where no other does. */
  hasOwnProcess: (file: string) => boolean;
  workers: number;
  /** Options of Node.js for the workers. */
  nodeOptions: readonly string[];
  environment: NodeJS.ProcessEnv;
  /** Ends the workers; no other file is run. */
  signal?: AbortSignal;
  onResult: (result: FileResult) => void;
  /** A failure after the end of its file. It fails the run. */
  onLate: (failure: LateFailure) => void;
}

/** Runs all files, in this order. @throws what a listener throws, once all workers have ended */
export async function runFiles(options: RunOptions): Promise<void> {
  const { files, hasOwnProcess, workers, nodeOptions, environment, onResult } = options;
  const remaining = [...files];
  const crash = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, crash.signal]) : crash.signal;
  const onLate = (failure: LateFailure) => {
    if (!signal.aborted) options.onLate(failure);
  };
  const runSome = async () => {
    let worker: WorkerProcess | undefined;
    const replace = async () => {
      const old = worker;
      worker = undefined;
      await old?.end();
    };
    const run = (file: string) => {
      worker ??= new WorkerProcess({ nodeOptions, environment, signal, onLate });
      return worker.run(file);
    };
    try {
      for (let file = remaining.shift(); file !== undefined && !signal.aborted; file = remaining.shift()) {
        const alone = hasOwnProcess(file);
        if (alone) await replace();
        let outcome = await run(file);
        if ('result' in outcome && outcome.late && !signal.aborted) {
          const { late } = outcome;
          await replace();
          outcome = await run(file);
          // If it ends the next process too, it has ended the first one.
          if (!('result' in outcome) || late.isKnown) onLate(late);
        }
        if (signal.aborted) break;
        onResult('result' in outcome ? outcome.result : outcome);
        if (alone || worker?.worn) await replace();
      }
    } finally {
      await replace();
    }
  };
  const outcomes = await Promise.allSettled(
    Array.from({ length: Math.min(workers, files.length) }, () =>
      runSome().catch((error) => {
        crash.abort(error);
        throw error;
      }),
    ),
  );
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}
