/**
 * Computations in parts: others have a turn between two parts, and the result is that of the whole.
 */
import t from 'tap';
import { runInParts } from '../parts.ts';

function* sumOf(numbers: readonly number[], record: (before: number) => void): Generator<void, number, void> {
  let sum = 0;
  for (const number of numbers) {
    record(sum);
    sum += number;
    yield;
  }
  return sum;
}

t.test('others have a turn between two parts', async (t) => {
  const order: string[] = [];
  const sum = runInParts(sumOf([1, 2, 3], (before) => order.push(`part at ${before}`)));
  for (const turn of [1, 2, 3]) {
    setImmediate(() => order.push(`turn ${turn}`));
    await new Promise(setImmediate);
  }
  t.equal(await sum, 6);
  t.strictSame(order, ['part at 0', 'part at 1', 'turn 1', 'part at 3', 'turn 2', 'turn 3']);
});

t.test('a part that fails ends the computation with its error', async (t) => {
  const computation = sumOf([1, 2], (before) => {
    if (before > 0) throw new Error('the second part');
  });
  await t.rejects(runInParts(computation), { message: 'the second part' });
});
