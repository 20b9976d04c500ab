/**
 * The transitions of payment statuses that payments can cause are exactly those of the table of orders.
 */
import { transitions } from '@carton/order';
import t from 'tap';
import { statusOf } from '../bookkeeping.ts';

type State = Parameters<typeof statusOf>;

const most = 3;
const amounts = Array.from({ length: most + 1 }, (_, amount) => amount);
const flags = [true, false];

/** What payments may sum up to, with small amounts. */
const sums = amounts.flatMap((captured) =>
  amounts
    .slice(0, captured + 1)
    .flatMap((refunded) =>
      [0, 1].flatMap((authorized) => flags.map((voided) => ({ captured, refunded, authorized, voided }))),
    ),
);

/** A payment is captured, refunded or, if it is by hand and no part of it is refunded, taken back. */
function isOneStep(before: State, after: State): boolean {
  const [one, two] = [before[2], after[2]];
  const captured = two.captured - one.captured;
  const refunded = two.refunded - one.refunded;
  if (refunded < 0 || (refunded > 0 && captured !== 0)) return false;
  return captured >= 0 || two.captured >= two.refunded;
}

t.test('every sequence of payments makes legal transitions, and every legal transition has one', async (t) => {
  const found = new Set<string>();
  for (const total of [1, 2, 3]) {
    for (const status of ['placed', 'canceled'] as const) {
      const states = sums.map((each): State => [status, total, each]);
      for (const before of states) {
        for (const after of states.filter((each) => isOneStep(before, each))) {
          const [from, to] = [statusOf(...before), statusOf(...after)];
          if (from !== to) found.add(`${from} to ${to}`);
        }
      }
    }
  }
  const legal = transitions.filter(({ state }) => state === 'paymentStatus').map(({ from, to }) => `${from} to ${to}`);
  t.strictSame([...found].sort(), legal.sort());
});
