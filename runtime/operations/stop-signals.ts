/**
 * SIGTERM and SIGINT: the first asks the service to stop, a second one to stop now. Later ones change nothing: stopping
 * has an end, and being cut off in it would lose what is under way.
 */

/**
 * A second signal so soon is the first one again: a service manager signals every process of a unit, and a parent passes
 * on what it was sent.
 */
const sameSignalMilliseconds = 1000;

export class StopSignals {
  /** Settles at the first signal. */
  readonly first: Promise<void>;
  readonly #second: Promise<void>;

  constructor() {
    let tellFirst = () => {};
    let tellSecond = () => {};
    this.first = new Promise((resolve) => {
      tellFirst = resolve;
    });
    this.#second = new Promise((resolve) => {
      tellSecond = resolve;
    });
    let firstAt: number | undefined;
    const take = () => {
      const now = performance.now();
      if (firstAt !== undefined && now - firstAt > sameSignalMilliseconds) tellSecond();
      firstAt ??= now;
      tellFirst();
    };
    process.on('SIGTERM', take);
    process.on('SIGINT', take);
  }

  /** Settles at the second signal, or when the time is over. */
  async secondWithin(milliseconds: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const over = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, milliseconds);
    });
    await Promise.race([this.#second, over]);
    clearTimeout(timer);
  }
}
