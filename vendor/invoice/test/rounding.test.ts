/**
 * Invoices of orders whose total is rounded: the rounding is a line of the totals without tax, credit notes take their share
 * of it, and an invoice of another rounding is replaced.
 */
import { bodyOf, untilDelivered } from '@carton/runtime/testing';
import t from 'tap';
import { credit, eur, invoicesOf, issue, openBox, packages, pay, placeTaxed, refund, summaryOf } from './helpers.ts';

const box = await openBox(t, { packages: [...packages, '@carton/tax'], environment: { PAYMENT_ADAPTERS: 'manual' } });
const { staff } = box;
const round = (rounding: object[]) => bodyOf(staff.patch('/admin/store', { settings: { payment: { rounding } } }));
const totals = { subtotal: 3500, discount: -100, shipping: 146, tax: 658, credit: 0, rounding: 1, total: 4125 };
const placeRounded = () => placeTaxed(box, { totals });

t.test('an invoice has the rounding as a line without tax, and so has its page', async (t) => {
  const { id } = await placeRounded();
  const issued = await bodyOf(issue(box, id));
  t.match(issued.totals, { net: eur(3466), tax: eur(658), gross: eur(4124), rounding: eur(1), total: eur(4125) });
  t.match(String((await box.visitor().get(`/checkout/${id}/invoice`)).body), /Rounding<\/th><td class="number">€0\.01/);
  const [stored] = await box.db.query<{ content: { rounding: number } }>(
    'select content from invoices where tenant_id = $1 and id = $2',
    [issued.id],
  );
  t.equal(stored?.content.rounding, 1);
  const { id: plain } = await placeTaxed(box);
  await bodyOf(issue(box, plain));
  const page = String((await box.visitor().get(`/checkout/${plain}/invoice`)).body);
  t.notMatch(page, 'Rounding', 'no line where nothing is rounded');
});

t.test('credit notes of parts and refunds end at the total, the tax and the rounding', async (t) => {
  for (const rounding of [1, 26, -24]) {
    const { id, items } = await placeTaxed(box, { totals: { ...totals, rounding, total: 4124 + rounding } });
    const { id: invoiceId } = await bodyOf(issue(box, id));
    const payment = await pay(box, id, 4124 + rounding);
    await bodyOf(credit(box, invoiceId, { items: [{ lineItemId: items[0]?.id, quantity: 1 }] }));
    await refund(box, payment, { items: [{ lineItemId: items[0]?.id, quantity: 2 }] });
    await refund(box, payment, { amount: eur(77) });
    await refund(box, payment, {});
    await untilDelivered(box);
    const notes = (await invoicesOf(box, id)).filter(({ kind }) => kind === 'credit_note');
    const sumOf = (name: string) =>
      notes.reduce((sum, note) => sum + ((note.totals as Record<string, { amount: number }>)[name]?.amount ?? 0), 0);
    t.strictSame(
      [sumOf('net'), sumOf('tax'), sumOf('rounding'), sumOf('total')],
      [3466, 658, rounding, 4124 + rounding],
      `rounded by ${rounding}`,
    );
  }
});

t.test('a cancellation credits the rounding too', async (t) => {
  const { id } = await placeRounded();
  await bodyOf(issue(box, id));
  await bodyOf(staff.post(`/admin/orders/${id}/cancel`, {}));
  await untilDelivered(box);
  t.strictSame(await summaryOf(box, id), ['invoice 3466 + 658 = 4125', 'credit_note 3466 + 658 = 4125']);
});

t.test('an invoice is replaced when a method is chosen that rounds otherwise', async (t) => {
  await round([{ currency: 'EUR', to: 50, methods: ['cash_on_delivery'] }]);
  t.teardown(() => round([]));
  const { id } = await placeTaxed(box);
  await bodyOf(issue(box, id, { note: 'Payable in cash', buyer: { name: 'Analytical Engines' } }));
  const choose = async (paymentMethod: string) => {
    const chosen = await bodyOf(box.visitor().post(`/checkout/${id}/payment-sessions`, { paymentMethod }));
    await untilDelivered(box);
    return chosen.total.amount;
  };
  t.equal(await choose('cash_on_delivery'), 4100);
  const [first, credited, rounded] = [
    'invoice 3466 + 658 = 4124',
    'credit_note 3466 + 658 = 4124',
    '3466 + 658 = 4100',
  ];
  t.strictSame(await summaryOf(box, id), [first, credited, `invoice ${rounded}`]);
  const second = await bodyOf(staff.get(`/admin/invoices/${(await invoicesOf(box, id))[2]?.id}`));
  t.match(second, { note: 'Payable in cash', buyer: { name: 'Analytical Engines' }, totals: { rounding: eur(-24) } });
  t.equal(await choose('bank_transfer'), 4124);
  t.strictSame((await summaryOf(box, id)).slice(3), [`credit_note ${rounded}`, first]);
  const payment = await pay(box, id, 4124);
  await refund(box, payment, {});
  await untilDelivered(box);
  t.strictSame((await summaryOf(box, id)).slice(5), [credited]);
});
