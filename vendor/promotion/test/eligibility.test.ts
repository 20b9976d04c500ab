/**
 * Which promotions apply: rules, and promotions that exclude each other.
 */
import type { LineFacts, TotalsLine } from '@carton/cart';
import t from 'tap';
import { appliedOf, decide } from '../discounts/eligibility.ts';
import type { Considered, ReadPromotion } from '../discounts/store.ts';
import type { Discount, Rules } from '../promotions/schemas.ts';

const line = (id: string, unitPrice: number, quantity: number): TotalsLine => {
  const own = {
    id,
    variantId: id,
    productId: id,
    taxCategory: null,
    properties: {},
    weight: null,
    shippingProfile: null,
  };
  return { ...own, quantity, unitPrice, total: unitPrice * quantity, discountedTotal: unitPrice * quantity };
};
const lines = [line('a', 5000, 1), line('b', 1000, 3)];
const facts: LineFacts = { holds: ({ argument }, about) => String(argument).includes(about?.id ?? '-') };
const guest = { currency: 'EUR', regionId: 'r', memberId: null, email: null };

const noRules: Rules = {
  ...{ conditions: [], appliesTo: 'qualifying', minimumAmounts: [], minimumQuantity: 0 },
  ...{ regionIds: [], membersOnly: false, firstOrder: false },
};
const off = (percent: number): Discount => ({ kind: 'percent', percent });

type Parts = Partial<Omit<ReadPromotion, 'rules'>> &
  Partial<Pick<Considered, 'code' | 'unusable' | 'hasOrdered'>> & { rules?: Partial<Rules> };
/** A promotion that is considered; its id is its label. */
function consider(
  id: string,
  { code = null, unusable = null, hasOrdered = false, rules, ...parts }: Parts,
): Considered {
  const plain = { id, label: id, priority: 0, exclusive: false, discount: off(10), maxUsesPerCustomer: null };
  return { code, unusable, hasOrdered, promotion: { ...plain, rules: { ...noRules, ...rules }, ...parts } };
}

const reasonOf = (parts: Parts, shopper: Partial<Record<keyof typeof guest, string | null>> = {}) =>
  decide([consider('x', parts)], { ...guest, ...shopper } as never, lines, facts)[0]?.reason;

t.test('a promotion applies if all rules are met', async (t) => {
  t.equal(reasonOf({}), null);
  t.equal(reasonOf({ rules: { regionIds: ['other', 'R'] } }), null, 'in one of the regions, whatever the case');
  t.equal(reasonOf({ rules: { regionIds: ['other'] } }), 'region');
  t.equal(reasonOf({ rules: { regionIds: ['r'] } }, { regionId: null }), 'region');
  t.equal(reasonOf({ rules: { membersOnly: true } }), 'members_only');
  t.equal(reasonOf({ rules: { membersOnly: true } }, { memberId: 'm' }), null);
  t.equal(reasonOf({ rules: { conditions: [{ fact: 'line', argument: 'c' }] } }), 'no_matching_items');
  t.equal(reasonOf({ discount: { kind: 'fixed', amounts: [{ amount: 1, currency: 'USD' }] } }), 'currency');
  t.equal(reasonOf({ unusable: 'expired' }), 'expired');
  t.equal(decide([{ ...consider('x', {}), promotion: null }], guest, lines, facts)[0]?.reason, 'unknown');
});

t.test('all conditions must hold for a line', async (t) => {
  const both = [
    { fact: 'line', argument: 'ab' },
    { fact: 'line', argument: 'bc' },
  ];
  const minimumOf = (amount: number) =>
    reasonOf({ rules: { conditions: both, minimumAmounts: [{ amount, currency: 'EUR' }] } });
  t.equal(minimumOf(3000), null, 'only b qualifies');
  t.equal(minimumOf(3001), 'minimum_amount');
});

t.test('minimums are of the qualifying lines, before discounts, and reached exactly', async (t) => {
  const amount = (value: number, currency = 'EUR') => ({ minimumAmounts: [{ amount: value, currency }] });
  t.equal(reasonOf({ rules: amount(8000) }), null);
  t.equal(reasonOf({ rules: amount(8001) }), 'minimum_amount');
  t.equal(reasonOf({ rules: amount(1, 'USD') }), 'currency', 'without a minimum in the currency it does not apply');
  t.equal(reasonOf({ rules: { minimumQuantity: 4 } }), null);
  t.equal(reasonOf({ rules: { minimumQuantity: 5 } }), 'minimum_quantity');
  t.equal(
    decide([consider('x', { discount: off(50) }), consider('y', { rules: amount(8000) })], guest, lines, facts)[1]
      ?.reason,
    null,
    'a discount does not prevent another one',
  );
  const set: Discount = {
    kind: 'buy_x_get_y',
    buyQuantity: 2,
    getQuantity: 2,
    percent: 100,
    getConditions: null,
    maxSets: null,
  };
  t.equal(reasonOf({ discount: set }), null, 'four units');
  t.equal(reasonOf({ discount: { ...set, getQuantity: 3 } }), 'minimum_quantity');
});

t.test('the first order is that of a member or an e-mail address', async (t) => {
  const first = { rules: { firstOrder: true } };
  t.equal(reasonOf({ ...first, hasOrdered: true }, { memberId: 'm' }), 'first_order_only');
  t.equal(reasonOf({ ...first, hasOrdered: false }, { memberId: 'm' }), null);
  t.equal(reasonOf({ ...first, hasOrdered: false }, { email: 'ada@example.com' }), null);
});

t.test('an automatic promotion with a limit for each customer applies once the customer is known', async (t) => {
  for (const parts of [{ rules: { firstOrder: true } }, { maxUsesPerCustomer: 1 }]) {
    t.equal(reasonOf(parts), 'email_needed');
    t.equal(reasonOf(parts, { email: 'ada@example.com' }), null);
    t.equal(reasonOf({ ...parts, code: 'X' }), null, 'a code applies, and blocks the order if it was used');
  }
});

t.test('several codes of one promotion apply once', async (t) => {
  const decisions = decide([consider('x', { code: 'A' }), consider('x', { code: 'B' })], guest, lines, facts);
  t.strictSame(
    decisions.map(({ reason }) => reason),
    [null, 'same_promotion'],
  );
});

t.test('an exclusive promotion and the others: first by priority, then the best, then the oldest', async (t) => {
  /** The applied promotions, of the lines' 80.00. */
  const applied = (...considered: Considered[]) => {
    // As the statement orders them: by priority, then by creation.
    const sorted = considered.toSorted(
      (one, other) => (other.promotion?.priority ?? 0) - (one.promotion?.priority ?? 0),
    );
    return appliedOf(decide(sorted, guest, lines, facts)).map(({ promotion }) => promotion.id);
  };
  const [five, ten] = [consider('five', { discount: off(5) }), consider('ten', { discount: off(10) })];
  const alone = (id: string, percent: number, priority = 0) =>
    consider(id, { discount: off(percent), exclusive: true, priority });
  t.strictSame(applied(five, ten), ['five', 'ten']);
  t.strictSame(applied(five, ten, alone('twenty', 20)), ['twenty']);
  t.strictSame(applied(five, ten, alone('seven', 7)), ['five', 'ten'], 'the others take more off together');
  t.strictSame(applied(five, ten, alone('seven', 7, 1)), ['seven'], 'the store prefers it');
  t.strictSame(applied(five, ten, alone('twenty', 20, -1)), ['five', 'ten']);
  t.strictSame(applied(alone('seven', 7), alone('eight', 8)), ['eight']);
  t.strictSame(applied(alone('one', 8), alone('two', 8)), ['one'], 'the older of two that are equal');
  t.strictSame(applied(ten, alone('same', 10)), ['ten']);
  t.strictSame(applied(alone('only', 1)), ['only']);
  const decisions = decide([five, alone('twenty', 20)], guest, lines, facts);
  t.strictSame(
    decisions.map(({ reason }) => reason),
    ['excluded', null],
  );
});
