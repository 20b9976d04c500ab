/**
 * SIGTERM and SIGINT: the first asks the service to drain and stop, the second ends the draining. Later signals are
 * ignored: stopping takes a limited time, and an abort would lose work in progress.
 */

/**
 * A second signal within this time is the same one again: a service manager signals every process of a unit, and a
 * parent process forwards its signals.
 */
const sameSignalMilliseconds = 1000;

export class StopSignals {
  /** Resolves at the first signal. */
  readonly first: Promise<void>;
  readonly #second: Promise<void>;
  readonly #calls: (() => void)[] = [];
  #firstAt: number | undefined;
  /** Takes effect as a signal does. */
  readonly raise: () => void;

  constructor() {
    let resolveFirst = () => {};
    let resolveSecond = () => {};
    this.first = new Promise((resolve) => {
      resolveFirst = resolve;
    });
    this.#second = new Promise((resolve) => {
      resolveSecond = resolve;
    });
    this.raise = () => {
      const now = performance.now();
      if (this.#firstAt !== undefined && now - this.#firstAt > sameSignalMilliseconds) resolveSecond();
      this.#firstAt ??= now;
      resolveFirst();
      for (const call of this.#calls) call();
    };
    process.on('SIGTERM', this.raise);
    process.on('SIGINT', this.raise);
  }

  /** Calls back at each signal; at once if there has been one. */
  onEach(call: () => void): void {
    this.#calls.push(call);
    if (this.#firstAt !== undefined) call();
  }

  /** Resolves at the second signal or after this time. */
  async secondWithin(milliseconds: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, milliseconds);
    });
    await Promise.race([this.#second, timeout]);
    clearTimeout(timer);
  }
}
