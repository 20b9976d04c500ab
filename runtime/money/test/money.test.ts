/**
 * Money loses and makes no unit.
 */
import t from 'tap';
import { allocate, isCurrency, minorUnitDigits, roundHalfEven } from '../money.ts';

t.test('an amount is split in proportion, to the unit', async (t) => {
  const cases: [amount: number, weights: number[], shares: number[]][] = [
    [100, [1, 1, 1], [34, 33, 33]],
    [-100, [1, 1, 1], [-34, -33, -33]],
    [10, [0, 5, 5], [0, 5, 5]],
    [7, [0, 0], [7, 0]],
    [0, [1, 2], [0, 0]],
    [5, [], []],
    [9_007_199_254_740_991, [1, 1], [4_503_599_627_370_496, 4_503_599_627_370_495]],
  ];
  for (const [amount, weights, shares] of cases)
    t.strictSame(allocate(amount, weights), shares, `${amount} by ${weights}`);
});

t.test('halves are rounded to the even neighbour', async (t) => {
  t.strictSame(
    [0.5, 1.5, 2.5, -0.5, -1.5, 2.4, 2.6].map((value) => roundHalfEven(value) + 0),
    [0, 2, 2, 0, -2, 2, 3],
  );
});

t.test('currencies are those of ISO 4217', async (t) => {
  t.ok(isCurrency('EUR'));
  t.notOk(isCurrency('EEE'));
  t.strictSame(['EUR', 'JPY', 'KWD'].map(minorUnitDigits), [2, 0, 3]);
});
