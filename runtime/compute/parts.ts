/**
 * Computations of a request in parts: the event loop of a process serves all tenants, and serves others between two parts.
 */

/**
 * Lets the event loop do what waits for it, such as requests and answers of the database, before the caller goes on. A
 * computation of many milliseconds calls it every few of them. One that is short must not: what waits may take long.
 */
export function pauseForOthers(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** Runs a computation to its end, with a pause for others wherever it yields. */
export async function runInParts<T>(parts: Generator<void, T, void>): Promise<T> {
  for (;;) {
    const part = parts.next();
    if (part.done) return part.value;
    await pauseForOthers();
  }
}
