import { createOrder, findOrder } from '@carton/order';
import { isUniqueViolation, newId } from '@carton/runtime';
import { eventsOf, eventTypesOf, exactly, payloadsOf } from '@carton/runtime/testing';
import t from 'tap';
import { draftOf, openBox, place } from '../testing/index.ts';

const box = await openBox(t);
const { db } = box;

t.test('the order returned from a draft equals the stored one', async (t) => {
  const drafts = [
    draftOf(),
    draftOf({
      memberId: newId(),
      sessionHash: null,
      customer: {
        email: 'Ada@Example.com',
        name: 'Ada Lovelace',
        phone: '+33 1 23',
        address: '1 Main Street, 75001 Paris',
        billing: { line1: '2 Side Street', city: 'Paris', line2: null, 'Étage "3"': '\\ \u2028 ✓' },
      },
      notes: '',
      attribution: { channel: 'web', utmSource: 'newsletter', referrer: 'https://blog.example/?a="b"' },
      metadata: { channel: 'phone', tags: ['a', 'b'], nested: { yes: true } },
      lines: draftOf().lines.map((line, index) => ({ ...line, lineId: `line ${index}` })),
      adjustments: [
        {
          kind: 'discount',
          code: 'SPRING',
          label: 'Spring sale',
          amount: -200,
          lineId: 'line 1',
          source: { type: 'promotion', id: 'spring' },
        },
        { kind: 'tax', code: 'vat', label: 'VAT', rate: 19.5, amount: 400, included: true, lineId: 'line 0' },
        { kind: 'shipping', code: 'standard', label: 'Standard', amount: 490 },
        {
          kind: 'tax',
          code: 'levy',
          label: 'Levy',
          amount: 10,
          shippingCode: 'standard',
          source: { type: 'tax_rate', id: '7' },
        },
        { kind: 'credit', code: 'gift', label: 'Gift card', amount: -100 },
      ],
      totals: { subtotal: 2550, discount: -200, shipping: 490, tax: 410, credit: -100, total: 2750 },
    }),
    draftOf({ cartId: null, currency: 'JPY', paymentStatus: 'authorized' }),
    draftOf({ pendingUntil: new Date(Date.now() + 3_600_000) }),
  ];
  const placed: string[] = [];
  for (const draft of drafts) {
    const order = await db.transaction((tx) => createOrder(tx, draft));
    t.strictSame(await findOrder(db, order.id), order);
    placed.push(order.id);
    const status = draft.pendingUntil ? 'pending' : 'placed';
    t.match(order, { number: draft.number, status, fulfillmentStatus: 'unfulfilled' });
    t.strictSame(
      order.items.map(({ title }) => title),
      ['Linen shirt', 'Socks'],
    );
    t.strictSame(await eventTypesOf(box, order.id), [draft.pendingUntil ? 'order.held' : 'order.placed']);
    t.match(await payloadsOf(box, order.id), exactly([{ number: draft.number, status }]));
    const { body } = await box.staff.get(`/admin/orders/${order.id}`);
    const { sessionHash, cartId, wasPlaced, ...shown } = order;
    t.strictSame(body, shown, 'the response has everything except the session and where it comes from');
  }
  const detailed = await findOrder(db, placed[1] as string);
  const [first, second] = detailed?.items ?? [];
  t.match(
    detailed?.adjustments,
    exactly([
      {
        itemId: second?.id,
        kind: 'discount',
        amount: { amount: -200, currency: 'EUR' },
        source: { type: 'promotion', id: 'spring' },
        shippingCode: null,
      },
      { itemId: null, kind: 'shipping', source: null },
      { itemId: null, kind: 'credit' },
    ]),
  );
  t.match(
    detailed?.taxLines,
    exactly([
      { itemId: first?.id, rate: 19.5, included: true, source: null },
      {
        itemId: null,
        rate: null,
        included: false,
        shippingCode: 'standard',
        source: { type: 'tax_rate', id: '7' },
      },
    ]),
  );
  const adjustments = [{ kind: 'discount' as const, code: 'X', label: 'X', amount: -1, lineId: 'unknown' }];
  await t.rejects(place(box, { adjustments }), /refers to the unknown line unknown/);
});

t.test('an order takes one statement, and a later failure in the transaction rolls it back', async (t) => {
  const draft = draftOf();
  const id = newId();
  let statements = 0;
  const work = db.transaction((tx) => {
    const query = tx.query.bind(tx);
    tx.query = (async (text: string, values: unknown[]) => {
      statements++;
      return query(text, values);
    }) as never;
    return createOrder(tx, { ...draft, id }).then((order) => {
      t.equal(order.id, id);
      throw new Error('later');
    });
  });
  await t.rejects(work, { message: 'later' });
  t.equal(statements, 1);
  t.equal(await findOrder(db, id), null);
  t.strictSame(await eventTypesOf(box, id), []);
});

t.test('the event describes the order without personal data', async (t) => {
  const order = await place(box);
  const [event] = await eventsOf(box, order.id);
  t.strictSame(event, {
    id: event?.id,
    type: 'order.placed',
    resource: { type: 'order', id: order.id },
    createdAt: order.createdAt,
    payload: {
      number: order.number,
      status: 'placed',
      paymentStatus: 'unpaid',
      fulfillmentStatus: 'unfulfilled',
      currency: 'EUR',
      totalAmount: 2550,
      memberId: null,
    },
  });
});

t.test('an order with a total of zero is paid', async (t) => {
  const totals = { subtotal: 2550, discount: -2550, shipping: 0, tax: 0, credit: 0, total: 0 };
  t.equal((await place(box, { totals })).paymentStatus, 'paid');
});

t.test('a cart becomes at most one order and numbers are unique, per tenant', async (t) => {
  const other = await box.openTenant();
  const { number, cartId } = draftOf();
  const both = await Promise.allSettled([place(box, { cartId }), place(box, { cartId })]);
  t.equal(both.filter(({ status }) => status === 'fulfilled').length, 1);
  const { reason } = both.find(({ status }) => status === 'rejected') as PromiseRejectedResult;
  t.ok(isUniqueViolation(reason, 'orders_cart'));
  await place(box, { number });
  const again = await place(box, { number }).catch((error) => error);
  t.ok(isUniqueViolation(again, 'orders_number'));
  const foreign = await place(other, { number, cartId });
  t.equal((await findOrder(other.db, foreign.id))?.cartId, cartId);
  t.equal(await findOrder(db, foreign.id), null, "another tenant's order is not found");
});
