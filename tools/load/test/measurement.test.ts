/**
 * How the figures of rounds become a ratio, and in which order sides are measured.
 */
import t from 'tap';
import { measureInTurns, ratioOf } from '../measurement.ts';

t.test('every second round has the reverse order, and the warm-up does not count', async (t) => {
  const measured: string[] = [];
  const side = (what: string) => ({
    what,
    unit: 's',
    measure: async (round: number) => {
      measured.push(`${what}${round}`);
      return round * 10;
    },
  });
  const reported: string[] = [];
  const figures = await measureInTurns(2, [side('a'), side('b'), side('c')], (text) => reported.push(text));
  t.strictSame(measured, ['a0', 'b0', 'c0', 'c1', 'b1', 'a1', 'a2', 'b2', 'c2']);
  t.strictSame(figures, [
    [10, 20],
    [10, 20],
    [10, 20],
  ]);
  t.strictSame(reported, [
    'warm-up: a 0 s; b 0 s; c 0 s',
    'round 1 of 2: a 10 s; b 10 s; c 10 s',
    'round 2 of 2: a 20 s; b 20 s; c 20 s',
  ]);
});

t.test('a ratio is the geometric mean of those of the rounds, within bounds', async (t) => {
  t.strictSame(ratioOf([2, 4, 6], [1, 2, 3]), { ratio: 2, within: [2, 2] });
  const { ratio, within } = ratioOf([1, 4], [2, 2]);
  t.equal(ratio, 1, 'a half and the double');
  t.ok(within[0] < 0.5 && within[1] > 2, 'two rounds say little');
});
