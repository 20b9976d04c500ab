/**
 * The registry token through a whole pull: used by many downloads at once, renewed once when it is refused.
 */
import type { Activation } from '../control-plane.ts';

/** A token that can be renewed. */
export interface Credentials {
  /** The activation whose token is in use. */
  current(): Activation;
  /** Gets a new token in place of one that was refused; callers that were refused with the same one share the call. */
  renew(refused: string): Promise<void>;
}

/** @param activateAgain exchanges the licence key once more */
export function credentials(first: Activation, activateAgain: () => Promise<Activation>): Credentials {
  let activation = first;
  let underWay: Promise<void> | undefined;
  return {
    current: () => activation,
    renew(refused) {
      if (activation.token !== refused) return Promise.resolve();
      underWay ??= activateAgain()
        .then((renewed) => {
          activation = renewed;
        })
        .finally(() => {
          underWay = undefined;
        });
      return underWay;
    },
  };
}
