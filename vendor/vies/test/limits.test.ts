/**
 * What one shopper may ask VIES, and that nobody else waits for it.
 */
import { createMember } from '@carton/member/testing';
import { bodyOf } from '@carton/runtime/testing';
import t from 'tap';
import { addressIn, cartFor, email, openStore, outcomeOf, type Store } from './businesses.ts';

const store = await openStore(t);
const { box, vies, lamp } = store;
let last = 100_000;

/** A number of Luxembourg that was not used before. */
function newNumber(): string {
  last += 1;
  return `LU${last}${String(last % 89).padStart(2, '0')}`;
}

const expireAll = ({ box: { db } }: Store) =>
  db.query("update tax_number_checks set expires_at = now() - interval '1 second' where tenant_id = $1");

t.test('numbers that are sent with orders count like those of the cart', async (t) => {
  const { shopper } = await cartFor(store, newNumber());
  const answers: unknown[] = [];
  for (let sent = 0; sent < 12; sent++) {
    const customer = { email, taxNumber: newNumber() };
    const expectedTotal = { amount: 1, currency: 'EUR' };
    const { status, body } = await shopper.post('/checkout', { customer, expectedTotal });
    answers.push([status, body.code]);
  }
  t.strictSame(answers.slice(0, 9), Array(9).fill([409, 'total_changed']));
  t.strictSame(answers.slice(-2), Array(2).fill([429, 'too_many_requests']));
  t.ok((await vies.state()).calls <= 11, 'each question is counted');
  t.equal((await shopper.patch('/cart', { taxNumber: newNumber() })).status, 429, 'the counts are the same');
  t.strictSame(outcomeOf(await bodyOf(shopper.get('/cart'))), ['valid', 0, 11_900], 'what is known stays');
  const { shopper: other } = await cartFor(store, newNumber());
  const order = await bodyOf(other.post('/checkout', { customer: { email, taxNumber: newNumber() } }));
  t.equal(order.taxExemption, 'intra_community', 'others do not wait');
});

t.test('a member who changes the number of the account reads the cart, and is asked about no more', async (t) => {
  const member = await createMember(box, { email: 'member@example.com' });
  await bodyOf(member.post('/cart/items', { variantId: lamp, quantity: 1 }));
  await bodyOf(member.put('/cart/shipping-address', addressIn('FR')));
  const outcomes: unknown[] = [];
  for (let changed = 0; changed < 14; changed++) {
    await bodyOf(member.patch('/member', { taxNumber: newNumber() }));
    outcomes.push(outcomeOf(await bodyOf(member.get('/cart'))));
  }
  t.strictSame(outcomes[0], ['valid', 0, 11_900]);
  t.strictSame(outcomes.at(-1), ['unchecked', 2380, 14_280]);
  t.ok((await vies.state()).calls <= 11);
  t.equal((await bodyOf(member.get('/checkout'))).cart.totals.tax.amount, 2380);
  t.match(await member.post('/checkout', { customer: { email } }), {
    status: 429,
    body: { code: 'too_many_requests' },
  });
});

t.test('a number that is asked about again counts once', async (t) => {
  await vies.setMode('fail');
  const { shopper } = await cartFor(store, newNumber());
  for (let read = 0; read < 12; read++) {
    await expireAll(store);
    t.equal(outcomeOf(await bodyOf(shopper.get('/cart')))[0], 'unavailable');
  }
  t.equal((await shopper.post('/checkout', { customer: { email } })).status, 201);
});

t.test('questions that are refused do not end those of others', async (t) => {
  for (const mode of ['busy', 'invalid-input']) {
    await vies.setMode('ok');
    // The circuit that the last test has opened.
    await new Promise((resolve) => setTimeout(resolve, 1100));
    await cartFor(store, newNumber());
    await vies.setMode(mode);
    for (let shopper = 0; shopper < 4; shopper++) {
      t.equal(outcomeOf((await cartFor(store, newNumber())).cart)[0], 'unavailable');
    }
    await vies.setMode('ok');
    t.strictSame(outcomeOf((await cartFor(store, newNumber())).cart), ['valid', 0, 11_900], mode);
  }
});

t.test('an answer with characters that cannot be stored is one', async (t) => {
  await vies.setMode('odd-texts');
  const { shopper, cart } = await cartFor(store, newNumber());
  t.strictSame(outcomeOf(cart), ['valid', 0, 11_900]);
  const { id } = await bodyOf(shopper.post('/checkout', { customer: { email } }));
  t.match(await bodyOf(box.staff.get(`/admin/orders/${id}`)), { taxNumberCheck: { name: 'SAS CAFE CREME' } });
});
