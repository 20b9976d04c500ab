/**
 * Circuits: a destination that was away several times in a row gets no attempts for a while, so that what waits for it
 * takes neither connections nor workers. Then it gets one round, and the next failure opens the circuit again.
 *
 * A circuit is asked before work is claimed for its destination, which the library of `services/` does not allow: it
 * refuses only a call that is being made. Circuits belong to a process: each learns by itself that a destination is
 * away.
 */

export interface CircuitOptions {
  /** Failures in a row that open a circuit. */
  failures: number;
  /** Milliseconds for which it stays open. */
  pause: number;
}

export interface Circuits {
  /** Whether a destination is left alone at present. */
  isOpen(destination: string): boolean;
  /** Records an attempt that found the destination away. @param seconds a longer pause, for which it has asked */
  failed(destination: string, seconds?: number): void;
  /** Records an attempt that the destination has answered, whatever the answer. */
  answered(destination: string): void;
}

interface Circuit {
  failures: number;
  /** Milliseconds of the monotonic clock. */
  openUntil: number;
}

/** Opens circuits for any number of destinations. @param elapsed milliseconds of a monotonic clock */
export function openCircuits(
  { failures: mostFailures, pause }: CircuitOptions,
  elapsed = () => performance.now(),
): Circuits {
  /** Of destinations that were away at their last attempt. */
  const circuits = new Map<string, Circuit>();
  return {
    isOpen: (destination) => elapsed() < (circuits.get(destination)?.openUntil ?? Number.NEGATIVE_INFINITY),
    failed(destination, seconds = 0) {
      const failures = (circuits.get(destination)?.failures ?? 0) + 1;
      const isAway = failures >= mostFailures || seconds > 0;
      const milliseconds = isAway ? Math.max(pause, seconds * 1000) : 0;
      circuits.set(destination, { failures, openUntil: elapsed() + milliseconds });
    },
    answered(destination) {
      circuits.delete(destination);
    },
  };
}
