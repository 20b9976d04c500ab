/**
 * A supervisor: it holds the state machine (transitions.ts), reports the events of the current process to it, and has the
 * effects done (effects.ts).
 *
 * Two rules keep events apart that cross each other. Events of a process that was replaced are dropped. And what leads to
 * a start or to the end is reported in turn, after the replacement that is in progress, which may make another process the
 * current one.
 */
import { rm } from 'node:fs/promises';
import { serveControl } from '../box/control.ts';
import type { Launch } from '../box/environment.ts';
import { boxUrl, privateUrl } from '../box/health.ts';
import type { BoxProcess } from '../box/launch.ts';
import { removePidFile, writePidFile } from '../box/running.ts';
import { effectsOf } from './effects.ts';
import { type ExitStatus, exitOf, statusOf } from './exit-status.ts';
import type { SupervisorContext } from './members.ts';
import { acceptReplacement } from './replacement.ts';
import { startProcess } from './start-process.ts';
import type { Event } from './states.ts';
import { initialMachine, transit } from './transitions.ts';
import { waitUntilHung } from './watchdog.ts';

export class Supervisor {
  readonly ended: Promise<ExitStatus>;
  readonly #context: SupervisorContext;
  readonly #effects: ReturnType<typeof effectsOf>;
  #machine = initialMachine;
  /** The last of what happens one after another: starts, replacements, and the end. */
  #changing: Promise<unknown> = Promise.resolve();
  #closeControl = async () => {};

  constructor(context: SupervisorContext) {
    const { promise, resolve } = Promise.withResolvers<ExitStatus>();
    this.ended = promise;
    this.#context = context;
    this.#effects = effectsOf(context, {
      launch: (launch) => this.#launch(launch),
      search: (find) => this.#search(find),
      closeControl: () => this.#closeControl(),
      finish: resolve,
    });
  }

  async begin(first: Launch): Promise<void> {
    const context = {
      ...this.#context,
      exclusively: <T>(change: () => Promise<T>) => this.#exclusively(change),
      isStopping: () => this.#isStopping(),
      markHealthy: () => this.report({ name: 'foundHealthy' }),
      becomeCurrent: (process: BoxProcess) => this.#becomeCurrent(process, { name: 'replaced' }),
    };
    this.#closeControl = await serveControl(this.#context.folder, (session) => acceptReplacement(session, context));
    try {
      await this.#exclusively(() => this.#launch(first));
    } catch (error) {
      await this.#closeControl();
      throw error;
    }
  }

  /** For an event that does not wait for a replacement in progress. */
  report(event: Event): void {
    void this.#handle(event);
  }

  /** Changes the state at once, and performs the effects one after another. */
  async #handle(event: Event): Promise<void> {
    const { machine, effects } = transit(this.#machine, event);
    this.#machine = machine;
    for (const effect of effects) {
      const performed = this.#effects[effect.name](effect);
      if (performed) await performed;
    }
  }

  /** For an event that waits, since what follows is a start or the end. */
  async #reportInTurn(process: BoxProcess, event: Event): Promise<void> {
    await this.#exclusively(async () => {
      // A replacement may have been completed meanwhile.
      if (this.#isReplaced(process)) return;
      // An error is an event too: that of a start ends the supervisor, and another one of that end ends it at once.
      for (let next: Event | undefined = event; next; ) {
        next = await this.#handle(next).then(() => undefined, asFailed);
      }
    });
  }

  #exclusively<T>(change: () => Promise<T>): Promise<T> {
    const changed = this.#changing.then(change);
    this.#changing = changed.catch(() => undefined);
    return changed;
  }

  #isStopping(): boolean {
    return this.#machine.state === 'stopping' || this.#machine.state === 'ending';
  }

  #isReplaced(process: BoxProcess): boolean {
    return this.#context.members.current !== process;
  }

  async #launch(launch: Launch): Promise<void> {
    const process = await startProcess(launch, this.#context);
    try {
      await this.#becomeCurrent(process, { name: 'launched' });
    } catch (error) {
      // Nobody would find it.
      process.child.kill('SIGKILL');
      throw error;
    }
  }

  /** @throws Error if that cannot be recorded: then nothing has changed */
  async #becomeCurrent(process: BoxProcess, event: Event): Promise<void> {
    await writePidFile(this.#context.folder, process.box);
    this.#context.members.current = process;
    this.report(event);
    // With the leader, all workers stop.
    process.child.on('message', (message) => message === 'stopping' && process.followers?.stopRestarts());
    void this.#watchHealth(process);
    void exitOf(process.child).then((status) => this.#onExit(process, status));
  }

  async #watchHealth(process: BoxProcess): Promise<void> {
    const url = process.privatePath ? privateUrl(process.privatePath) : boxUrl(process.launch);
    const isOver = () => statusOf(process.child) !== undefined || this.#isReplaced(process);
    const onHealthy = () => {
      this.report({ name: 'healthy' });
      return true;
    };
    const isHung = await waitUntilHung(url, { seconds: this.#context.watchdogSeconds, isOver, onHealthy });
    if (isHung) this.report({ name: 'hung' });
  }

  async #onExit(exited: BoxProcess, status: ExitStatus): Promise<void> {
    try {
      if (exited.privatePath) await rm(exited.privatePath, { force: true });
      await removePidFile(this.#context.folder, exited.box);
    } catch (error) {
      return this.#reportInTurn(exited, asFailed(error));
    }
    if (!this.#isReplaced(exited)) this.report({ name: 'exited', status });
  }

  /** Does not wait in turn: a replacement goes before what may take as long as the pause before a restart. */
  #search(find: (exited: BoxProcess, isOver: () => boolean) => Promise<Event>): void {
    const exited = this.#context.members.current;
    const isOver = () => this.#isStopping() || this.#isReplaced(exited);
    void find(exited, isOver)
      .catch(asFailed)
      .then((event) => this.#reportInTurn(exited, event));
  }
}

function asFailed(error: unknown): Event {
  return { name: 'failed', error: error as Error };
}
