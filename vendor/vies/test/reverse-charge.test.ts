/**
 * Sales to businesses of other EU countries: which have no tax, what is proved of the buyer, and what the invoice says.
 */
import { bodyOf, exactly } from '@carton/runtime/testing';
import { unknownNumbers } from '@carton/vies/testing';
import t from 'tap';
import { addressIn, cartFor, email, french, openStore, outcomeOf } from './businesses.ts';

const store = await openStore(t);
const { box, vies, lamp, manual } = store;
const { staff } = box;
const exempt = ['valid', 0, 11_900];
const [unknown] = unknownNumbers as [string];

t.test('a business in France gets goods of a German store without tax, and the invoice that says why', async (t) => {
  const { shopper, cart } = await cartFor(store, french);
  t.strictSame(outcomeOf(cart), exempt);
  const order = await bodyOf(shopper.post('/checkout', { customer: { email }, expectedTotal: cart.totals.total }));
  t.match(order, { taxExemption: 'intra_community', totals: { tax: { amount: 0 } }, taxLines: exactly([]) });
  t.notOk('taxNumberCheck' in order, 'what the service said is for staff');
  const seen = await bodyOf(staff.get(`/admin/orders/${order.id}`));
  t.match(seen.taxNumberCheck, {
    ...{ status: 'valid', provider: 'vies', requestIdentifier: /^WAPI/, name: 'SAS CAFE CREME' },
    checkedAt: /^\d{4}-/,
  });
  const invoice = await bodyOf(staff.post(`/admin/orders/${order.id}/invoices`, {}));
  t.match(invoice, { buyer: { vatNumber: french }, taxExemption: 'intra_community', totals: { tax: { amount: 0 } } });
  const stored = 'select content from invoices where tenant_id = $1 and id = $2';
  const [row] = await box.db.query<{ content: object }>(stored, [invoice.id]);
  t.match(row?.content, { buyer: { taxNumber: french }, taxExemption: 'intra_community' });
  const page = async (caller: typeof shopper) => String((await caller.get(`/checkout/${order.id}/invoice`)).body);
  t.match(await page(shopper), /Article 138 of Directive 2006\/112\/EC/);
  t.match(await page(shopper), french);
  t.notMatch(await page(box.shopper()), french, 'masked for others');
  const items = [{ lineItemId: order.items[0].id, quantity: 1 }];
  const note = await bodyOf(staff.post(`/admin/invoices/${invoice.id}/credit-notes`, { reason: 'Broken', items }));
  t.match(note, { taxExemption: 'intra_community', buyer: { vatNumber: french } });
});

t.test('a number that is not valid, or was not proved, saves nothing and hinders nothing', async (t) => {
  const cases: [number: string | null, mode: string, status: string | null][] = [
    [null, 'ok', null],
    [unknown, 'ok', 'invalid'],
    ['ESB58378431', 'ok', 'unavailable'],
    ['GB802311782', 'ok', 'unchecked'],
    ['12-3456789', 'ok', 'unchecked'],
    ['FR83404833048', 'ok', 'invalid'],
    ['ATU33864707', 'fail', 'unavailable'],
    ['NL123456782B90', 'unreadable', 'unavailable'],
    ['BE0411905847', 'other-number', 'unavailable'],
  ];
  for (const [number, mode, status] of cases) {
    await vies.setMode(mode);
    const { shopper, cart } = await cartFor(store, number);
    t.strictSame(outcomeOf(cart), [status, 2380, 14_280], `${number} ${mode}`);
    const order = await bodyOf(shopper.post('/checkout', { customer: { email } }));
    t.match(order, { taxExemption: null, totals: { tax: { amount: 2380 } } });
    const { taxNumberCheck } = await bodyOf(staff.get(`/admin/orders/${order.id}`));
    const isAsked = status === 'invalid' || status === 'unavailable';
    t.equal(taxNumberCheck?.status ?? null, isAsked ? status : null, 'staff see it with the order');
  }
});

t.test('a service that is slow costs the order its time, and no more', async (t) => {
  await vies.setMode('slow');
  const began = Date.now();
  const { cart } = await cartFor(store, 'IT00743110157');
  t.ok(Date.now() - began < 5000);
  t.strictSame(outcomeOf(cart), ['unavailable', 2380, 14_280]);
});

t.test('the goods must leave the country of the store for another in the EU', async (t) => {
  const german = 'DE136695976';
  const outcomes: [number: string, country: string, exemption: string | null][] = [
    [french, 'FR', 'intra_community'],
    [french, 'AT', 'intra_community'],
    [french, 'DE', null],
    [french, 'CH', null],
    [french, 'GB', null],
    [german, 'FR', null],
    [german, 'DE', null],
    ['XI802311782', 'FR', 'intra_community'],
  ];
  for (const [number, country, exemption] of outcomes) {
    const postalCode = country === 'GB' ? 'SW1A 1AA' : '10115';
    const { shopper } = await cartFor(store, number, { address: addressIn(country, postalCode) });
    const order = await bodyOf(shopper.post('/checkout', { customer: { email } }));
    t.equal(order.taxExemption, exemption, `${number} in ${country}`);
    t.equal(order.totals.tax.amount === 0, exemption !== null);
  }
  const belfast = addressIn('GB', 'BT9 5AB');
  const { shopper } = await cartFor(store, 'XI802311782', { address: belfast });
  t.equal((await bodyOf(shopper.post('/checkout', { customer: { email } }))).taxExemption, 'intra_community');
});

t.test('of what needs no parcel the buyer owes the tax, wherever it goes', async (t) => {
  const { shopper } = await cartFor(store, french, { items: [manual], address: addressIn('DE') });
  const order = await bodyOf(shopper.post('/checkout', { customer: { email } }));
  t.match(order, { taxExemption: 'reverse_charge', totals: { tax: { amount: 0 } } });
  const { shopper: northern } = await cartFor(store, 'XI802311782', { items: [manual] });
  t.equal((await bodyOf(northern.post('/checkout', { customer: { email } }))).taxExemption, null, 'XI is for goods');
  const { shopper: both } = await cartFor(store, french, { items: [lamp, manual] });
  t.equal((await bodyOf(both.post('/checkout', { customer: { email } }))).taxExemption, 'intra_community');
});

t.test('nobody is asked in a store that does not sell without tax, or that is not in the EU', async (t) => {
  const settings = (reverseCharge: boolean) => ({ settings: { tax: { reverseCharge } } });
  await bodyOf(staff.patch('/admin/store', settings(false)));
  t.strictSame(outcomeOf((await cartFor(store, 'PL8567346215')).cart), ['unchecked', 2380, 14_280]);
  t.equal((await vies.state()).calls, 0);
  await bodyOf(staff.patch('/admin/store', { ...settings(true), country: 'CH' }));
  t.strictSame(outcomeOf((await cartFor(store, french)).cart).slice(1), [2380, 14_280]);
  await bodyOf(staff.patch('/admin/store', { country: 'DE' }));
});

t.test('a number is asked about once a day, and once after each change', async (t) => {
  const { shopper } = await cartFor(store, 'DK13585628');
  await bodyOf(shopper.get('/cart'));
  await bodyOf(shopper.post('/checkout', { customer: { email } }));
  await cartFor(store, 'dk 13 58 56 28');
  t.equal((await vies.state()).calls, 1);
  const expired = "update tax_number_checks set expires_at = now() - interval '1 second' where tenant_id = $1";
  await box.db.query(expired);
  await cartFor(store, 'DK13585628');
  t.equal((await vies.state()).calls, 2);
});

t.test('a number that changes while another is proved has the proof of its own', async (t) => {
  await box.db.query('delete from tax_number_checks where tenant_id = $1');
  const { shopper } = await cartFor(store, null);
  await vies.setMode('hold');
  const first = shopper.patch('/cart', { taxNumber: french });
  while ((await vies.state()).held === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  const second = shopper.patch('/cart', { taxNumber: unknown });
  while ((await vies.state()).held === 1) await new Promise((resolve) => setTimeout(resolve, 10));
  await vies.setMode('ok');
  await Promise.all([first, second]);
  t.strictSame(outcomeOf(await bodyOf(shopper.get('/cart'))), ['invalid', 2380, 14_280]);
  const order = await bodyOf(shopper.post('/checkout', { customer: { email } }));
  t.match(order, { taxExemption: null, customer: { taxNumber: unknown } });
});

t.test('a number that is sent with the order is proved before it', async (t) => {
  const { shopper } = await cartFor(store, null);
  const order = await bodyOf(shopper.post('/checkout', { customer: { email, taxNumber: 'SE556188840401' } }));
  t.match(order, { taxExemption: 'intra_community', totals: { tax: { amount: 0 } } });
});

t.test('who tries many numbers has to wait', async (t) => {
  const { shopper } = await cartFor(store, null);
  const statuses = new Set<number>();
  for (let at = 0; at < 12; at++) {
    statuses.add((await shopper.patch('/cart', { taxNumber: at % 2 === 0 ? french : unknown })).status);
  }
  t.strictSame([...statuses], [200, 429]);
});
