/**
 * What payment guarantees for any tender: no more is taken than is owed, invalid names and offers are errors, and all
 * orders take parts in the same sequence.
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
import { newId, type TenantDatabase } from '@carton/runtime';
import { extendBox } from '@carton/runtime/testing';
import t from 'tap';
import { TestProvider } from '../testing/provider.ts';
import { openBox, pay, place } from './helpers.ts';

const box = await openBox(t);
const eur = (amount: number) => ({ amount, currency: 'EUR' });
const offer = (reference: string, amount: number): TenderOffer => ({ reference, label: reference, amount });
const saleOf = (due: number) => ({ source: { type: 'cart', id: newId() }, memberId: null, currency: 'EUR', due });
const part = (tender: string, reference: string, amount: number) => ({ tender, ...offer(reference, amount) });

/** The calls of `commit`, in order. */
const commits: string[] = [];

/** A tender with these offers, whose `commit` always succeeds. */
function tender(name: string, order: number, ...offers: TenderOffer[]): Tender {
  return {
    name,
    order,
    problems: [],
    plan: () => offers,
    async commit(_, __, { reference, amount }) {
      commits.push(`${name} ${reference} ${amount}`);
    },
    reverse: async () => {},
  };
}

/** Contributes tenders and a provider until the test ends; returns a tenant database with them. */
function contribute(t: { teardown(task: () => void): void }, ...contributed: Tender[]): TenantDatabase {
  commits.length = 0;
  const provider = paymentAdapters.with(new TestProvider('bank'));
  return extendBox(t, box, [...contributed.map((each) => tenders.with(each)), provider]);
}

t.test('tenders are drained in order, up to what is due', async (t) => {
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

t.test('an invalid offer is an error naming its tender', async (t) => {
  for (const wrong of [[offer('a', -1)], [offer('a', 0.5)], [offer('a', 2 ** 53)], [offer('a', 1), offer('a', 1)]]) {
    await t.test(JSON.stringify(wrong), async (t) => {
      const db = contribute(t, tender('card', 100, ...wrong));
      await t.rejects(planTenders(db, saleOf(2500)), /^the tender card offers .* of a/);
    });
  }
});

t.test('the name of a tender must be unique', async (t) => {
  for (const [contributed, wrong] of [
    [[tender('offline', 100)], 'offline'],
    [[tender('bank', 100)], 'bank'],
    [[tender('card', 100), tender('card', 200)], 'card'],
  ] as const) {
    await t.test(wrong, async (t) => {
      const db = contribute(t, ...contributed);
      await t.rejects(planTenders(db, saleOf(2500)), new Error(`the tender name ${wrong} is in use`));
    });
  }
});

t.test('no more is taken than is owed, whatever was planned', async (t) => {
  const db = contribute(t, tender('credit', 200), tender('card', 100));
  const { id } = await place(box, 2500);
  await pay(box, id, 1000);
  const commit = (parts: TenderPart[], orderId = id) =>
    db.transaction((tx) => commitTenders(tx, orderId, { parts, left: 0 }));
  const refused = { type: { code: 'payment_exceeds_balance' }, message: '15.00 EUR is owed.' };
  await t.rejects(commit([part('card', 'a', 1501)]), refused);
  await t.rejects(commit([part('card', 'a', 800), part('credit', 'account', 701)]), refused, 'all parts together');
  t.strictSame(commits, []);
  await commit([part('credit', 'account', 700), part('card', 'b', 500), part('card', 'a', 300)]);
  t.strictSame(commits, ['card a 300', 'card b 500', 'credit account 700'], 'by tender and reference');
  const order = (await box.staff.get(`/admin/orders/${id}`)).body;
  t.strictSame([order.paymentStatus, order.balance], ['paid', eur(0)]);
  await t.rejects(commit([part('card', 'a', 1)]), { message: '0.00 EUR is owed.' });
  const { id: canceled } = await place(box, 2500);
  await box.staff.post(`/admin/orders/${canceled}/cancel`);
  await t.rejects(commit([part('card', 'a', 1)], canceled), { message: '0.00 EUR is owed.' });
});
