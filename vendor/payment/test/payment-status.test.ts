/**
 * The transitions of payment statuses that payments can cause are exactly those of the table of orders.
 */
import { transitions } from '@carton/order';
import t from 'tap';
import { statusOf } from '../payments/bookkeeping.ts';

interface State {
  status: 'placed' | 'canceled';
  totalAmount: number;
  paidAmount: number;
  refundedAmount: number;
  excessRefundedAmount: number;
  disputedAmount: number;
  authorized: number;
  voided: boolean;
}

const most = 3;
const upTo = (limit: number) => Array.from({ length: limit + 1 }, (_, amount) => amount);
const flags = [true, false];

/** What the payments of an order may sum up to, with small amounts. No more of the total is refunded than there is. */
const sums = (totalAmount: number) =>
  upTo(most).flatMap((paidAmount) =>
    upTo(paidAmount).flatMap((refundedAmount) =>
      upTo(refundedAmount)
        .filter((excess) => refundedAmount - excess <= totalAmount)
        .flatMap((excessRefundedAmount) =>
          [0, 1].flatMap((authorized) =>
            flags.map((voided) => ({
              ...{ paidAmount, refundedAmount, excessRefundedAmount, authorized, voided },
              disputedAmount: 0,
            })),
          ),
        ),
    ),
  );

/**
 * A payment is captured, refunded or, if it is by hand and no part of it is refunded, taken back. A refund returns an
 * excess only where there is one.
 */
function isOneStep(one: State, two: State): boolean {
  const captured = two.paidAmount - one.paidAmount;
  const refunded = two.refundedAmount - one.refundedAmount;
  const excess = two.excessRefundedAmount - one.excessRefundedAmount;
  if (refunded === 0) return excess === 0 && (captured >= 0 || two.paidAmount >= two.refundedAmount);
  const beyond = Math.max(0, one.paidAmount - one.totalAmount - one.excessRefundedAmount);
  return refunded > 0 && captured === 0 && excess >= 0 && excess <= Math.min(refunded, beyond);
}

t.test('every sequence of payments makes legal transitions, and every legal transition has one', async (t) => {
  const found = new Set<string>();
  for (const totalAmount of [1, 2, 3]) {
    for (const status of ['placed', 'canceled'] as const) {
      const states = sums(totalAmount).map((each): State => ({ status, totalAmount, ...each }));
      for (const before of states) {
        for (const after of states.filter((each) => isOneStep(before, each))) {
          const [from, to] = [statusOf(before, before), statusOf(after, after)];
          if (from !== to) found.add(`${from} to ${to}`);
        }
      }
    }
  }
  const legal = transitions.filter(({ state }) => state === 'paymentStatus').map(({ from, to }) => `${from} to ${to}`);
  t.strictSame([...found].sort(), legal.sort());
});
