/**
 * Signals that arrive several times: Ctrl-C reaches each process of a terminal, and npm and shells pass on what they
 * receive, so that one key can be three signals, the third of which kills a box.
 */

/** A signal within this time is the same one again, as for the box (runtime/operations/stop-signals.ts). */
const sameSignalMilliseconds = 1000;

/** Returns what calls `react`, except within a second after the last call. @param now in milliseconds */
export function unlessRepeated(react: () => void, now = () => performance.now()): () => void {
  let last = Number.NEGATIVE_INFINITY;
  return () => {
    const time = now();
    if (time - last < sameSignalMilliseconds) return;
    last = time;
    react();
  };
}
