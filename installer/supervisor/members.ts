/**
 * The processes of a supervisor, and the signals to all of them.
 */
import type { BoxFolder } from '../box/folder.ts';
import type { BoxProcess } from '../box/launch.ts';
import type { PublicSocket } from '../box/public-socket.ts';
import type { Parent } from '../box/running.ts';
import type { Output } from '../output/output.ts';
import { endProcess } from './box-process.ts';

/** What the parts of a supervisor share. */
export interface SupervisorContext {
  readonly folder: BoxFolder;
  /** This process. */
  readonly parent: Parent;
  readonly output: Output;
  /** After how long without a response a box is killed and restarted, in seconds; 0 for never. */
  readonly watchdogSeconds: number;
  readonly members: Members;
}

export class Members {
  /** The box that serves, is being started to serve, or has exited last; none before the first launch. */
  current = undefined as unknown as BoxProcess;
  /** The box that is being checked. */
  candidate: BoxProcess | undefined;
  /** Boxes that were replaced, and complete their requests. */
  readonly retired = new Set<BoxProcess>();
  /** The public socket; absent for a release that listens by itself. */
  socket: PublicSocket | undefined;
  readonly #output: Output;

  constructor(output: Output) {
    this.#output = output;
  }

  isOurs(pid: number): boolean {
    return this.#all().some((process) => process?.child.pid === pid);
  }

  /** Ends the boxes that were replaced, and the one that is being checked. */
  async endRetired(): Promise<void> {
    const { candidate } = this;
    const processes = [...this.retired, ...(candidate ? [candidate] : [])];
    const ends = processes.map((process) => endProcess(process, this.#output));
    await Promise.all([...ends, candidate?.followers?.end()]);
  }

  /** The present box stops the database, which those that were replaced still need. */
  stopAfterRetired(): void {
    if (this.retired.size === 0) this.stopAll();
    else {
      this.#stopRestarts();
      void this.endRetired().then(() => this.current.child.kill('SIGTERM'));
    }
  }

  /** The signal reaches the other workers through the leaders. */
  stopAll(): void {
    this.#stopRestarts();
    for (const process of this.#all()) process?.child.kill('SIGTERM');
  }

  killAll(): void {
    this.#stopRestarts();
    for (const process of this.#all()) process?.child.kill('SIGKILL');
    this.current.followers?.kill();
  }

  #stopRestarts(): void {
    for (const process of [this.current, this.candidate]) process?.followers?.stopRestarts();
  }

  #all(): (BoxProcess | undefined)[] {
    return [this.current, this.candidate, ...this.retired];
  }
}
