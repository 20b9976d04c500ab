/**
 * Work whose cost a tenant chooses, such as its templates: it is done by compute processes, so that the event loop, which
 * serves all tenants, is not held up. They are started on demand and ended when idle.
 */
import type { Logger } from 'pino';
import { extensionPoint, type HasExtensions } from '../extension/extension.ts';
import { defineProblem, unavailable } from '../http/problems.ts';
import { BudgetExceeded, ComputeProcess } from './process.ts';
import { Turns } from './turns.ts';

/** A kind of work. */
export interface ComputeTask<Input, Output> {
  /** What the work is, for problems and the log: `Rendering the texts`. */
  readonly name: string;
  /**
   * URL of the module whose default export does the work, by `import.meta.resolve`. It is an export of the package's
   * package.json, so that it is bundled as a file of its own. It imports nothing of the engine but its `formats`.
   */
  readonly module: string;
  /** Milliseconds of processor time after which it is ended. */
  readonly milliseconds: number;
  /** Never set: types of what is passed to the module and returned by it, which are cloned (`structuredClone`). */
  readonly types?: { input: Input; output: Output };
}

/** Work that takes more memory than other work, in a process of its own. */
export interface LargeComputeTask<Input, Output> extends ComputeTask<Input, Output> {
  /** Most memory of the process at any time, in MiB. */
  readonly megabytes: number;
}

/** For whom the work is done; a database handle is one. */
export interface ComputeCaller {
  readonly tenantId: string;
  readonly holdsConnection?: boolean;
  /** Whether anyone may ask for it: it takes few of the store's places, so that staff and mails have the others. */
  readonly isPublic?: boolean;
}

/** Work that is ended because it takes too long or too much memory. It would again. */
export const tooCostly = defineProblem({
  code: 'too_costly',
  status: 422,
  title: 'The work would take too much time or memory',
});

/** A tenant has one slot at most, so two let another tenant's work go on. */
const slots = 2;
/** Tasks of a tenant that wait: eight of its mails are rendered at a time. */
const waiting = 12;
/** As long as one waits, it holds one of the connections that all tenants share. */
const waitingWithConnection = 3;
/** Of what anyone may ask for: tasks of a tenant that have a place beside its other work, and tasks that wait for one. */
const publicPlaces = { slots: Number.POSITIVE_INFINITY, perTenant: 2, waiting: 4 };
/** Milliseconds for which an idle process is kept: starting one takes 0.1 s of a processor. */
const idleLimit = 15_000;

export class ComputeProcesses {
  readonly #turns = new Turns({ slots, waiting });
  readonly #publicTurns = new Turns(publicPlaces);
  readonly #processes = new Set<ComputeProcess>();
  readonly #idle = new Map<ComputeProcess, NodeJS.Timeout>();
  readonly #idleLimit: number;
  readonly #log: Logger | undefined;
  #isClosed = false;

  constructor({ log, idle = idleLimit }: { log?: Logger; idle?: number } = {}) {
    this.#log = log;
    this.#idleLimit = idle;
  }

  /** Processes that run now. */
  get size(): number {
    return this.#processes.size;
  }

  /** Does a task when it is the tenant's turn. @throws too_costly (422), unavailable (503), Error of the module */
  run<Input, Output>(
    { tenantId, holdsConnection = false, isPublic = false }: ComputeCaller,
    task: ComputeTask<Input, Output>,
    input: Input,
  ): Promise<Output> {
    const limit = holdsConnection ? waitingWithConnection : waiting;
    const take = () =>
      this.#turns.run(
        tenantId,
        busy,
        () => this.#do(tenantId, task, input, () => this.#takeIdle() ?? this.#start()),
        limit,
      );
    return isPublic ? this.#publicTurns.run(tenantId, busy, take) : take();
  }

  /**
   * Does a task at once, in a process that ends with it. The caller limits how many there are at a time.
   * @throws too_costly (422), unavailable (503), Error of the module
   */
  async runAlone<Input, Output>(
    { tenantId }: ComputeCaller,
    task: LargeComputeTask<Input, Output>,
    input: Input,
  ): Promise<Output> {
    return this.#do(tenantId, task, input, () => this.#start(task.megabytes));
  }

  /** Ends all processes. */
  readonly close = async (): Promise<void> => {
    this.#isClosed = true;
    for (const each of this.#processes) each.end();
    await Promise.all([...this.#processes].map(({ ended }) => ended));
  };

  async #do<Input, Output>(
    tenantId: string,
    { name, module, milliseconds }: ComputeTask<Input, Output>,
    input: Input,
    take: () => ComputeProcess,
  ): Promise<Output> {
    if (this.#isClosed) throw unavailable('The box stops.');
    const process = take();
    try {
      return (await process.run({ module, input }, milliseconds)) as Output;
    } catch (error) {
      if (error instanceof BudgetExceeded) {
        this.#log?.warn({ tenantId, task: name, budget: error.budget }, 'a task exceeded its budget and was ended');
        throw tooCostly(`${name} takes too much ${error.budget}.`);
      }
      if (process.isUsable) throw error;
      if (!this.#isClosed) this.#log?.error({ err: error, tenantId, task: name }, 'a compute process ended');
      throw unavailable(`${name} was interrupted.`, { headers: { 'Retry-After': '5' } });
    } finally {
      this.#keep(process);
    }
  }

  #start(megabytes?: number): ComputeProcess {
    const process = new ComputeProcess(megabytes);
    this.#processes.add(process);
    void process.ended.then(() => {
      this.#processes.delete(process);
      this.#forgetIdle(process);
    });
    return process;
  }

  #takeIdle(): ComputeProcess | undefined {
    const process = [...this.#idle.keys()].findLast(({ isUsable }) => isUsable);
    if (process) this.#forgetIdle(process);
    return process;
  }

  #forgetIdle(process: ComputeProcess): void {
    clearTimeout(this.#idle.get(process));
    this.#idle.delete(process);
  }

  #keep(process: ComputeProcess): void {
    if (!process.isUsable || this.#isClosed) return;
    if (process.isLarge) process.end();
    else this.#idle.set(process, setTimeout(() => process.end(), this.#idleLimit).unref());
  }
}

function busy(): Error {
  return unavailable('Too much work of this store waits.', { headers: { 'Retry-After': '5' } });
}

/** Contributed by the start of the box. */
export const computeProcesses = extensionPoint<ComputeProcesses>('compute processes');

/**
 * Does work for a tenant in a compute process.
 * @throws too_costly (422) if it exceeds its budget, unavailable (503) while too much of the tenant's work waits
 */
export function compute<Input, Output>(
  db: HasExtensions & ComputeCaller,
  task: ComputeTask<Input, Output>,
  input: Input,
  { isPublic = false }: Pick<ComputeCaller, 'isPublic'> = {},
): Promise<Output> {
  const { tenantId, holdsConnection = false } = db;
  return processesOf(db).run({ tenantId, holdsConnection, isPublic }, task, input);
}

/**
 * Does work that takes more memory, in a process of its own. The caller limits how much of it there is at a time: it takes
 * no turn of other work.
 * @throws too_costly (422) if it exceeds its budget, unavailable (503) if its process is ended by something else
 */
export function computeAlone<Input, Output>(
  db: HasExtensions & ComputeCaller,
  task: LargeComputeTask<Input, Output>,
  input: Input,
): Promise<Output> {
  return processesOf(db).runAlone(db, task, input);
}

function processesOf(db: HasExtensions): ComputeProcesses {
  const [processes] = computeProcesses.of(db);
  if (!processes) throw new Error('the box has no compute processes');
  return processes;
}
