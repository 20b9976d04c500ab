/**
 * Concurrency: numbers without gaps or duplicates, one invoice for an order, and credit notes within their invoice.
 */
import { bodyOf, createTestBox, raceRounds, untilDelivered } from '@carton/runtime/testing';
import t from 'tap';
import { issueInvoice } from '../service.ts';
import {
  credit,
  draftOf,
  eur,
  invoicesOf,
  issue,
  packages,
  pay,
  place,
  placeTaxed,
  refund,
  seller,
  setInvoices,
} from './helpers.ts';

const box = await createTestBox(t, { packages, tier: 'basic' });
await setInvoices(box, seller);
t.setTimeout(3_600_000);

const numbersOf = async (series: string) =>
  (
    await box.db.query<{ sequence: number }>(
      'select sequence from invoices where tenant_id = $1 and series = $2 order by created_at, sequence',
      [series],
    )
  ).map(({ sequence }) => Number(sequence));
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

t.test('concurrent invoices of many orders have the numbers 1 to n; what is rolled back leaves no gap', async (t) => {
  for (let round = 0; round < raceRounds; round++) {
    const series = `R${round}-`;
    await setInvoices(box, { prefix: series });
    const orders = await Promise.all(upTo(20).map(() => place(box, draftOf(1000))));
    const work = orders.map(async ({ id }, index) => {
      if (index % 5 !== 0) return (await issue(box, id)).status;
      const rolledBack = box.db.transaction(async (tx) => {
        await issueInvoice(tx, id);
        throw new Error('rolled back');
      });
      return rolledBack.catch((error: Error) => error.message);
    });
    const outcomes = await Promise.all(work);
    t.strictSame(
      outcomes,
      orders.map((_, index) => (index % 5 === 0 ? 'rolled back' : 201)),
    );
    t.strictSame(await numbersOf(series), upTo(16), 'in the order of their times');
  }
});

t.test('concurrent invoices of one order: one is issued', async (t) => {
  await setInvoices(box, { prefix: 'ONE-', issueOn: 'payment' });
  for (let round = 0; round < raceRounds; round++) {
    const { id } = await place(box, draftOf(1000));
    const [payment, ...answers] = await Promise.all([pay(box, id, 1000), ...upTo(4).map(() => issue(box, id))]);
    t.type(payment, 'string');
    await untilDelivered(box);
    t.ok(answers.filter(({ status }) => status === 201).length <= 1);
    t.ok(answers.every(({ status, body }) => status === 201 || body.code === 'invoice_already_issued'));
    t.equal((await invoicesOf(box, id)).length, 1);
  }
  t.strictSame(await numbersOf('ONE-'), upTo(raceRounds));
  await setInvoices(box, { issueOn: 'manual' });
});

t.test('concurrent credit notes, refunds and a cancellation never exceed the invoice', async (t) => {
  await setInvoices(box, { prefix: 'INV-', creditNotePrefix: 'CN-' });
  let notes = 0;
  for (let round = 0; round < raceRounds; round++) {
    const { id, items } = await placeTaxed(box);
    const [shirts] = items.map((item) => item.id) as [string];
    const { id: issued } = await bodyOf(issue(box, id));
    const payment = await pay(box, id, 4124);
    const unit = { items: [{ lineItemId: shirts, quantity: 2 }] };
    const answers = await Promise.all([
      credit(box, issued, { amount: eur(2500) }),
      credit(box, issued, { amount: eur(2500) }),
      credit(box, issued, unit),
      credit(box, issued, unit),
      credit(box, issued),
      refund(box, payment, unit).then(
        () => ({ status: 201, body: {} }),
        () => ({ status: 409, body: { code: 'credit_not_possible' } }),
      ),
      round % 2 === 0 ? box.staff.post(`/admin/orders/${id}/cancel`) : { status: 201, body: {} },
    ]);
    await untilDelivered(box);
    for (const { status, body } of answers) t.ok(status < 300 || body.code === 'credit_not_possible');
    const all = await invoicesOf(box, id);
    const credited = all.filter(({ kind }) => kind === 'credit_note');
    const sum = (name: 'net' | 'tax' | 'total') => credited.reduce((sum, { totals }) => sum + totals[name].amount, 0);
    t.strictSame([sum('net'), sum('tax'), sum('total')], [3466, 658, 4124], 'one credited all that was left');
    notes += credited.length;
  }
  t.strictSame(await numbersOf('CN-'), upTo(notes));
});
