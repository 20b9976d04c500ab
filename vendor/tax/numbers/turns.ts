/**
 * Turns of questions about tax numbers: the register of a country answers few at once, and the buyers of one store must not
 * take all of them. They belong to a process, as circuits do.
 */
import { type HasExtensions, onceForBox } from '@carton/runtime';

/** Questions of a store to the register of a country at once. */
const most = 2;

interface Queue {
  asking: number;
  readonly waiting: (() => void)[];
}

const queuesOf = onceForBox(() => new Map<string, Queue>());

/**
 * Does the work when it is its turn.
 * @param milliseconds for which it waits at most
 * @returns false if its turn has not come by then
 */
export async function inTurn(
  box: HasExtensions,
  key: string,
  milliseconds: number,
  work: () => Promise<void>,
): Promise<boolean> {
  const queues = queuesOf(box);
  const queue = queues.get(key) ?? { asking: 0, waiting: [] };
  queues.set(key, queue);
  if (queue.asking < most) queue.asking += 1;
  else if (!(await waitForTurn(queue, milliseconds))) return false;
  try {
    await work();
    return true;
  } finally {
    const next = queue.waiting.shift();
    if (next) next();
    else queue.asking -= 1;
    if (queue.asking === 0) queues.delete(key);
  }
}

function waitForTurn({ waiting }: Queue, milliseconds: number): Promise<boolean> {
  return new Promise((resolve) => {
    const begin = () => {
      clearTimeout(timer);
      resolve(true);
    };
    const timer = setTimeout(() => {
      waiting.splice(waiting.indexOf(begin), 1);
      resolve(false);
    }, milliseconds);
    waiting.push(begin);
  });
}
