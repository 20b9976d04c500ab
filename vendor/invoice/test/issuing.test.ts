/**
 * Invoices that staff issue: what is on them, and that they never change.
 */
import { newId } from '@carton/runtime';
import { bodyOf, exactly, payloadsOf, until } from '@carton/runtime/testing';
import t from 'tap';
import {
  credit,
  customer,
  draftOf,
  eur,
  issue,
  openBox,
  pay,
  place,
  placeTaxed,
  refund,
  seller,
  setInvoices,
  summaryOf,
} from './helpers.ts';

const box = await openBox(t);
const { staff } = box;

const dayAfter = (days: number, years = 0) => {
  const date = new Date();
  date.setUTCFullYear(date.getUTCFullYear() + years, date.getUTCMonth(), date.getUTCDate() + days);
  return date.toISOString().slice(0, 10);
};
const yesterday = dayAfter(-1);

t.test('an invoice has seller, buyer, lines, and the amounts of each rate', async (t) => {
  const order = await placeTaxed(box);
  const { status, body, headers } = await issue(box, order.id, { suppliedOn: yesterday, note: 'Paid in advance' });
  t.equal(status, 201);
  t.equal(headers.get('location'), `/admin/invoices/${body.id}`);
  const { id, issuedAt, updatedAt, issuedOn, lines, ...rest } = body;
  t.strictSame(rest, {
    number: 'INV-1',
    kind: 'invoice',
    taxExemption: null,
    orderId: order.id,
    orderNumber: order.number,
    invoiceId: null,
    refundId: null,
    addsTo: null,
    currency: 'EUR',
    suppliedOn: yesterday,
    totals: { net: eur(3466), tax: eur(658), gross: eur(4124), credit: eur(0), rounding: eur(0), total: eur(4124) },
    credited: eur(0),
    locale: 'en',
    seller: {
      legalName: 'Demo Store SAS',
      address: ['12 Rue des Lilas', '69003 Lyon'],
      vatNumber: 'FR40303265045',
      registrationNumber: 'RCS Lyon 303 265 045',
      note: null,
    },
    buyer: {
      name: 'Ada Lovelace',
      email: 'ada@example.com',
      address: ['Ada Lovelace', '1 Way', 'LYON', 'France'],
      vatNumber: null,
    },
    delivery: [],
    paid: null,
    reason: null,
    note: 'Paid in advance',
    taxGroups: [
      {
        taxes: [{ code: 'vat', label: 'VAT', rate: 19, included: false, amount: eur(578) }],
        net: eur(3046),
        tax: eur(578),
        gross: eur(3624),
      },
      {
        taxes: [{ code: 'vat', label: 'VAT', rate: 19, included: true, amount: eur(80) }],
        net: eur(420),
        tax: eur(80),
        gross: eur(500),
      },
    ],
  });
  t.equal(issuedOn, issuedAt.slice(0, 10));
  const sums = (net: number, tax: number) => ({ net: eur(net), tax: eur(tax), gross: eur(net + tax) });
  t.match(
    lines,
    exactly([
      { title: 'Shirt', quantity: 3, unitPrice: eur(1000), discount: eur(-100), ...sums(2900, 551) },
      { title: 'Socks', quantity: 1, unitPrice: eur(500), discount: eur(0), ...sums(420, 80) },
      { title: 'Standard', shippingCode: 'standard', lineItemId: null, unitPrice: null, ...sums(146, 27) },
    ]),
  );
  t.strictSame((await staff.get(`/admin/invoices/${id}`)).body, body);
  const timeline = (await staff.get(`/admin/orders/${order.id}/timeline`)).body.items;
  t.match(timeline[0], { type: 'invoice', label: 'Invoice', message: 'Invoice INV-1 of €41.24 was issued' });
  const payloads = await payloadsOf(box, { resourceId: id, type: 'invoice.issued' });
  const payload = { number: 'INV-1', kind: 'invoice', orderId: order.id, invoiceId: null, currency: 'EUR' };
  t.strictSame(payloads, [{ ...payload, totalAmount: 4124 }]);
});

t.test('an invoice never changes: not with the store, not with the order, and not in the database', async (t) => {
  const order = await placeTaxed(box);
  const { id } = (await issue(box, order.id)).body;
  const before = (await staff.get(`/admin/invoices/${id}`)).body;
  await setInvoices(box, { legalName: 'Another SA', address: 'Elsewhere', vatNumber: null, note: 'New' });
  await bodyOf(staff.patch('/admin/store', { name: 'Another store', timeZone: 'Asia/Tokyo' }));
  await bodyOf(staff.patch(`/admin/orders/${order.id}`, { customer: { name: 'Grace', address: 'Arlington' } }));
  t.strictSame((await staff.get(`/admin/invoices/${id}`)).body, before);
  await bodyOf(staff.patch('/admin/store', { name: 'Demo', timeZone: 'UTC' }));
  await setInvoices(box, { ...seller, note: null });
  for (const db of [box.db, box.owner]) {
    const where = `tenant_id = ${db === box.db ? '$1' : `'${box.id}'`} and id = '${id}'`;
    await t.rejects(db.query(`update invoices set total_amount = 1 where ${where}`), { code: '23001' });
    await t.rejects(db.query(`update invoices set content = '{}' where ${where}`), { code: '23001' });
    await t.rejects(db.query(`update invoices set updated_at = now() where ${where}`), { code: '23001' });
    await t.rejects(db.query(`delete from invoices where ${where}`), { code: '23001' });
  }
  t.strictSame((await staff.get(`/admin/invoices/${id}`)).body, before);
});

t.test('an invoice names one buyer: of the billing address, else the customer', async (t) => {
  const home = { name: 'Erika Muster', line1: 'Weg 1', postalCode: '10115', city: 'Berlin', country: 'DE' };
  const office = { ...home, name: 'Max Buchhalter', company: 'Firma Müller GmbH' };
  const place = (billing: object | null, address: object = home) =>
    placeTaxed(box, { customer: { email: 'erika@example.com', name: 'Erika Muster', address, billing } as never });
  const lines = ['Weg 1', '10115 Berlin', 'Germany'];
  const company = ['Firma Müller GmbH', ...lines];
  const names = async (order: { id: string }, body?: object) => {
    const { id, buyer } = await bodyOf(issue(box, order.id, body));
    const note = await bodyOf(credit(box, id, { reason: 'Returned' }));
    t.strictSame(note.buyer, buyer, 'the credit note has the same buyer');
    return [buyer.name, buyer.address];
  };
  t.strictSame(await names(await place(office)), ['Max Buchhalter', ['Max Buchhalter', ...company]]);
  const { name: _, ...nameless } = office;
  t.strictSame(await names(await place(nameless)), ['Erika Muster', company]);
  t.strictSame(await names(await place(null, office)), ['Max Buchhalter', ['Max Buchhalter', ...company]]);
  const replaced = { buyer: { name: 'Grace Hopper' } };
  t.strictSame(await names(await place(office), replaced), ['Grace Hopper', ['Grace Hopper', ...company]]);
});

t.test('what tax law no longer requires may be deleted, not changed', async (t) => {
  const order = await placeTaxed(box);
  const { id } = (await issue(box, order.id)).body;
  const year = new Date().getUTCFullYear();
  const copyAt = async (time: string) => {
    const copy = newId();
    await box.owner.query(
      `insert into invoices select (jsonb_populate_record(invoices, jsonb_build_object(
         'id', $2::uuid, 'number', 'OLD-' || $3, 'series', 'OLD-' || $3, 'created_at', $3::timestamptz))).*
         from invoices where id = $1`,
      [id, copy, time],
    );
    return copy;
  };
  const [kept, expired] = [await copyAt(`${year - 10}-01-01T00:00:00Z`), await copyAt(`${year - 11}-12-31T23:59:59Z`)];
  const remove = (invoice: string) => box.owner.query('delete from invoices where id = $1', [invoice]);
  await t.rejects(remove(kept), { code: '23001' });
  await t.rejects(box.owner.query('update invoices set number = number where id = $1', [expired]), { code: '23001' });
  await remove(expired);
  t.equal((await staff.get(`/admin/invoices/${expired}`)).status, 404);
});

t.test('an order has one invoice, and none without a seller or after its cancellation', async (t) => {
  const order = await placeTaxed(box);
  t.equal((await issue(box, order.id)).status, 201);
  t.match(await issue(box, order.id), { status: 409, body: { code: 'invoice_already_issued' } });
  t.strictSame(await summaryOf(box, order.id), ['invoice 3466 + 658 = 4124']);
  t.match(await issue(box, newId()), { status: 404, body: { code: 'not_found' } });
  const other = await placeTaxed(box);
  for (const missing of ['legalName', 'address']) {
    await setInvoices(box, { [missing]: null });
    t.match(await issue(box, other.id), { status: 409, body: { code: 'invoice_seller_incomplete' } }, missing);
    await setInvoices(box, seller);
    const changed = await staff.patch('/admin/store', { [missing]: ' \u3000\u200b ' });
    t.match(changed, { status: 200, body: { [missing]: null } }, 'a blank text is none');
    t.match(await issue(box, other.id), { status: 409, body: { code: 'invoice_seller_incomplete' } }, missing);
    await setInvoices(box, seller);
  }
  const columns = 'legal_name = $2, address = $2';
  await box.db.query(`update stores set ${columns} where tenant_id = $1`, ['  ']);
  t.match(await issue(box, other.id), { status: 409, body: { code: 'invoice_seller_incomplete' } }, 'of before');
  await setInvoices(box, seller);
  await bodyOf(staff.post(`/admin/orders/${other.id}/cancel`));
  t.match(await issue(box, other.id), { status: 409, body: { code: 'invoice_not_possible' } });
  t.strictSame(await summaryOf(box, other.id), []);
});

t.test('each prefix has a series of its own from 1', async (t) => {
  const numbers: string[] = [];
  const next = async () => {
    const order = await placeTaxed(box);
    const { id, number } = (await issue(box, order.id)).body;
    numbers.push(number, (await credit(box, id)).body.number);
  };
  await setInvoices(box, { prefix: '2026-', creditNotePrefix: 'C2026-' });
  await next();
  await next();
  await setInvoices(box, { prefix: '2027/', creditNotePrefix: '2027/' });
  await next();
  await next();
  await setInvoices(box, { prefix: '2026-', creditNotePrefix: '' });
  await next();
  await setInvoices(box, { prefix: 'INV-', creditNotePrefix: 'CN-' });
  t.strictSame(numbers, [
    '2026-1',
    'C2026-1',
    '2026-2',
    'C2026-2',
    '2027/1',
    '2027/2',
    '2027/3',
    '2027/4',
    '2026-3',
    '1',
  ]);
  t.equal((await staff.patch('/admin/store', { settings: { invoice: { prefix: 'INV-1' } } })).status, 400);
});

t.test('staff replace the buyer, and the invoice that they have credited in full', async (t) => {
  const order = await placeTaxed(box);
  const first = (await issue(box, order.id)).body;
  t.equal((await credit(box, first.id, { reason: 'Wrong buyer' })).status, 201);
  const buyer = { name: 'Analytical Engines Ltd', address: '12 St James Square\nLondon', vatNumber: 'GB980780684' };
  const { status, body } = await issue(box, order.id, { buyer });
  t.equal(status, 201);
  t.match(body, {
    buyer: { ...buyer, email: customer.email, address: exactly(['12 St James Square', 'London']) },
    delivery: exactly(['Ada Lovelace', '1 Way', 'LYON', 'France']),
  });
  t.match(await issue(box, order.id), { status: 409, body: { code: 'invoice_already_issued' } });
  t.strictSame(await summaryOf(box, order.id), [
    'invoice 3466 + 658 = 4124',
    'credit_note 3466 + 658 = 4124',
    'invoice 3466 + 658 = 4124',
  ]);
  await credit(box, body.id);
  const payment = await pay(box, order.id, 4124);
  await refund(box, payment, { amount: eur(100) });
  t.match(await issue(box, order.id), { status: 409, body: { code: 'invoice_not_possible' } });
});

t.test('lists are filtered by order, number, kind and time', async (t) => {
  const tenant = await box.openTenant();
  await setInvoices(tenant, seller);
  const orders = [await placeTaxed(tenant), await placeTaxed(tenant)] as const;
  const [first, second] = [(await issue(tenant, orders[0].id)).body, (await issue(tenant, orders[1].id)).body];
  const note = (await credit(tenant, first.id)).body;
  const numbers = async (query: string) => {
    const { items } = await bodyOf(tenant.staff.get(`/admin/invoices?${query}`));
    return items.map(({ number }: { number: string }) => number);
  };
  t.strictSame(await numbers(''), ['CN-1', 'INV-2', 'INV-1']);
  t.strictSame(await numbers(`orderId=${orders[0].id}`), ['CN-1', 'INV-1']);
  t.strictSame(await numbers('number=INV-2'), ['INV-2']);
  t.strictSame(await numbers('kind=credit_note'), ['CN-1']);
  t.strictSame(await numbers(`issuedFrom=${second.issuedAt}`), ['CN-1', 'INV-2']);
  t.strictSame(await numbers(`issuedTo=${second.issuedAt}&kind=invoice`), ['INV-1']);
  // Open transactions of other work delay what incremental reads show.
  const changed = await until(
    () => numbers('updatedAfter=2026-01-01T00:00:00Z'),
    (found) => found.length === 3,
  );
  t.strictSame(changed.sort(), ['CN-1', 'INV-1', 'INV-2']);
  t.equal((await box.staff.get(`/admin/invoices/${note.id}`)).status, 404, 'another store has its own');
  const summary = (await tenant.staff.get('/admin/invoices?number=CN-1')).body.items[0];
  t.strictSame([summary.lines, summary.buyer], [undefined, undefined]);
});

t.test('credits of the order reduce what is to be paid, not the taxed amounts', async (t) => {
  const tax = { kind: 'tax', code: 'vat', label: 'VAT', rate: 19, amount: 190 } as const;
  const order = await place(
    box,
    draftOf(890, {
      lines: [{ ...(draftOf(1000).lines[0] as object), totalAmount: 1000, unitAmount: 1000 } as never],
      adjustments: [tax, { kind: 'credit', code: 'bonus', label: 'Bonus', amount: -300 }],
      totals: { subtotal: 1000, discount: 0, shipping: 0, tax: 190, credit: -300, total: 890 },
    }),
  );
  const { id, totals } = (await issue(box, order.id)).body;
  const rounding = eur(0);
  t.strictSame(totals, {
    net: eur(1000),
    tax: eur(190),
    gross: eur(1190),
    credit: eur(-300),
    rounding,
    total: eur(890),
  });
  const half = (await credit(box, id, { amount: eur(445) })).body.totals;
  t.strictSame(half, { net: eur(500), tax: eur(95), gross: eur(595), credit: eur(-150), rounding, total: eur(445) });
  t.strictSame((await credit(box, id)).body.totals, half);
});

t.test('a day of supply that cannot be meant is refused', async (t) => {
  await bodyOf(staff.patch('/admin/store', { timeZone: 'Etc/GMT-14' }));
  // In this zone tomorrow may be the day after tomorrow in UTC.
  const dayThere = (days: number, years = 0) => dayAfter(days + (new Date().getUTCHours() >= 10 ? 1 : 0), years);
  const order = await placeTaxed(box);
  const detail = `must be from ${dayThere(0, -1)}, a year before the day of the order, to ${dayThere(1)}, tomorrow in the time zone of the store`;
  const errors = [{ in: 'body', pointer: '/suppliedOn', detail }];
  for (const suppliedOn of ['2099-01-01', dayThere(2), dayThere(-1, -1), '1999-12-31']) {
    const refused = await issue(box, order.id, { suppliedOn });
    t.equal(refused.status, 400, suppliedOn);
    t.strictSame(refused.body.errors, errors);
  }
  t.match(await issue(box, order.id, { suppliedOn: dayThere(1) }), { status: 201 });
  t.match(await issue(box, (await placeTaxed(box)).id, { suppliedOn: dayThere(0, -1) }), { status: 201 });
  await bodyOf(staff.patch('/admin/store', { timeZone: 'UTC' }));
});

t.test(
  'what leaves the European Union says why it has no tax: goods as an export, services as not subject',
  async (t) => {
    const to = (country: string, postalCode: string) => ({
      ...customer,
      address: { name: 'Ada', line1: '1 Way', city: 'There', postalCode, country },
    });
    const noteOf = async (country: string, postalCode: string, requiresShipping: boolean) => {
      const draft = draftOf(1000, { customer: to(country, postalCode), adjustments: [] });
      const lines = draft.lines.map((line) => ({ ...line, requiresShipping }));
      const order = await place(box, { ...draft, lines });
      const { id } = await bodyOf(issue(box, order.id));
      const { body: page } = await box.visitor().get(`/checkout/${order.id}/invoice`);
      const { status, body: xml } = await staff.get(`/admin/invoices/${id}/files/ubl`);
      const [, category] = /<cac:TaxCategory>\s*<cbc:ID>(\w+)</.exec(String(xml)) ?? [];
      return [/<section class="note"><p>([^<]*)/.exec(String(page))?.[1] ?? null, status === 200 ? category : status];
    };
    const exported = 'Export exempt from VAT (Article 146 of Directive 2006/112/EC)';
    t.strictSame(await noteOf('CH', '8001', true), [exported, 'G']);
    t.strictSame(await noteOf('ES', '35001', true), [exported, 'G']);
    t.strictSame(await noteOf('CH', '8001', false), ['Not subject to VAT: supplied outside the European Union', 'O']);
    t.strictSame(await noteOf('ES', '28080', true), [null, 409]);
  },
);
