/**
 * A store sells without tax only with a valid number of its own in the EU; without one, staff have an open task.
 */
import { bodyOf } from '@carton/runtime/testing';
import t from 'tap';
import { cartFor, email, french, openStore, outcomeOf } from './businesses.ts';

const store = await openStore(t);
const { box, vies } = store;
const { staff } = box;
const path = '/admin/store';
const codesIn = ({ tasks }: { tasks: { code: string }[] }) => tasks.map(({ code }) => code);
const openTasks = async () => codesIn(await bodyOf(staff.get(path)));
const code = 'vat_number_missing';

t.test('without a valid number in the EU, a business is taxed as a consumer and nobody is asked', async (t) => {
  for (const vatNumber of [null, 'foo', 'GB802311782', 'CHE-123.456.788 MWST', 'XI802311782', '12-3456789']) {
    const changed = await bodyOf(staff.patch(path, { vatNumber }));
    t.ok(codesIn(changed).includes(code), `a task is open with ${vatNumber}`);
    const { calls } = await vies.state();
    const { shopper, cart } = await cartFor(store, french);
    t.strictSame(outcomeOf(cart), ['unchecked', 2380, 14_280], `${vatNumber}`);
    const order = await bodyOf(shopper.post('/checkout', { customer: { email } }));
    t.match(order, { taxExemption: null, totals: { tax: { amount: 2380 } } });
    t.equal((await vies.state()).calls, calls);
  }
});

t.test('what an earlier release has stored is no number either', async (t) => {
  await box.owner.query('update stores set vat_number = $2 where tenant_id = $1', [box.id, 'DE123']);
  t.ok((await openTasks()).includes(code));
  t.strictSame(outcomeOf((await cartFor(store, french)).cart), ['unchecked', 2380, 14_280]);
});

t.test('with a number, however it is written, businesses buy without tax', async (t) => {
  const changed = await bodyOf(staff.patch(path, { vatNumber: 'de 136.695.976' }));
  t.equal(changed.vatNumber, 'DE136695976');
  t.notOk(codesIn(changed).includes(code));
  t.strictSame(outcomeOf((await cartFor(store, french)).cart), ['valid', 0, 11_900]);
});

t.test('a store that sells to nobody without tax needs no number', async (t) => {
  const off = { vatNumber: null, settings: { tax: { reverseCharge: false } } };
  t.notOk(codesIn(await bodyOf(staff.patch(path, off))).includes(code));
});
