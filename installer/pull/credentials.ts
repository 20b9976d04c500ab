/**
 * The registry token during a pull: shared by concurrent downloads, and renewed once when the registry rejects it.
 */
import type { Activation } from '../control-plane.ts';

/** A token that can be renewed. */
export interface Credentials {
  /** The activation whose token is in use. */
  current(): Activation;
  /** Replaces a rejected token; concurrent calls for the same token share one activation. */
  renew(rejected: string): Promise<void>;
}

/** @param activateAgain exchanges the licence key for a new token */
export function createCredentials(first: Activation, activateAgain: () => Promise<Activation>): Credentials {
  let activation = first;
  let renewal: Promise<void> | undefined;
  return {
    current: () => activation,
    renew(rejected) {
      if (activation.token !== rejected) return Promise.resolve();
      renewal ??= activateAgain()
        .then((renewed) => {
          activation = renewed;
        })
        .finally(() => {
          renewal = undefined;
        });
      return renewal;
    },
  };
}
