/**
 * Lanes: how many transactions of a pool work at the same time where PostgreSQL shares the cores of this machine. More
 * would not be faster: they would wait for each other's row locks, and for their turn on a core, with their locks held.
 * A transaction gives up its lane as it commits, since it then waits for the disk. Reads hold no row locks: they take a lane
 * only beside transactions, which they would slow down.
 *
 * What takes longer than a moment, such as an export or a wait for a lock, gives up its lane and keeps its connection, so
 * that it delays others by that moment only. The pool bounds the connections.
 */
import { availableParallelism } from 'node:os';

/** The lanes of a box, of all its processes together; undefined where PostgreSQL is on another machine. */
export function lanesOf(databaseUrl: string): number | undefined {
  const host = URL.canParse(databaseUrl) ? new URL(databaseUrl).searchParams.get('host') : null;
  // A Unix socket.
  return host?.startsWith('/') ? Math.max(4, 2 * availableParallelism()) : undefined;
}

/** Milliseconds after which a transaction no longer counts. */
const usualMoment = 10;

/** A transaction in a lane, or one that has given its lane up. */
interface Turn {
  began: number;
  isCounted: boolean;
}

export class Lanes {
  readonly #width: number;
  readonly #moment: number;
  readonly #turns = new Set<Turn>();
  readonly #waiting: ((turn: Turn) => void)[] = [];
  #counted = 0;
  #isWatched = false;

  constructor(width: number, moment = usualMoment) {
    this.#width = width;
    this.#moment = moment;
  }

  /** Transactions that wait for a lane. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Runs work once a lane is free. It may give the lane up before it ends. */
  async run<T>(work: (giveUp: () => void) => Promise<T>): Promise<T> {
    const turn = this.#counted < this.#width ? this.#begin() : await this.#wait();
    try {
      return await work(() => this.#end(turn));
    } finally {
      this.#turns.delete(turn);
      this.#end(turn);
    }
  }

  /** Runs reads: in a lane like any work while there is other work, else at once. */
  runRead<T>(work: () => Promise<T>): Promise<T> {
    return this.#counted > 0 ? this.run(work) : work();
  }

  #begin(): Turn {
    const turn = { began: performance.now(), isCounted: true };
    this.#turns.add(turn);
    this.#counted += 1;
    return turn;
  }

  #end(turn: Turn): void {
    if (!turn.isCounted) return;
    turn.isCounted = false;
    this.#counted -= 1;
    const next = this.#waiting.shift();
    next?.(this.#begin());
  }

  #wait(): Promise<Turn> {
    if (!this.#isWatched) setTimeout(() => this.#passLong(), this.#moment).unref();
    this.#isWatched = true;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #passLong(): void {
    const since = performance.now() - this.#moment;
    for (const turn of [...this.#turns]) if (turn.began < since) this.#end(turn);
    this.#isWatched = this.#waiting.length > 0;
    if (this.#isWatched) setTimeout(() => this.#passLong(), this.#moment).unref();
  }
}
