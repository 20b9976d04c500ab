/**
 * A worker process, seen from the run: it is given a file at a time. A failure belongs to the file whose code has
 * caused it, also if another file runs by then.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { FileResult, LateFailure } from './file-result.ts';
import { type AssertResult, bailReason, readComments, readTap } from './tap.ts';
import {
  type EndedFile,
  type FromWorker,
  type OrphanedFailure,
  type ToWorker,
  tapDescriptor,
} from './worker-messages.ts';

const program = fileURLToPath(new URL('worker.ts', import.meta.url));

/** Files are subtests of a test of the worker. */
const indentation = 4;

/** A worker with more memory is replaced before the next file. */
const maxMemory = 1_500_000_000;

/** Characters of a file's standard output that are kept, the last ones. */
const maxOutput = 20_000;

/** Milliseconds for a worker to end; it gives up earlier by itself. */
const timeToEnd = 60_000;

/** Milliseconds for what a process has written to arrive: others may have its standard output open. */
const timeToArrive = 1000;

export interface WorkerOptions {
  /** Options of Node.js. */
  nodeOptions: readonly string[];
  environment: NodeJS.ProcessEnv;
  /** Ends the worker. */
  signal: AbortSignal;
  onLate: (failure: LateFailure) => void;
}

/** The process ended while it ran a file; by another's doing, unless it was the first or is known to have done it. */
export interface Crash {
  result: FileResult;
  /** Null if the file itself has done it. */
  late: LateFailure | null;
}

export class WorkerProcess {
  readonly #child: ChildProcess;
  readonly #ended: Promise<string>;
  readonly #onLate: (failure: LateFailure) => void;
  readonly #mark = `\n${randomUUID()}\n`;
  readonly #ran: string[] = [];
  #running: { file: string; failures: AssertResult[] } | null = null;
  #output = '';
  #onOutput: () => void = () => {};
  #onLine: (line: string) => void = () => {};
  #onFile: (ended: EndedFile) => void = () => {};
  /** The file that has made the process exit, where that is known. */
  #exitOf: string | null = null;
  #isDone = false;
  #hasCrashed = false;
  #memory = 0;
  /** What a file does that took too long goes on, and would fail the next one. */
  #isSpoilt = false;
  /** A file has failed since it leaves something open, which keeps the process alive. */
  #hasOpen = false;
  #stuck = '';

  constructor({ nodeOptions, environment, signal, onLate }: WorkerOptions) {
    this.#onLate = onLate;
    this.#child = spawn(process.execPath, [...nodeOptions, program], {
      stdio: ['ignore', 'pipe', 'inherit', 'ipc', 'pipe'],
      env: environment,
      signal,
    });
    this.#child.on('error', () => {}); // it is ended by the signal, which its exit tells too
    const output = this.#child.stdio[1] as Readable;
    const tap = this.#child.stdio[tapDescriptor] as Readable;
    output.setEncoding('utf8').on('data', (text: string) => {
      this.#output += text;
      this.#onOutput();
      if (this.#output.length > 2 * maxOutput) this.#output = this.#output.slice(-maxOutput);
    });
    // Not readline: a line of TAP may have characters that end a line there.
    let rest = '';
    tap.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) this.#onLine(line);
    });
    this.#child.on('message', (message: FromWorker) => this.#receive(message));
    const closed = new Promise((resolve) => this.#child.on('close', resolve));
    this.#ended = new Promise((resolve) =>
      this.#child.on('exit', async (code, ending) => {
        await Promise.race([closed, sleep(timeToArrive, undefined, { ref: false })]);
        output.destroy();
        tap.destroy();
        resolve(`exit ${ending ?? code}`);
      }),
    );
  }

  /** True if the next file should run in another worker. */
  get worn(): boolean {
    return this.#isSpoilt || this.#memory > maxMemory || !this.#child.connected;
  }

  /** Runs a file. @returns a crash if the process has ended meanwhile */
  async run(file: string): Promise<FileResult | Crash> {
    const started = performance.now();
    const before = [...this.#ran];
    const failures: AssertResult[] = [];
    this.#running = { file, failures };
    this.#ran.push(file);
    const [lines, own]: string[][] = [[], []];
    const last = new Promise<string>((resolve) => {
      this.#onLine = (line) => {
        lines?.push(line);
        const ofFile = line.slice(indentation);
        own?.push(ofFile);
        if (/^(not )?ok \d+ - /.test(ofFile) && ofFile.includes(file)) resolve(ofFile);
      };
    });
    const message = new Promise<EndedFile>((resolve) => (this.#onFile = resolve));
    this.#send(file);
    const outcome = await Promise.race([Promise.all([message, last]), this.#ended]);
    const output = await this.#takeOutput();
    const asserts = [...readTap(own ?? []), ...failures];
    const fail = (name: string) => asserts.push({ ok: false, name, path: [file], skip: false });
    const result = { file, asserts, comments: readComments(own ?? []), output, before };
    this.#running = null;
    if (typeof outcome === 'string') {
      this.#hasCrashed = true;
      const wallSeconds = (performance.now() - started) / 1000;
      const reason = bailReason(lines ?? []);
      fail(reason === null ? `the process of the test file ended: ${outcome}` : `bailed out: ${reason}`);
      return {
        result: { ...result, ok: false, cpuSeconds: 0, wallSeconds },
        late: reason === null && before.length > 0 && this.#exitOf !== file ? this.#lateExit(file, outcome) : null,
      };
    }
    const [{ memory, open, exitCode, cpuSeconds, wallSeconds }, end] = outcome;
    this.#memory = memory;
    this.#isSpoilt = asserts.some(({ name }) => name.includes('timeout!'));
    if (asserts.every(({ path, skip }) => path.length === 1 && skip === false)) fail('the file has no test');
    if (open.length > 0) this.#hasOpen = true;
    if (open.length > 0) fail(`the file leaves open: ${open.join(', ')}`);
    if (exitCode !== undefined) fail(`the file sets process.exitCode to ${exitCode}`);
    const ok = end.startsWith('ok ') && asserts.every((each) => each.ok || each.skip !== false);
    return { ...result, ok, cpuSeconds, wallSeconds };
  }

  /** Ends the process. What its files have left behind may fail until then. */
  async end(): Promise<void> {
    const lasts = this.#isSpoilt || this.#hasOpen;
    if (this.#child.connected) this.#send(null, lasts);
    const late = setTimeout(() => this.#child.kill('SIGKILL'), timeToEnd);
    const ended = await this.#ended;
    clearTimeout(late);
    if (lasts || this.#hasCrashed || (this.#isDone && ended === 'exit 0')) return;
    const stuck = this.#stuck && this.#late(`the process does not end after its last file: ${this.#stuck}`, '', null);
    this.#tellLate(stuck || this.#lateExit(null, ended));
  }

  #receive({ ended, orphaned, exiting, stuck, done }: FromWorker): void {
    // Tests may use the channel too, as tap does.
    if (ended) this.#onFile(ended);
    if (orphaned) this.#receiveOrphaned(orphaned);
    if (exiting) this.#exitOf = exiting.file;
    if (stuck !== undefined) this.#stuck = stuck;
    if (done) this.#isDone = true;
  }

  #receiveOrphaned({ name, stack, file }: OrphanedFailure): void {
    const likeliest = this.#firstIn(stack) ?? file;
    if (this.#running && likeliest === this.#running.file) {
      const { failures } = this.#running;
      failures.push({ ok: false, name, path: [likeliest, name], skip: false, diagnostics: { stack } });
    } else {
      this.#tellLate(this.#late(name, stack, likeliest));
    }
  }

  /** What a file does that took too long has failed already. */
  #tellLate(failure: LateFailure): void {
    if (!this.#isSpoilt) this.#onLate(failure);
  }

  #lateExit(file: string | null, outcome: string): LateFailure {
    const when = file === null ? 'after its last file' : `while it ran ${file}`;
    return this.#late(`the process ended ${when}: ${outcome}`, '', this.#exitOf);
  }

  #late(name: string, stack: string, likeliest: string | null): LateFailure {
    const others = this.#ran.filter((each) => each !== likeliest && each !== this.#running?.file).reverse();
    return { name, stack, files: likeliest === null ? others : [likeliest, ...others], isKnown: likeliest !== null };
  }

  /** The file of this process that a stack names first. */
  #firstIn(stack: string): string | null {
    const places = this.#ran.map((file) => ({ file, place: stack.indexOf(file) })).filter(({ place }) => place >= 0);
    return places.sort((a, b) => a.place - b.place)[0]?.file ?? null;
  }

  /** What the file that has ended has written. */
  async #takeOutput(): Promise<string> {
    const marked = () => this.#output.indexOf(this.#mark);
    const arrived = new Promise<void>((resolve) => {
      this.#onOutput = () => marked() >= 0 && resolve();
      this.#onOutput();
    });
    // A file may have closed it.
    await Promise.race([arrived, this.#ended, sleep(timeToArrive, undefined, { ref: false })]);
    this.#onOutput = () => {};
    const place = marked();
    const text = place < 0 ? this.#output : this.#output.slice(0, place);
    this.#output = place < 0 ? '' : this.#output.slice(place + this.#mark.length);
    return text.slice(-maxOutput);
  }

  #send(file: string | null, atOnce = false): void {
    this.#child.send({ file, mark: this.#mark, atOnce } satisfies ToWorker, () => {});
  }
}
