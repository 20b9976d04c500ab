import { newId } from '@carton/runtime';
import { eventsOf, eventTypesOf, exactly, payloadsOf } from '@carton/runtime/testing';
import t from 'tap';
import { openBox, pay, place, statusOf, timelineOf } from './helpers.ts';

const box = await openBox(t);

t.test('payments received offline pay the order in parts', async (t) => {
  const { id } = await place(box, 2500);
  const me = (await box.staff.get('/admin/me')).body;
  const first = await pay(box, id, 1000, { reference: 'Statement 12', note: 'First half' });
  t.match(first, {
    status: 201,
    body: {
      orderId: id,
      provider: 'offline',
      method: 'bank_transfer',
      status: 'captured',
      amount: { amount: 1000, currency: 'EUR' },
      reference: 'Statement 12',
      transactions: exactly([
        {
          type: 'capture',
          amount: { amount: 1000, currency: 'EUR' },
          note: 'First half',
          actor: { type: 'staff', id: me.id, label: box.email },
        },
      ]),
    },
  });
  t.equal(first.headers.get('location'), `/admin/payments/${first.body.id}`);
  t.equal(await statusOf(box, id), 'partially_paid');
  const second = await pay(box, id, 1500);
  t.match(second, { status: 201, body: { reference: null, transactions: exactly([{ note: null }]) } });
  t.equal(await statusOf(box, id), 'paid');
  t.strictSame(await timelineOf(box, id), [
    'Received 15.00 EUR by bank_transfer',
    'Received 10.00 EUR by bank_transfer',
    'Order placed',
  ]);
  t.strictSame(await payloadsOf(box, { resourceId: first.body.id, type: 'payment.captured' }), [
    { orderId: id, provider: 'offline', method: 'bank_transfer', amount: 1000, currency: 'EUR' },
  ]);
  t.strictSame(await eventTypesOf(box, first.body.id), ['payment.captured']);
  t.match(
    await eventsOf(box, id),
    exactly([
      { type: 'order.placed' },
      { type: 'order.updated', payload: { paymentStatus: 'partially_paid' } },
      { type: 'order.updated', payload: { paymentStatus: 'paid' } },
    ]),
  );
  t.strictSame((await box.staff.get(`/admin/payments/${first.body.id}`)).body, first.body);
});

t.test('more than is owed is refused, with the balance in the detail', async (t) => {
  const { id } = await place(box, 2500);
  const tooMuch = { status: 409, body: { code: 'payment_exceeds_balance' } };
  t.match(await pay(box, id, 2501), { ...tooMuch, body: { ...tooMuch.body, detail: '25.00 EUR is owed.' } });
  await pay(box, id, 2000);
  t.match(await pay(box, id, 501), { ...tooMuch, body: { ...tooMuch.body, detail: '5.00 EUR is owed.' } });
  t.match(await pay(box, id, Number.MAX_SAFE_INTEGER), tooMuch);
  await pay(box, id, 500);
  t.match(await pay(box, id, 1), tooMuch);
  const nothing = await place(box, 0);
  t.equal(nothing.paymentStatus, 'paid');
  t.match(await pay(box, nothing.id, 1), tooMuch);
  t.equal((await box.staff.get(`/admin/payments?orderId=${id}`)).body.items.length, 2);
});

t.test('a currency without minor units is shown without decimals', async (t) => {
  const { id } = await place(box, 1200, { currency: 'JPY' });
  await pay(box, id, 1200, { amount: { amount: 1200, currency: 'JPY' }, method: 'Cash' });
  t.equal((await timelineOf(box, id))[0], 'Received 1200 JPY by Cash');
});

t.test('of concurrent full payments, one succeeds', async (t) => {
  const { id } = await place(box, 2500);
  const responses = await Promise.all(Array.from({ length: 6 }, () => pay(box, id, 2500)));
  t.strictSame(responses.map(({ status }) => status).sort(), [201, 409, 409, 409, 409, 409]);
  t.equal(await statusOf(box, id), 'paid');
});

t.test('one Idempotency-Key records one payment', async (t) => {
  const { id } = await place(box, 2500);
  const headers = { 'idempotency-key': newId() };
  const body = { amount: { amount: 100, currency: 'EUR' }, method: 'cash' };
  const path = `/admin/orders/${id}/payments`;
  const [one, two] = await Promise.all([
    box.staff.post(path, body, { headers }),
    box.staff.post(path, body, { headers }),
  ]);
  t.strictSame([one.status, two.status], [201, 201]);
  t.equal(one.body.id, two.body.id);
  t.equal((await box.staff.get(`/admin/payments?orderId=${id}`)).body.items.length, 1);
});

t.test('an invalid payment is refused', async (t) => {
  const { id } = await place(box, 2500);
  const bodies: Record<string, unknown>[] = [
    { amount: 100 },
    { amount: { amount: 0, currency: 'EUR' } },
    { amount: { amount: -1, currency: 'EUR' } },
    { amount: { amount: 1.5, currency: 'EUR' } },
    { amount: { amount: 100, currency: 'EU' } },
    { amount: { amount: 100 } },
    { method: '' },
    { method: 'a'.repeat(101) },
    { reference: '' },
    { note: 'a'.repeat(1001) },
    { status: 'paid' },
  ];
  for (const more of bodies) {
    t.match(await pay(box, id, 100, more), { status: 400 }, JSON.stringify(more));
  }
  t.match(await pay(box, id, 100, { amount: { amount: 100, currency: 'USD' } }), {
    status: 400,
    body: { errors: exactly([{ pointer: '/amount/currency', detail: 'must be EUR' }]) },
  });
  t.equal(await statusOf(box, id), 'unpaid');
});

t.test('payments are listed newest first, filtered by order, status and provider', async (t) => {
  const tenant = await box.openTenant();
  const [one, two] = [await place(tenant, 500), await place(tenant, 500)];
  const ids: string[] = [];
  for (const order of [one, two, one]) ids.unshift((await pay(tenant, order.id, 100)).body.id);
  const [third, second, first] = ids;
  const cases: [string, unknown[]][] = [
    ['', [third, second, first]],
    [`?orderId=${one.id}`, [third, first]],
    [`?orderId=${newId()}`, []],
    ['?status=captured&provider=offline&limit=2', [third, second]],
    ['?status=pending', []],
    ['?provider=none', []],
  ];
  for (const [query, expected] of cases) {
    const { body } = await tenant.staff.get(`/admin/payments${query}`);
    t.strictSame(
      body.items.map(({ id }: { id: string }) => id),
      expected,
      query,
    );
  }
  t.match(await tenant.staff.get('/admin/payments?status=open'), { status: 400 });
});

t.test('canceling voids an unpaid order, and notes what must be paid back', async (t) => {
  const cases: [number, string, string[]][] = [
    [0, 'voided', ['Nothing was received, and nothing is owed any longer']],
    [1000, 'partially_paid', ['10.00 EUR was received and must be paid back']],
    [2500, 'paid', ['25.00 EUR was received and must be paid back']],
  ];
  for (const [received, expected, messages] of cases) {
    const { id } = await place(box, 2500);
    if (received > 0) await pay(box, id, received);
    const canceled = await box.staff.post(`/admin/orders/${id}/cancel`);
    t.match(canceled, { status: 200, body: { status: 'canceled', paymentStatus: expected } });
    t.strictSame((await timelineOf(box, id)).slice(0, 2), [...messages, 'Canceled']);
    t.match(await pay(box, id, 100), { status: 409, body: { code: 'order_already_canceled' } });
  }
  const free = await place(box, 0);
  t.match(await box.staff.post(`/admin/orders/${free.id}/cancel`), { body: { paymentStatus: 'paid' } });
});

t.test('a concurrent payment and cancellation agree on the state', async (t) => {
  for (let round = 0; round < 10; round++) {
    const { id } = await place(box, 2500);
    const [paid, canceled] = await Promise.all([pay(box, id, 2500), box.staff.post(`/admin/orders/${id}/cancel`)]);
    t.equal(canceled?.status, 200);
    t.equal(await statusOf(box, id), paid?.status === 201 ? 'paid' : 'voided');
  }
});
