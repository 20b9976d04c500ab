/**
 * Concurrent choices of payment methods for one order, against each other and against money that arrives: the order ends
 * with the fees of the methods that have received money or are open, each once, and no more is asked than they cost.
 */
import { bodyOf, raceRounds } from '@carton/runtime/testing';
import t from 'tap';
import { openBox, pay, place } from './helpers.ts';

const box = await openBox(t, { PAYMENT_ADAPTERS: 'manual' });
const eur = (amount: number) => ({ amount, currency: 'EUR' });
const fees: Record<string, number> = { cash_on_delivery: 500, bank_transfer: 300 };
for (const { id, code } of (await box.staff.get('/admin/payment-methods')).body.items) {
  await bodyOf(box.staff.patch(`/admin/payment-methods/${id}`, { fees: [eur(fees[code] as number)] }));
}
t.setTimeout(3_600_000);

const choose = (orderId: string, paymentMethod: string) =>
  box.visitor().post(`/checkout/${orderId}/payment-sessions`, { paymentMethod });

interface Paid {
  id: string;
  method: string;
  status: string;
  amount: { amount: number };
  captured: { amount: number };
}

async function outcomeOf(orderId: string) {
  const { totals, balance, adjustments } = (await box.staff.get(`/admin/orders/${orderId}`)).body;
  const payments: Paid[] = (await box.staff.get(`/admin/payments?orderId=${orderId}&limit=100`)).body.items;
  return {
    total: totals.total.amount as number,
    shipping: totals.shipping.amount as number,
    balance: balance.amount as number,
    fees: adjustments.map(({ code }: { code: string }) => code.replace('payment:', '')).sort() as string[],
    open: payments.filter(({ status }) => status === 'pending'),
    paid: payments.filter(({ captured }) => captured.amount > 0),
  };
}

t.test('of two methods at once, one has its fee and its amount', async (t) => {
  const won = new Set<string>();
  for (let round = 0; round < raceRounds; round++) {
    const { id } = await place(box, 1177);
    const methods = Object.keys(fees);
    const answers = await Promise.all([...methods, ...methods].map((method) => choose(id, method)));
    t.strictSame([...new Set(answers.map(({ status }) => status))], [201]);
    for (const { body } of answers) t.equal(body.amount.amount, 1177 + (fees[body.method] as number));
    const { total, shipping, balance, fees: charged, open } = await outcomeOf(id);
    const [{ method, amount } = { method: '', amount: eur(0) }] = open;
    t.equal(open.length, 1);
    t.strictSame(charged, [method]);
    const fee = fees[method] as number;
    t.strictSame([total, shipping, balance, amount.amount], [1177 + fee, fee, 1177 + fee, 1177 + fee]);
    won.add(method);
  }
  t.comment([...won]);
});

t.test('a choice against money received by another method', async (t) => {
  for (let round = 0; round < raceRounds; round++) {
    const { id } = await place(box, 1177);
    const { body: cash } = await choose(id, 'cash_on_delivery');
    const capture = () => box.staff.post(`/admin/payments/${cash.id}/capture`, { amount: eur(1000) });
    await Promise.all([capture(), choose(id, 'bank_transfer')]);
    const { total, balance, fees: charged, paid, open } = await outcomeOf(id);
    const expected = [...new Set([...paid, ...open].map(({ method }) => method))].sort();
    t.strictSame(charged, expected, 'the fees of methods that have received money or are open');
    const received = paid.reduce((sum, { captured }) => sum + captured.amount, 0);
    t.equal(total, 1177 + charged.reduce((sum, method) => sum + (fees[method] as number), 0));
    t.equal(balance, total - received);
  }
});

t.test('a choice against a recorded payment of all of the goods', async (t) => {
  for (let round = 0; round < raceRounds; round++) {
    const { id } = await place(box, 1177);
    const [recorded, chosen] = await Promise.all([pay(box, id, 1177), choose(id, 'cash_on_delivery')]);
    t.equal(recorded.status, 201);
    const { total, balance, fees: charged } = await outcomeOf(id);
    t.strictSame([total, balance, charged], chosen.status === 201 ? [1677, 500, ['cash_on_delivery']] : [1177, 0, []]);
  }
});
