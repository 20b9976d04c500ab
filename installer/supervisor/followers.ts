/**
 * The workers of a box besides its first, the leader (runtime/workers/workers.ts). They start once the leader is healthy,
 * each is watched by itself, and one that has exited or was killed is started again, with back-off until it is healthy.
 * A leader that crashes and is started again finds them serving.
 */
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Launch } from '../box/environment.ts';
import type { BoxFolder } from '../box/folder.ts';
import { privateUrl } from '../box/health.ts';
import { type BoxProcess, launchBox, type OtherWorkers, type Place } from '../box/launch.ts';
import type { PublicSocket } from '../box/public-socket.ts';
import type { Parent } from '../box/running.ts';
import type { Output } from '../output/output.ts';
import { beginsToServe, endProcess } from './box-process.ts';
import { exitOf, statusOf } from './exit-status.ts';
import { waitUntilHung } from './watchdog.ts';

const firstPauseMilliseconds = 250;
const longestPauseMilliseconds = 30_000;
const pollMilliseconds = 100;
/** How long a replacement waits for the workers of the new box. */
const startMilliseconds = 60_000;

export interface FollowersContext {
  folder: BoxFolder;
  launch: Launch;
  parent: Parent;
  output: Output;
  socket: PublicSocket;
  /** Workers, with the leader. */
  count: number;
  /** As for `supervise`. */
  watchdogSeconds: number;
}

export class Followers implements OtherWorkers {
  readonly #context: FollowersContext;
  readonly #path = join('run', `workers-${randomBytes(4).toString('hex')}.sock`);
  readonly #processes = new Map<number, BoxProcess>();
  readonly #serving = new Set<BoxProcess>();
  /** The loops that keep each of them running; a new object when they are to run again. */
  #run: { ended: boolean; loops: Promise<void>[]; started: Promise<void> } | undefined;

  constructor(context: FollowersContext) {
    this.#context = context;
  }

  get launch(): Launch {
    return this.#context.launch;
  }

  get leaderPlace(): Place {
    return this.#placeOf(1);
  }

  async start(): Promise<void> {
    if (!this.#run || this.#run.ended) this.#run = this.#begin();
    await Promise.race([this.#run.started, sleep(startMilliseconds, undefined, { ref: false })]);
  }

  stopRestarts(): void {
    if (this.#run) this.#run.ended = true;
  }

  async release(): Promise<BoxProcess[]> {
    this.stopRestarts();
    const serving = [...this.#serving].filter(({ child }) => statusOf(child) === undefined);
    await this.#end([...this.#processes.values()].filter((process) => !this.#serving.has(process)));
    return serving;
  }

  async end(): Promise<void> {
    this.stopRestarts();
    await this.#end([...this.#processes.values()]);
    await Promise.all(this.#run?.loops ?? []);
    await rm(join(this.#context.folder.root, this.#path), { force: true });
  }

  kill(): void {
    this.stopRestarts();
    for (const { child } of this.#processes.values()) child.kill('SIGKILL');
  }

  async #end(processes: BoxProcess[]): Promise<void> {
    await Promise.all(processes.map((process) => endProcess(process, this.#context.output)));
  }

  #placeOf(number: number): Place {
    return { number, count: this.#context.count, path: this.#path };
  }

  #begin() {
    const run = { ended: false, loops: [] as Promise<void>[], started: Promise.resolve() };
    const numbers = Array.from({ length: this.#context.count - 1 }, (_, index) => index + 2);
    // Starting takes processor time, of which the workers that serve need the most.
    const lanes = Math.max(1, Math.floor(availableParallelism() / 2));
    const startInTurn = async () => {
      for (let number = numbers.shift(); number !== undefined && !run.ended; number = numbers.shift()) {
        const next = number;
        await new Promise<void>((resolve) => run.loops.push(this.#keep(next, run, resolve).finally(resolve)));
      }
    };
    run.started = Promise.all(Array.from({ length: lanes }, startInTurn)).then(() => undefined);
    return run;
  }

  /** Keeps one worker running. @param onTried called when it has served or exited for the first time */
  async #keep(number: number, run: { ended: boolean }, onTried: () => void): Promise<void> {
    const { folder, launch, parent, socket, output } = this.#context;
    let pause = firstPauseMilliseconds;
    while (!run.ended) {
      let status: number;
      try {
        const process = await launchBox(folder, launch, parent, socket, this.#placeOf(number));
        this.#processes.set(number, process);
        // It may have been told to end meanwhile.
        if (run.ended) void endProcess(process, output);
        void this.#watch(number, process, () => {
          pause = firstPauseMilliseconds;
          onTried();
        });
        status = await exitOf(process.child);
        this.#serving.delete(process);
        this.#processes.delete(number);
        await rm(process.privatePath as string, { force: true });
      } catch (error) {
        output.warn(`worker ${number} cannot be started: ${(error as Error).message}`);
        status = 1;
      }
      onTried();
      if (run.ended) return;
      output.warn(`worker ${number} exited with status ${status}; restarting it in ${pause} ms`, { status, pause });
      for (let waited = 0; waited < pause && !run.ended; waited += pollMilliseconds) await sleep(pollMilliseconds);
      pause = Math.min(pause * 2, longestPauseMilliseconds);
    }
  }

  /** Has a worker serve once it is healthy, and kills it if it hangs. */
  async #watch(number: number, process: BoxProcess, onServing: () => void): Promise<void> {
    const { watchdogSeconds: seconds, output } = this.#context;
    const url = privateUrl(process.privatePath as string);
    const isOver = () => statusOf(process.child) !== undefined;
    const onHealthy = async () => {
      if ((await beginsToServe(process)) !== 'serving') return false;
      this.#serving.add(process);
      onServing();
      return true;
    };
    if (!(await waitUntilHung(url, { seconds, isOver, onHealthy }))) return;
    output.warn(`worker ${number} has not responded for ${seconds} s; killing it`);
    process.child.kill('SIGKILL');
  }
}
