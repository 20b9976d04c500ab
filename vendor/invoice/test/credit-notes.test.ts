/**
 * Credit notes that staff issue: they add up to their invoice, and never exceed it.
 */
import { newId } from '@carton/runtime';
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { credit, eur, invoicesOf, issue, openBox, placeTaxed, summaryOf } from './helpers.ts';

const box = await openBox(t);
const { staff } = box;

t.test('credit notes of units, of an amount and of the rest add up to the invoice', async (t) => {
  const order = await placeTaxed(box);
  const [shirts, socks] = order.items.map(({ id }) => id) as [string, string];
  const { id } = (await issue(box, order.id)).body;
  const first = await credit(box, id, { items: [{ lineItemId: shirts, quantity: 1 }], reason: 'Too small' });
  t.match(first, {
    status: 201,
    body: {
      number: /^CN-\d+$/,
      kind: 'credit_note',
      invoiceId: id,
      reason: 'Too small',
      totals: { net: eur(966), tax: eur(184), total: eur(1150) },
      lines: exactly([{ title: 'Shirt', quantity: 1, net: eur(966), tax: eur(184) }]),
    },
  });
  t.match((await credit(box, id, { amount: eur(1000) })).body, { totals: { total: eur(1000) } });
  t.match((await credit(box, id, { items: [{ lineItemId: socks, quantity: 1 }], shipping: true })).body, {
    lines: exactly([{ title: 'Socks' }, { title: 'Standard' }]),
  });
  t.match((await staff.get(`/admin/invoices/${id}`)).body, { totals: { total: eur(4124) } });
  const rest = await credit(box, id);
  t.equal(rest.status, 201);
  const listed = await invoicesOf(box, order.id);
  const sum = (name: 'net' | 'tax' | 'total') =>
    listed.filter(({ kind }) => kind === 'credit_note').reduce((all, { totals }) => all + totals[name].amount, 0);
  t.strictSame([sum('net'), sum('tax'), sum('total')], [3466, 658, 4124]);
  t.match((await staff.get(`/admin/invoices/${id}`)).body, { credited: eur(4124) });
  t.match(await credit(box, id), { status: 409, body: { code: 'credit_not_possible' } });
});

t.test('no more is credited than is left', async (t) => {
  const order = await placeTaxed(box);
  const [shirts] = order.items.map(({ id }) => id) as [string];
  const { id } = (await issue(box, order.id)).body;
  const refused = async (body: object, expected: object) => {
    t.match(await credit(box, id, body), expected, JSON.stringify(body));
  };
  const conflict = { status: 409, body: { code: 'credit_not_possible' } };
  await refused({ amount: eur(4125) }, conflict);
  const leftOfShirts = (left: number) => ({ body: { detail: `Shirt: ${left} of 3 are left to credit.` }, status: 409 });
  await refused({ items: [{ lineItemId: shirts, quantity: 4 }] }, leftOfShirts(3));
  await refused({ amount: { amount: 1, currency: 'USD' } }, { status: 400 });
  await refused({ amount: eur(1), shipping: true }, { status: 400 });
  await refused({ items: [{ lineItemId: newId(), quantity: 1 }] }, { status: 400 });
  const one = { lineItemId: shirts, quantity: 1 };
  await refused({ items: [one, one] }, { status: 400 });
  await refused({ shipping: ['express'] }, { status: 400 });
  t.strictSame(await summaryOf(box, order.id), ['invoice 3466 + 658 = 4124']);
  const note = (await credit(box, id, { items: [{ lineItemId: shirts, quantity: 3 }] })).body;
  await refused({ items: [one] }, leftOfShirts(0));
  t.match(await credit(box, note.id), conflict, 'a credit note is not credited');
  t.equal((await credit(box, newId())).status, 404);
  // The balance holds also where a note would not be computed from what is left.
  await t.rejects(box.owner.query('update invoice_balances set credited_amount = 4125 where invoice_id = $1', [id]), {
    code: '23514',
  });
});
