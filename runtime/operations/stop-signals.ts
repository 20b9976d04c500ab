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
  /** Takes effect as a signal does. */
  readonly raise: () => void;

  /** @param onSignal is called at each signal */
  constructor(onSignal: () => void = () => {}) {
    let resolveFirst = () => {};
    let resolveSecond = () => {};
    this.first = new Promise((resolve) => {
      resolveFirst = resolve;
    });
    this.#second = new Promise((resolve) => {
      resolveSecond = resolve;
    });
    let firstAt: number | undefined;
    this.raise = () => {
      onSignal();
      const now = performance.now();
      if (firstAt !== undefined && now - firstAt > sameSignalMilliseconds) resolveSecond();
      firstAt ??= now;
      resolveFirst();
    };
    process.on('SIGTERM', this.raise);
    process.on('SIGINT', this.raise);
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
