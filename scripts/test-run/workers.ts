/**
 * Runs test files in worker processes: each takes the next file when it has ended one. A worker whose memory has grown
 * is replaced; one that dies fails the file that it was running.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type AssertResult, readComments, readTap } from './tap.ts';
import type { FromWorker, ToWorker } from './worker-messages.ts';

const program = fileURLToPath(new URL('worker.ts', import.meta.url));

/** Files are subtests of a test of the worker. */
const indentation = 4;

/** A worker with more memory is replaced before the next file. */
const maxMemory = 1_500_000_000;

/** What became of a test file. */
export interface FileResult {
  file: string;
  ok: boolean;
  asserts: AssertResult[];
  /** What its tests have said. */
  comments: string[];
  cpuSeconds: number;
  wallSeconds: number;
}

class Worker {
  readonly #child: ChildProcess;
  readonly #ended: Promise<string>;
  #onLine: (line: string) => void = () => {};
  #onMessage: (message: FromWorker) => void = () => {};
  #memory = 0;
  /** What a file does that took too long goes on, and would fail the next one. */
  #isSpoilt = false;

  constructor({ nodeOptions, environment, signal }: Pick<RunOptions, 'nodeOptions' | 'environment' | 'signal'>) {
    this.#child = spawn(process.execPath, [...nodeOptions, program], {
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      env: environment,
      signal,
    });
    this.#child.on('error', () => {}); // it is ended by the signal, which its exit tells too
    createInterface({ input: this.#child.stdout as NodeJS.ReadableStream }).on('line', (line) => this.#onLine(line));
    // Tests may use the channel too, as tap does.
    this.#child.on('message', (message: FromWorker) => message.open !== undefined && this.#onMessage(message));
    this.#ended = new Promise((resolve) =>
      this.#child.on('close', (code, ending) => resolve(`exit ${ending ?? code}`)),
    );
  }

  /** True if the next file should run in another worker. */
  get worn(): boolean {
    return this.#isSpoilt || this.#memory > maxMemory || !this.#child.connected;
  }

  async run(file: string): Promise<FileResult> {
    const started = performance.now();
    const lines: string[] = [];
    const last = new Promise<string>((resolve) => {
      this.#onLine = (line) => {
        const own = line.slice(indentation);
        lines.push(own);
        if (/^(not )?ok \d+ - /.test(own) && own.includes(file)) resolve(own);
      };
    });
    const message = new Promise<FromWorker>((resolve) => (this.#onMessage = resolve));
    this.#send({ file });
    const outcome = await Promise.race([Promise.all([message, last]), this.#ended]);
    const asserts = readTap(lines);
    const comments = readComments(lines);
    const fail = (name: string) => asserts.push({ ok: false, name, path: [file], skip: false });
    if (typeof outcome === 'string') {
      fail(`the process of the test file ended: ${outcome}`);
      return { file, ok: false, asserts, comments, cpuSeconds: 0, wallSeconds: (performance.now() - started) / 1000 };
    }
    const [{ memory, open, cpuSeconds, wallSeconds }, end] = outcome;
    this.#memory = memory;
    this.#isSpoilt = asserts.some(({ name }) => name.includes('timeout!'));
    if (asserts.every(({ path, skip }) => path.length === 1 && skip === false)) fail('the file has no test');
    if (open.length > 0) fail(`the file leaves open: ${open.join(', ')}`);
    const ok = end.startsWith('ok ') && asserts.every((each) => each.ok || each.skip !== false);
    return { file, ok, asserts, comments, cpuSeconds, wallSeconds };
  }

  async end(): Promise<void> {
    if (this.#child.connected) this.#send({ file: null });
    const late = setTimeout(() => this.#child.kill('SIGKILL'), 10_000);
    await this.#ended;
    clearTimeout(late);
  }

  #send(message: ToWorker): void {
    this.#child.send(message, () => {});
  }
}

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
}

/** Runs all files, in this order. */
export async function runFiles({ files, hasOwnProcess, workers, onResult, ...options }: RunOptions): Promise<void> {
  const remaining = [...files];
  const runSome = async () => {
    let worker: Worker | undefined;
    const replace = async () => {
      await worker?.end();
      worker = undefined;
    };
    for (let file = remaining.shift(); file !== undefined && !options.signal?.aborted; file = remaining.shift()) {
      const alone = hasOwnProcess(file);
      if (alone) await replace();
      worker ??= new Worker(options);
      const result = await worker.run(file);
      if (options.signal?.aborted) break;
      onResult(result);
      if (alone || worker.worn) await replace();
    }
    await replace();
  };
  await Promise.all(Array.from({ length: Math.min(workers, files.length) }, runSome));
}
