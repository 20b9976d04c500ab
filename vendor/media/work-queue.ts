/**
 * Limits how many tasks run at the same time, and how many wait.
 */
export class WorkQueue {
  readonly #concurrency: number;
  readonly #maxWaiting: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(concurrency: number, maxWaiting: number) {
    this.#concurrency = concurrency;
    this.#maxWaiting = maxWaiting;
  }

  /** Runs a task when it is its turn. @param full the error while too many wait */
  async run<T>(full: () => Error, task: () => Promise<T>): Promise<T> {
    if (this.#running < this.#concurrency) {
      this.#running++;
    } else {
      if (this.#waiting.length >= this.#maxWaiting) throw full();
      // The task that ends passes its place on.
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }
}
