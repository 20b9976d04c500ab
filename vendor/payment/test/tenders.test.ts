/**
 * What payment itself sees to, whatever its tenders say: that no more is taken than is owed, that names and offers are
 * what they may be, and that parts are taken in an order which all orders share.
 */
import {
  commitTenders,
  paymentAdapters,
  planTenders,
  type Tender,
  type TenderOffer,
  type TenderPart,
  tenders,
} from '@carton/payment';
import { type ExtensionPoint, newId, type TenantDatabase } from '@carton/runtime';
import t from 'tap';
import { TestProvider } from '../testing/provider.ts';
import { openBox, pay, place } from './helpers.ts';

const box = await openBox(t);
const eur = (amount: number) => ({ amount, currency: 'EUR' });
const offer = (reference: string, amount: number): TenderOffer => ({ reference, label: reference, amount });
const saleOf = (due: number) => ({ source: { type: 'cart', id: newId() }, memberId: null, currency: 'EUR', due });
const part = (tender: string, reference: string, amount: number) => ({ tender, ...offer(reference, amount) });

/** What tenders were told to take, in that order. */
const taken: string[] = [];

/** A tender that offers this, and takes whatever it is told to. */
function tender(name: string, order: number, ...offers: TenderOffer[]): Tender {
  return {
    name,
    order,
    problems: [],
    plan: () => offers,
    async commit(_, __, { reference, amount }) {
      taken.push(`${name} ${reference} ${amount}`);
    },
    reverse: async () => {},
  };
}

/** Contributes tenders, beside a provider, until the test ends; answers the database of a shop that has them. */
function contribute(t: { teardown(task: () => void): void }, ...given: Tender[]): TenantDatabase {
  const { database } = box.box;
  const { extensions } = database;
  database.extensions = new Map([
    ...extensions,
    [tenders as ExtensionPoint<unknown>, given],
    [paymentAdapters as ExtensionPoint<unknown>, [new TestProvider('bank')]],
  ]);
  taken.length = 0;
  t.teardown(() => {
    database.extensions = extensions;
  });
  return database.forTenant(box.id);
}

t.test('they are drained in their order, and what is not due any more is cut off', async (t) => {
  const db = contribute(
    t,
    tender('credit', 200, offer('account', 900)),
    tender('card', 100, offer('b', 700), offer('a', 600)),
  );
  t.strictSame(await planTenders(db, saleOf(2500)), {
    parts: [part('card', 'b', 700), part('card', 'a', 600), part('credit', 'account', 900)],
    left: 300,
  });
  t.strictSame(await planTenders(db, saleOf(1000)), {
    parts: [part('card', 'b', 700), part('card', 'a', 300)],
    left: 0,
  });
  t.strictSame(await planTenders(db, saleOf(0)), { parts: [], left: 0 });
});

t.test('an offer that cannot be is a fault of its tender', async (t) => {
  for (const wrong of [[offer('a', -1)], [offer('a', 0.5)], [offer('a', 2 ** 53)], [offer('a', 1), offer('a', 1)]]) {
    await t.test(JSON.stringify(wrong), async (t) => {
      const db = contribute(t, tender('card', 100, ...wrong));
      await t.rejects(planTenders(db, saleOf(2500)), /^the tender card offers .* of a/);
    });
  }
});

t.test('a tender has a name of its own', async (t) => {
  for (const [given, wrong] of [
    [[tender('offline', 100)], 'offline'],
    [[tender('bank', 100)], 'bank'],
    [[tender('card', 100), tender('card', 200)], 'card'],
  ] as const) {
    await t.test(wrong, async (t) => {
      const db = contribute(t, ...given);
      await t.rejects(planTenders(db, saleOf(2500)), new Error(`the tender name ${wrong} is in use`));
    });
  }
});

t.test('never more is taken than is owed, whatever was planned', async (t) => {
  const db = contribute(t, tender('credit', 200), tender('card', 100));
  const { id } = await place(box, 2500);
  await pay(box, id, 1000);
  const commit = (parts: TenderPart[], orderId = id) =>
    db.transaction((tx) => commitTenders(tx, orderId, { parts, left: 0 }));
  const refused = { type: { code: 'payment_exceeds_balance' }, message: '15.00 EUR is owed.' };
  await t.rejects(commit([part('card', 'a', 1501)]), refused);
  await t.rejects(commit([part('card', 'a', 800), part('credit', 'account', 701)]), refused, 'all parts together');
  t.strictSame(taken, []);
  await commit([part('credit', 'account', 700), part('card', 'b', 500), part('card', 'a', 300)]);
  t.strictSame(taken, ['card a 300', 'card b 500', 'credit account 700'], 'by tender and reference');
  const order = (await box.staff.get(`/admin/orders/${id}`)).body;
  t.strictSame([order.paymentStatus, order.balance], ['paid', eur(0)]);
  await t.rejects(commit([part('card', 'a', 1)]), { message: '0.00 EUR is owed.' });
  const { id: canceled } = await place(box, 2500);
  await box.staff.post(`/admin/orders/${canceled}/cancel`);
  await t.rejects(commit([part('card', 'a', 1)], canceled), { message: '0.00 EUR is owed.' });
});
