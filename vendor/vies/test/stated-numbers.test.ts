/**
 * The number that staff state for an invoice: where the sale has no tax because a number was proved, it is that one.
 */
import { bodyOf, exactly } from '@carton/runtime/testing';
import t from 'tap';
import { cartFor, email, french, openStore, type Store } from './businesses.ts';

const store = await openStore(t);
const { staff } = store.box;

const orderOf = async (...sale: Parameters<typeof cartFor> extends [Store, ...infer Rest] ? Rest : never) => {
  const { shopper } = await cartFor(store, ...sale);
  return bodyOf(shopper.post('/checkout', { customer: { email } }));
};
const issue = (order: { id: string }, vatNumber: string | null) =>
  staff.post(`/admin/orders/${order.id}/invoices`, { buyer: { vatNumber } });

t.test('an exemption rests on the proved number: another one is refused', async (t) => {
  const sales = [await orderOf(french), await orderOf(french, { items: [store.manual] })];
  for (const order of sales) {
    // No number, that of the seller, another business's, and none at all.
    for (const number of ['FR1', 'DE136695976', 'ATU13585627', 'none', null]) {
      const refused = await issue(order, number);
      t.match(refused, { status: 400, body: { code: 'invalid_request' } }, `${order.taxExemption} ${number}`);
      const [error] = refused.body.errors;
      t.match(error, { pointer: '/buyer/vatNumber', detail: /FR40303265045.*leave it out/ });
    }
    const issued = await bodyOf(issue(order, 'fr 40.303.265-045'));
    t.equal(issued.buyer.vatNumber, french, 'the same number in other words is right');
  }
  t.strictSame(
    sales.map(({ taxExemption }) => taxExemption),
    ['intra_community', 'reverse_charge'],
  );
});

t.test('elsewhere, a number has the form of its country, where that is known', async (t) => {
  const order = await orderOf(null);
  const refused = await issue(order, 'FR1');
  t.match(refused, { status: 400, body: { errors: exactly([{ pointer: '/buyer/vatNumber', detail: /FRXX9{9}/ }]) } });
  const issued = await bodyOf(issue(order, ' fr40 303 265 045 '));
  t.equal(issued.buyer.vatNumber, french);
  const elsewhere = await bodyOf(issue(await orderOf(null), '12-3456789'));
  t.equal(elsewhere.buyer.vatNumber, '12-3456789', 'one of a country whose form is not known stays as it is');
});
