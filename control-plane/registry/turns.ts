// Lets asynchronous work on the same thing take turns.

export type Turns = {
  /** Does the work after all earlier work for the same key has ended. */
  take<Result>(key: string, work: () => Promise<Result>): Promise<Result>;
};

export function createTurns(): Turns {
  const last = new Map<string, Promise<unknown>>();
  return {
    take(key, work) {
      const turn = (last.get(key) ?? Promise.resolve()).then(work, work);
      last.set(key, turn);
      const forget = () => {
        if (last.get(key) === turn) last.delete(key);
      };
      turn.then(forget, forget);
      return turn;
    },
  };
}
