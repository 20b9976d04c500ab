/**
 * A signal that arrives several times counts once.
 */
import t from 'tap';
import { unlessRepeated } from '../repeated-signal.ts';

t.test('signals within a second are one', async (t) => {
  let time = 0;
  const counted: number[] = [];
  const receive = unlessRepeated(
    () => counted.push(time),
    () => time,
  );
  for (time of [5, 6, 40, 900, 1005, 1500, 2004, 2005, 2006]) receive();
  t.strictSame(counted, [5, 1005, 2005]);
});
