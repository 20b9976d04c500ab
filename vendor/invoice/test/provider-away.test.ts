/**
 * The document of a method's fee that is chosen after the invoice while the provider does not answer: the choice is
 * completed, undone or replaced later, and the documents follow it, each once.
 */
import { paymentAdapters, paymentRefused } from '@carton/payment';
import { reconcile, TestProvider } from '@carton/payment/testing';
import type { TenantDatabase } from '@carton/runtime';
import { bodyOf, extendBox, untilDelivered } from '@carton/runtime/testing';
import t, { type Test } from 'tap';
import { eur, issue, openBox, packages, placeTaxed, summaryOf } from './helpers.ts';

const box = await openBox(t, {
  packages: [...packages, '@carton/tax'],
  environment: { PAYMENT_ADAPTERS: 'manual' },
  idleJobs: true,
});
const invoice = 'invoice 3466 + 658 = 4124';
const added = 'invoice 300 + 55 = 355';
const removed = 'credit_note 300 + 55 = 355';

type Behaviour = 'answers' | 'away' | 'response lost' | 'refuses';

/** A provider whose method has a fee, and how it takes new payments. */
async function bind(t: Test) {
  const provider = new TestProvider();
  provider.confirmed = 'pending';
  const db = extendBox(t, box, [paymentAdapters.with(provider)]);
  for (const { id, code } of (await box.staff.get('/admin/payment-methods')).body.items) {
    if (code === 'wallet') await bodyOf(box.staff.patch(`/admin/payment-methods/${id}`, { fees: [eur(300)] }));
  }
  const behave = (how: Behaviour) => {
    provider.before = (call) => {
      if (how === 'away') throw new Error('away');
      if (call === 'initiate' && how === 'refuses') throw paymentRefused('Not this one.');
    };
    provider.after = (call) => {
      if (call === 'initiate' && how === 'response lost') throw new Error('lost');
    };
  };
  return { provider, behave, lookUp: () => lookUp(db) };
}

async function choose(orderId: string, paymentMethod: string) {
  const answer = await box.visitor().post(`/checkout/${orderId}/payment-sessions`, { paymentMethod });
  await untilDelivered(box);
  return answer;
}

/** Looks up all payments, as the job does after a minute; twice, as a second run must change nothing. */
async function lookUp(db: TenantDatabase) {
  for (let run = 0; run < 2; run++) {
    const due = "set check_at = now() where tenant_id = $1 and check_at is not null and status = 'used'";
    await box.db.query(`update payment_sessions ${due}`);
    await box.db.query(
      "update payment_transactions set created_at = created_at - interval '1 minute' where tenant_id = $1",
    );
    await reconcile(db);
    await untilDelivered(box);
  }
}

/** An order with an invoice whose shopper has chosen the method while the provider was away. */
async function chosenWhile(how: Behaviour, behave: (how: Behaviour) => void) {
  const { id } = await placeTaxed(box);
  await bodyOf(issue(box, id));
  behave(how);
  t.match(await choose(id, 'wallet'), { status: 502, body: { code: 'payment_provider_failed' } });
  t.strictSame(await summaryOf(box, id), [invoice, added], 'the order has the fee, and its document');
  return id;
}

const costOf = async (id: string) => {
  const { totals, balance } = (await box.staff.get(`/admin/orders/${id}`)).body;
  return [totals.total.amount, balance.amount];
};
const statusesOf = async (id: string): Promise<string[]> =>
  (await box.staff.get(`/admin/payments?orderId=${id}`)).body.items.map(({ status }: { status: string }) => status);

for (const how of ['away', 'response lost'] as const) {
  t.test(`${how}: a retry completes the choice`, async (t) => {
    const { provider, behave } = await bind(t);
    const id = await chosenWhile(how, behave);
    behave('answers');
    t.match((await choose(id, 'wallet')).body, { amount: eur(4479), total: eur(4479) });
    t.strictSame([await statusesOf(id), provider.payments.size], [['pending'], 1]);
    t.strictSame(await summaryOf(box, id), [invoice, added]);
  });

  t.test(`${how}: without a retry the box completes it`, async (t) => {
    const { provider, behave, lookUp } = await bind(t);
    const id = await chosenWhile(how, behave);
    behave('answers');
    await lookUp();
    t.strictSame([await statusesOf(id), provider.payments.size], [['pending'], 1]);
    t.strictSame(await costOf(id), [4479, 4479]);
    t.strictSame(await summaryOf(box, id), [invoice, added]);
  });

  t.test(`${how}: another choice replaces it`, async (t) => {
    const { behave, lookUp } = await bind(t);
    const id = await chosenWhile(how, behave);
    t.match((await choose(id, 'bank_transfer')).body, { amount: eur(4124), total: eur(4124) });
    behave('answers');
    await lookUp();
    t.strictSame(await statusesOf(id), ['pending', 'voided']);
    t.strictSame(await costOf(id), [4124, 4124]);
    t.strictSame(await summaryOf(box, id), [invoice, added, removed]);
  });
}

t.test('a provider that refuses the payment later undoes the choice', async (t) => {
  for (const by of ['the box', 'a retry']) {
    await t.test(`asked by ${by}`, async (t) => {
      const { behave, lookUp } = await bind(t);
      const id = await chosenWhile('away', behave);
      behave('refuses');
      if (by === 'the box') await lookUp();
      else t.match(await choose(id, 'wallet'), { status: 409, body: { code: 'payment_refused' } });
      t.strictSame(await statusesOf(id), ['voided']);
      t.strictSame(await costOf(id), [4124, 4124]);
      t.strictSame(await summaryOf(box, id), [invoice, added, removed]);
      await lookUp();
      t.strictSame(await summaryOf(box, id), [invoice, added, removed], 'once');
    });
  }
});

t.test('a cancellation while the provider is away credits all', async (t) => {
  const { behave, lookUp } = await bind(t);
  const id = await chosenWhile('away', behave);
  await bodyOf(box.staff.post(`/admin/orders/${id}/cancel`));
  behave('answers');
  await lookUp();
  t.strictSame(await statusesOf(id), ['voided']);
  t.strictSame((await summaryOf(box, id)).toSorted(), [
    'credit_note 300 + 55 = 355',
    'credit_note 3466 + 658 = 4124',
    added,
    invoice,
  ]);
});
