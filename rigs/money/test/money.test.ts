/**
 * The money rig in its short form, and how it reports a broken promise.
 */
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { found, rig } from '../../test/support/rig.ts';
import { checkCharges, checkRefunds, checkTotals } from '../check.ts';
import { scenarioOf } from '../scenario.ts';
import { orderOf, stepNames, totalsOf } from '../totals.ts';

t.test('the short form holds, and each kind of sale occurs', async (t) => {
  const ended = await rig('money', '--short');
  const report = found(ended);
  t.match(report, { rig: 'money', held: true, broken: exactly([]), cases: 2000, cartsOverHttp: 12 }, ended);
  const { rig: _, held, broken, seconds, machine, freeOrdersOverHttp, ...counts } = report;
  t.strictSame(
    Object.entries(counts).filter(([, count]) => count === 0),
    [],
  );
});

t.test('the steps are those that the packages contribute', async (t) => {
  t.strictSame(stepNames, ['promotions', 'shipping', 'shipping_discounts', 'paymentMethod', 'tax_number', 'tax']);
});

t.test('sums that disagree are found', async (t) => {
  const scenario = scenarioOf(7);
  const draft = totalsOf(scenario);
  t.doesNotThrow(() => checkTotals(draft));
  const { totals } = draft;
  const wrong = (changed: object) => () => checkTotals({ ...draft, totals: { ...totals, ...changed } });
  t.throws(wrong({ total: totals.total + 1 }), /^the total is/);
  t.throws(wrong({ tax: totals.tax + 1 }), /^the tax is/);
  t.throws(wrong({ discount: totals.discount - 1 }), /^the discount is/);
  const row = orderOf(draft);
  const [line] = row.lines;
  t.throws(
    () =>
      checkCharges({ ...row, lines: row.lines.map((each) => ({ ...each, totalAmount: each.totalAmount + 1 })) }, draft),
    /^the sum of the order's charges is/,
  );
  const charges = checkCharges(row, draft);
  t.equal(charges[0]?.lineItemId, line?.id);
  t.doesNotThrow(() => checkRefunds(charges, 7));
  const overTaxed = charges.map((charge) => ({ ...charge, tax: charge.amount + 1 }));
  t.throws(() => checkRefunds(overTaxed, 7), /tax/);
});
