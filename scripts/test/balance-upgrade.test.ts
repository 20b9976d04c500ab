/**
 * Starts the database of release 0.2.0 with this one: orders have the balance, the payment status and the refunds that
 * the README of payment says, at once and in lists. What the former release writes beside the new schema is read like
 * everything else.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type PaymentAdapter, paymentAdapters } from '@carton/payment';
import { TestProvider } from '@carton/payment/testing';
import { bodyOf, createTestBox } from '@carton/runtime/testing';
import t from 'tap';
import { kindsOfMigrations } from '../../tools/packages/additive.ts';
import { reconcile } from '../../vendor/payment/reconcile.ts';
import {
  type FormerOrder,
  startUpgraded,
  undoLaterMigrations,
  type WrittenOrder,
  writeFormerOrder,
} from './support/former-schema.ts';

const former = await createTestBox(t, { idleJobs: true });
const run = (text: string, values: unknown[]) => former.owner.query(text, values);
const excess = 'Nothing more was owed';
const card = (captured: number) => ({ amount: 3000, provider: 'test', captured });

interface Expected {
  balance: number;
  paymentStatus: string;
  /** What the refund of all remaining units comes to, or the code of the problem. */
  left?: number | string;
}

/** The cases of the table in the README, and what else release 0.2.0 could leave behind. */
const cases: [name: string, order: FormerOrder, expected: Expected][] = [
  ['placed', {}, { balance: 3000, paymentStatus: 'unpaid' }],
  ['authorized', { payments: [{ ...card(0), status: 'authorized' }] }, { balance: 3000, paymentStatus: 'authorized' }],
  ['voided', { payments: [{ ...card(0), status: 'voided' }] }, { balance: 3000, paymentStatus: 'voided' }],
  ['paid in part', { payments: [{ amount: 1000 }] }, { balance: 2000, paymentStatus: 'partially_paid' }],
  ['paid', { payments: [{ amount: 3000 }] }, { balance: 0, paymentStatus: 'paid', left: 3000 }],
  [
    'a third refunded, by units',
    { payments: [{ amount: 3000 }], refunds: [{ amount: 1000, units: 1 }] },
    { balance: 0, paymentStatus: 'partially_refunded', left: 2000 },
  ],
  [
    'a third refunded, by amount',
    { payments: [{ amount: 3000 }], refunds: [{ amount: 1000 }] },
    { balance: 0, paymentStatus: 'partially_refunded', left: 2000 },
  ],
  [
    'a refund of a third that failed',
    { payments: [{ amount: 3000 }], refunds: [{ amount: 1000, units: 1, status: 'failed' }] },
    { balance: 0, paymentStatus: 'paid', left: 3000 },
  ],
  [
    'all refunded, by units',
    { payments: [{ amount: 3000 }], refunds: [{ amount: 3000, units: 3 }] },
    { balance: 0, paymentStatus: 'refunded', left: 'payment_step_not_possible' },
  ],
  [
    'all refunded, by amount',
    { payments: [{ amount: 3000 }], refunds: [{ amount: 3000 }] },
    { balance: 0, paymentStatus: 'refunded', left: 0 },
  ],
  [
    'paid in part, part of that refunded',
    { payments: [{ amount: 2000 }], refunds: [{ amount: 1000, units: 1 }] },
    { balance: 1000, paymentStatus: 'partially_refunded' },
  ],
  [
    'paid in part, all of that refunded',
    { payments: [{ amount: 1000 }], refunds: [{ amount: 1000 }] },
    { balance: 2000, paymentStatus: 'refunded' },
  ],
  [
    'paid twice',
    { payments: [{ amount: 3000 }, { amount: 3000 }] },
    { balance: -3000, paymentStatus: 'paid', left: 3000 },
  ],
  [
    'paid twice, one returned by the box',
    { payments: [{ amount: 3000 }, card(3000)], refunds: [{ amount: 3000, of: 1, reason: excess }] },
    { balance: 0, paymentStatus: 'paid', left: 3000 },
  ],
  [
    'paid twice, one returned by staff',
    { payments: [{ amount: 3000 }, { amount: 3000 }], refunds: [{ amount: 3000, of: 1 }] },
    { balance: 0, paymentStatus: 'paid', left: 3000 },
  ],
  [
    'paid twice, one returned, then a third refunded by units',
    {
      payments: [{ amount: 3000 }, card(3000)],
      refunds: [
        { amount: 3000, of: 1, reason: excess },
        { amount: 1000, units: 1 },
      ],
    },
    { balance: 0, paymentStatus: 'partially_refunded', left: 2000 },
  ],
  [
    'paid twice, one returned, then a third refunded by amount',
    {
      payments: [{ amount: 3000 }, card(3000)],
      refunds: [{ amount: 3000, of: 1, reason: excess }, { amount: 1000 }],
    },
    { balance: 0, paymentStatus: 'partially_refunded', left: 2000 },
  ],
  [
    'a third refunded by units, then paid again',
    { payments: [{ amount: 3000 }, { amount: 1000 }], refunds: [{ amount: 1000, units: 1 }] },
    { balance: -1000, paymentStatus: 'partially_refunded', left: 2000 },
  ],
  [
    'all refunded by units, then paid again',
    { payments: [{ amount: 3000 }, { amount: 3000 }], refunds: [{ amount: 3000, units: 3 }] },
    { balance: -3000, paymentStatus: 'refunded', left: 'already_refunded' },
  ],
  ['canceled unpaid', { canceled: true }, { balance: 0, paymentStatus: 'voided' }],
  [
    'canceled, not refunded yet',
    { payments: [{ amount: 3000 }], canceled: true },
    { balance: -3000, paymentStatus: 'paid', left: 3000 },
  ],
  [
    'canceled and refunded',
    { payments: [{ amount: 3000 }], refunds: [{ amount: 3000, reason: 'The order was canceled' }], canceled: true },
    { balance: 0, paymentStatus: 'refunded', left: 'payment_step_not_possible' },
  ],
  [
    'an excess returned, and the other payment taken back',
    {
      payments: [{ amount: 3000, status: 'voided', captured: 0 }, card(3000)],
      refunds: [{ amount: 3000, of: 1, reason: excess }],
    },
    { balance: 3000, paymentStatus: 'unpaid' },
  ],
  [
    'an excess returned, the other payment taken back, and a third voided',
    {
      payments: [{ amount: 3000, status: 'voided', captured: 0 }, card(3000), { ...card(0), status: 'voided' }],
      refunds: [{ amount: 3000, of: 1, reason: excess }],
    },
    { balance: 3000, paymentStatus: 'voided' },
  ],
  [
    'an excess returned, the other payment taken back, and a third authorized',
    {
      payments: [{ amount: 3000, status: 'voided', captured: 0 }, card(3000), { ...card(0), status: 'authorized' }],
      refunds: [{ amount: 3000, of: 1, reason: excess }],
    },
    { balance: 3000, paymentStatus: 'authorized' },
  ],
];

/** Refunds that the former release has begun, with what they lead to. */
const begun: [name: string, order: FormerOrder, before: Expected, after: Expected][] = [
  [
    'a third by units',
    { payments: [card(3000)], refunds: [{ amount: 1000, units: 1, status: 'pending' }] },
    { balance: 0, paymentStatus: 'paid' },
    { balance: 0, paymentStatus: 'partially_refunded', left: 2000 },
  ],
  [
    'a third by amount',
    { payments: [card(3000)], refunds: [{ amount: 1000, status: 'pending' }] },
    { balance: 0, paymentStatus: 'paid' },
    { balance: 0, paymentStatus: 'partially_refunded', left: 2000 },
  ],
  [
    'an excess by the box',
    { payments: [{ amount: 3000 }, card(3000)], refunds: [{ amount: 3000, of: 1, reason: excess, status: 'pending' }] },
    { balance: -3000, paymentStatus: 'paid' },
    { balance: 0, paymentStatus: 'paid', left: 3000 },
  ],
  [
    'an excess and a part of the price, by staff',
    { payments: [{ amount: 2000 }, card(3000)], refunds: [{ amount: 2500, of: 1, status: 'pending' }] },
    { balance: -2000, paymentStatus: 'paid' },
    { balance: 0, paymentStatus: 'partially_refunded' },
  ],
  [
    'an excess by two refunds of staff',
    {
      payments: [{ amount: 2000 }, card(1500), card(1500)],
      refunds: [
        { amount: 1500, of: 1, status: 'pending' },
        { amount: 1500, of: 2, status: 'pending' },
      ],
    },
    { balance: -2000, paymentStatus: 'paid' },
    { balance: 0, paymentStatus: 'partially_refunded', left: 2000 },
  ],
];

const later = await undoLaterMigrations(former);
const written = new Map<string, WrittenOrder>();
for (const [name, order] of [...cases, ...begun]) written.set(name, await writeFormerOrder(run, former.id, order));

const provider = new TestProvider();
const { upgraded, staff } = await startUpgraded(t, former, {
  extends: [paymentAdapters.with(provider as PaymentAdapter)],
});
const orderOf = async (name: string) => bodyOf(staff.get(`/admin/orders/${written.get(name)?.id}`));
const shownOf = async (name: string) => {
  const { balance, paymentStatus } = await orderOf(name);
  return { balance: balance.amount, paymentStatus };
};
const amounts = ({ balance, paymentStatus }: Expected) => ({ balance, paymentStatus });

/** Refunds all units that an order has left, of the payment that has most left. @returns the amount, or the code */
async function refundRest(name: string): Promise<number | string> {
  const { id, items } = await orderOf(name);
  const [{ id: lineItemId, refunded }] = items;
  const payments: Payment[] = (await bodyOf(staff.get(`/admin/payments?orderId=${id}`))).items;
  const [payment] = payments.sort((one, other) => restOf(other) - restOf(one));
  const quantity = Math.max(1, 3 - refunded.quantity);
  const { status, body } = await staff.post(`/admin/payments/${payment?.id}/refunds`, {
    items: [{ lineItemId, quantity }],
  });
  return status === 201 ? body.amount.amount : body.code;
}

interface Payment {
  id: string;
  captured: { amount: number };
  refunded: { amount: number };
}
const restOf = ({ captured, refunded }: Payment) => captured.amount - refunded.amount;

t.test('orders have their balance and their payment status', async (t) => {
  for (const [name, , expected] of cases) t.strictSame(await shownOf(name), amounts(expected), name);
  for (const [name, , expected] of begun) t.strictSame(await shownOf(name), amounts(expected), name);
});

t.test('lists by status have exactly the orders that they should have', async (t) => {
  const all = [...cases, ...begun.map(([name, order, before]) => [name, order, before] as const)];
  const idsOf = (found: typeof all) => found.map(([name]) => written.get(name)?.id).sort();
  const listed = async (query: string) => {
    const { items } = await bodyOf(staff.get(`/admin/orders?limit=100&${query}`));
    return items.map(({ id }: { id: string }) => id).sort();
  };
  for (const paymentStatus of new Set(all.map(([, , expected]) => expected.paymentStatus))) {
    const own = all.filter(([, , expected]) => expected.paymentStatus === paymentStatus);
    t.strictSame(await listed(`paymentStatus=${paymentStatus}`), idsOf(own), paymentStatus);
    for (const status of ['placed', 'canceled']) {
      const both = own.filter(([, { canceled = false }]) => canceled === (status === 'canceled'));
      t.strictSame(await listed(`status=${status}&paymentStatus=${paymentStatus}`), idsOf(both), `${status}`);
    }
  }
  t.strictSame(await listed('status=pending'), [], 'none of the former release waits for its payment');
});

t.test('what is left to refund is what has not been refunded', async (t) => {
  for (const [name, , { left }] of cases) if (left !== undefined) t.equal(await refundRest(name), left, name);
});

t.test('refunds that the former release has begun are completed', async (t) => {
  for (const [name, { payments = [] }] of begun) {
    for (const [at, { amount, provider: by, captured = amount }] of payments.entries()) {
      if (by === undefined) continue;
      const id = written.get(name)?.payments[at] as string;
      const intent = { id, amount: { amount, currency: 'EUR' } } as Parameters<TestProvider['initiate']>[1];
      provider.payments.set(id, { intent, reference: id, status: 'captured', captured, refunded: 0 });
    }
  }
  await reconcile(upgraded.database.forTenant(former.id));
  for (const [name, , , expected] of begun) {
    t.strictSame(await shownOf(name), amounts(expected), name);
    if (expected.left !== undefined) t.equal(await refundRest(name), expected.left, `the rest of ${name}`);
  }
});

t.test('what the former release writes beside the new schema is read as before', async (t) => {
  const write = async (name: string, order: FormerOrder) => {
    written.set(name, await writeFormerOrder(run, former.id, order));
    return shownOf(name);
  };
  t.strictSame(await write('beside: placed', {}), { balance: 3000, paymentStatus: 'unpaid' });
  t.equal((await orderOf('beside: placed')).status, 'placed');
  const paid = { payments: [{ amount: 3000 }] };
  t.strictSame(await write('beside: paid', paid), { balance: 0, paymentStatus: 'paid' });
  const refund = { amount: 1000, units: 1 };
  t.strictSame(await write('beside: refunded', { ...paid, refunds: [refund] }), {
    ...{ balance: 0, paymentStatus: 'partially_refunded' },
  });
  t.equal(await refundRest('beside: refunded'), 2000);
});

t.test('plans of upgrades say which migrations the former release cannot run beside', async (t) => {
  const vendor = join(import.meta.dirname, '../../vendor');
  const folder = (name: string) => join(vendor, name, 'migrations');
  const names = await readdir(vendor);
  const kinds = Object.assign({}, ...(await Promise.all(names.map((name) => kindsOfMigrations(folder(name))))));
  const changing = later.filter((file) => file < '20261127' && kinds[file] !== 'additive');
  t.strictSame(changing, [
    '20261126010000_order_erase_places.js',
    '20261126010100_fulfillment_erase_tracking.js',
    '20261126040000_order_tell_excess.js',
    '20261126040100_payment_tell_excess_of_refunds.js',
    '20261126070000_payment_tell_excess_of_begun_refunds.js',
  ]);
});
