/**
 * A compute process, as the box sees it: one task at a time, each with a budget of time and memory.
 *
 * It is a process and not a thread because of its memory. V8 ends a thread that reaches its limit only between small
 * allocations; a large one, such as a long text that is copied, aborts the whole process.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { packageName, vendor } from '../vendor.ts';
import type { FromProcess, ToProcess } from './messages.ts';

/** Of the heap, in MiB. */
const heap = { oldSpace: 48, semiSpace: 2 };
/**
 * Most memory of the process at any time, in MiB. It has 65 MiB from the start, most of which it shares with the box.
 * V8 lets a single large text exceed the limit of the heap, so both are needed.
 */
const usualMemory = 192;
/** Milliseconds between two looks at the time and memory of a process with a task. */
const watchInterval = 25;
/** Milliseconds for the start of the process, and for loading the module of a task. */
const startLimit = 30_000;
/** A task that waits is ended after this many times the processor time that it may take: a busy machine makes it wait, too. */
const patience = 10;
/** The unit of proc_pid_stat(5) on Linux in milliseconds, whatever the kernel's own clock. */
const tick = 10;
/** How a process ends that V8 aborts. */
const aborts: ReadonlySet<string> = new Set(['SIGABRT', 'SIGTRAP']);
/** Characters of its last output that are kept for the log. */
const maxOutput = 2000;

/** A task that was ended because it took more than its budget. */
export class BudgetExceeded extends Error {
  readonly budget: 'time' | 'memory';
  constructor(budget: 'time' | 'memory') {
    super(`the task took too much ${budget}`);
    this.budget = budget;
  }
}

/** The task of a process. */
interface Current {
  /** Milliseconds of processor time for the function of the module. */
  readonly milliseconds: number;
  /** What the process had computed when the function began. */
  computedBefore: number;
  resolve(output: unknown): void;
  reject(error: Error): void;
}

export class ComputeProcess {
  readonly #child: ChildProcess;
  readonly #ready = Promise.withResolvers<void>();
  /** Resolves when it has ended. */
  readonly ended: Promise<void>;
  #hasEnded = false;
  #current: Current | undefined;
  /** For the current step: the start, loading the module, the function. */
  #deadline: NodeJS.Timeout | undefined;
  #watch: NodeJS.Timeout | undefined;
  /** Why this side has ended it. */
  #reason: Error | undefined;
  #output = '';
  readonly #megabytes: number;

  /** @param megabytes most memory, if not that of usual tasks; it is not for the heap, but for what WebAssembly holds */
  constructor(megabytes = usualMemory) {
    this.#megabytes = megabytes;
    this.#child = fork(new URL(import.meta.resolve(packageName('runtime/compute'))), [], {
      // A box in one binary passes no options to itself but by a variable.
      execArgv: [],
      env: environment(),
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#output = (this.#output + text).slice(-maxOutput);
    });
    this.#child.on('message', (message: FromProcess) => this.#receive(message));
    const ended = Promise.withResolvers<void>();
    this.ended = ended.promise;
    const end = (how: string, isAbort = false) => {
      this.#end(how, isAbort);
      ended.resolve();
    };
    this.#child.once('close', (code, signal) =>
      end(signal ?? `exit code ${code}`, signal !== null && aborts.has(signal)),
    );
    this.#child.on('error', (error) => {
      // Otherwise a message to a process that has ended, whose end is noticed.
      if (this.#child.pid === undefined) end(error.message);
    });
    // Without a task that waits for it.
    this.#ready.promise.catch(() => undefined);
    this.#setDeadline(startLimit);
  }

  /** Whether it can do another task. */
  get isUsable(): boolean {
    return !this.#hasEnded && this.#reason === undefined;
  }

  /** Whether it may take more memory than usual tasks, and is of no use to these: its peak counts as long as it lives. */
  get isLarge(): boolean {
    return this.#megabytes > usualMemory;
  }

  /**
   * Does a task.
   * @param milliseconds of processor time for the function of the module
   * @throws BudgetExceeded, after which the process ends; Error of the function, or why the process has ended
   */
  async run(task: ToProcess, milliseconds: number): Promise<unknown> {
    this.#hold(true);
    try {
      await this.#ready.promise;
      return await new Promise((resolve, reject) => {
        if (this.#hasEnded) throw new Error('the compute process has ended');
        this.#current = { milliseconds, computedBefore: 0, resolve, reject };
        this.#setDeadline(startLimit);
        this.#child.send(task);
      });
    } finally {
      this.#current = undefined;
      this.#clearTimers();
      // This process waits for the end of one that it has ended.
      if (this.isUsable) this.#hold(false);
    }
  }

  /** Ends it. A task in progress fails with this error. */
  end(reason: Error = new Error('the box stops')): void {
    this.#reason ??= reason;
    this.#current?.reject(this.#reason);
    this.#child.ref();
    this.#child.kill('SIGKILL');
  }

  #receive(message: FromProcess): void {
    switch (message.kind) {
      case 'ready':
        this.#clearTimers();
        this.#ready.resolve();
        break;
      case 'begun':
        if (this.#current) this.#begin(this.#current);
        break;
      case 'done':
        this.#limitMemory();
        this.#current?.resolve(message.output);
        break;
      default:
        this.#current?.reject(Object.assign(new Error(message.message), { stack: message.stack }));
    }
  }

  #begin(current: Current): void {
    current.computedBefore = computedBy(this.#child.pid as number);
    this.#setDeadline(current.milliseconds * patience);
    this.#watch = setInterval(() => {
      this.#limitMemory();
      const computed = computedBy(this.#child.pid as number) - current.computedBefore;
      if (computed > current.milliseconds) this.end(new BudgetExceeded('time'));
    }, watchInterval);
  }

  #setDeadline(milliseconds: number): void {
    this.#clearTimers();
    this.#deadline = setTimeout(() => this.end(new BudgetExceeded('time')), milliseconds);
  }

  #limitMemory(): void {
    if (peakOf(this.#child.pid as number) > this.#megabytes * 1024) this.end(new BudgetExceeded('memory'));
  }

  #clearTimers(): void {
    clearTimeout(this.#deadline);
    clearInterval(this.#watch);
  }

  /** Whether it keeps this process alive. */
  #hold(holds: boolean): void {
    const method = holds ? 'ref' : 'unref';
    this.#child[method]();
    this.#child.channel?.[method]();
    (this.#child.stderr as Socket | null)?.[method]();
  }

  #end(how: string, isAbort: boolean): void {
    this.#hasEnded = true;
    this.#clearTimers();
    const output = this.#output.trim();
    // V8 aborts when its heap is full.
    const crash =
      isAbort || /out of memory/i.test(output)
        ? new BudgetExceeded('memory')
        : new Error(`a compute process ended with ${how}: ${output || 'no output'}`);
    const reason = this.#reason ?? crash;
    this.#ready.reject(reason);
    this.#current?.reject(reason);
  }
}

/** No secret of the box: the process reads no settings. */
function environment(): NodeJS.ProcessEnv {
  const runAsNode = `${vendor.name.toUpperCase()}_RUN_AS_NODE`;
  // A supervisor passes options to the box by NODE_OPTIONS.
  const options = [...process.execArgv, ...(process.env.NODE_OPTIONS ?? '').split(' ')];
  const conditions = options.filter((option) => option.startsWith('--conditions='));
  return {
    ...(process.env[runAsNode] && { [runAsNode]: process.env[runAsNode] }),
    NODE_OPTIONS: [
      ...conditions,
      `--max-old-space-size=${heap.oldSpace}`,
      `--max-semi-space-size=${heap.semiSpace}`,
    ].join(' '),
  };
}

/**
 * The most memory that a process has had, in KiB; 0 if it has ended. Its own `process.resourceUsage()` includes what its
 * parent had when it was started.
 */
function peakOf(pid: number): number {
  try {
    return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

/** Milliseconds of processor time that a process has had; 0 if it has ended. */
function computedBy(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return (Number(fields[11]) + Number(fields[12])) * tick;
  } catch {
    return 0;
  }
}
