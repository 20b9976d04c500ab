/**
 * Amounts are split and rounded exactly.
 */
import t from 'tap';
import { allocate, divideRounded, percentOf, percentWithin } from '../money.ts';

t.test('an amount is split in proportion and the shares add up', async (t) => {
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

t.test('weights of any size are exact', async (t) => {
  const large = 10n ** 40n;
  t.strictSame(allocate(3, [large, large + 1n]), [1, 2]);
  t.strictSame(allocate(3, [large + 1n, large]), [2, 1]);
  t.strictSame(allocate(-3, [large, large + 1n]), [-1, -2]);
});

t.test('a quotient is rounded half away from zero', async (t) => {
  const cases: [numerator: bigint, denominator: bigint, quotient: number][] = [
    [1n, 2n, 1],
    [3n, 2n, 2],
    [-1n, 2n, -1],
    [-1n, 3n, 0],
    [0n, 7n, 0],
    [10n ** 40n - 1n, 2n * 10n ** 40n, 0],
    [10n ** 40n, 2n * 10n ** 40n, 1],
  ];
  for (const [numerator, denominator, quotient] of cases) t.equal(divideRounded(numerator, denominator), quotient);
});

t.test('a quotient is rounded half towards zero, or towards zero', async (t) => {
  const cases: [numerator: bigint, denominator: bigint, halfDown: number, down: number][] = [
    [1n, 2n, 0, 0],
    [3n, 2n, 1, 1],
    [-3n, 2n, -1, -1],
    [5n, 3n, 2, 1],
    [4n, 3n, 1, 1],
    [-5n, 3n, -2, -1],
    [6n, 3n, 2, 2],
    [-1n, 2n, 0, 0],
    [10n ** 40n + 1n, 2n * 10n ** 40n, 1, 0],
  ];
  for (const [numerator, denominator, halfDown, down] of cases) {
    t.equal(divideRounded(numerator, denominator, 'half_down'), halfDown, `${numerator} / ${denominator}`);
    t.equal(divideRounded(numerator, denominator, 'down'), down, `${numerator} / ${denominator}`);
  }
});

t.test('a percentage of an amount, and within a gross amount, is exact', async (t) => {
  const cases: [amount: number, percent: number, of: number, within: number][] = [
    [1999, 19, 380, 319],
    [50, 1, 1, 0],
    [150, 1, 2, 1],
    [-150, 1, -2, -1],
    [10_000, 8.875, 888, 815],
    [333, 0, 0, 0],
    [100, 100, 100, 50],
    // The product exceeds the exact range of a number.
    [9_007_199_254_740_991, 99.99999, 9_007_198_354_021_066, 4_503_599_402_190_503],
  ];
  for (const [amount, percent, of, within] of cases) {
    t.equal(percentOf(amount, percent), of, `${percent} % of ${amount}`);
    t.equal(percentWithin(amount, percent), within, `${percent} % within ${amount}`);
  }
});
