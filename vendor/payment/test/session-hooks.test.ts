/**
 * What a package promises while a payment is under way is kept as long as the payment, and let go once with it.
 */
import {
  abandonPayment,
  attachPayment,
  beginPayment,
  confirmPayment,
  lockBegunPayment,
  reconcile,
} from '@carton/payment';
import { newId } from '@carton/runtime';
import { createTestBox, writePackage } from '@carton/runtime/testing';
import t from 'tap';
import { TestProvider } from '../testing/provider.ts';
import { contribute, packageNames, place } from './helpers.ts';

/** Promises one of three things to whoever pays. */
const promise = {
  name: 'promise',
  dependencies: ['payment'],
  index: `
    import { paymentStartHooks, paymentAbandonHooks } from '@carton/payment';
    import { definePackage, defineProblem } from '@carton/runtime';

    const allPromised = defineProblem({ code: 'all_promised', status: 409, title: 'All of it is promised' });

    export default definePackage({
      routes: [],
      extends: [
        paymentStartHooks.with({
          problems: [allPromised],
          async begin(tx, { sessionId, cartId, endsAt }) {
            await tx.query(
              \`insert into promises as promise (tenant_id, session_id, cart_id, ends_at) values ($1, $2, $3, $4)
               on conflict (tenant_id, session_id) do update set ends_at = excluded.ends_at, begun = promise.begun + 1\`,
              [sessionId, cartId, endsAt],
            );
            const [{ kept }] = await tx.query('select count(*) as kept from promises where tenant_id = $1 and ended = 0');
            if (kept > 3) throw allPromised();
          },
        }),
        paymentAbandonHooks.with(async (tx, { sessionId }) => {
          await tx.query('update promises set ended = ended + 1 where tenant_id = $1 and session_id = $2', [sessionId]);
        }),
      ],
    });
  `,
  migration: `
    export const up = (knex) => knex.raw(\`
      create table promises (
        tenant_id uuid not null references tenants (id),
        session_id uuid not null,
        cart_id uuid not null,
        ends_at timestamptz(3) not null,
        begun integer not null default 1,
        ended integer not null default 0,
        primary key (tenant_id, session_id)
      )\`);
    export const down = (knex) => knex.raw('drop table promises');
  `,
};

const box = await createTestBox(t, await writePackage(t, promise, packageNames));
const amount = { amount: 2500, currency: 'EUR' };

interface Promised {
  sessionId: string;
  endsAt: string;
  begun: number;
  ended: number;
}

const promisesOf = (cartId: string) =>
  box.db.query<Promised>('select * from promises where tenant_id = $1 and cart_id = $2 order by session_id', [cartId]);

const countsOf = async (cartId: string) => (await promisesOf(cartId)).map(({ begun, ended }) => [begun, ended]);

/** As if the time of the cart's open session were over. */
const age = (cartId: string) =>
  box.db.query(
    `update payment_sessions set updated_at = updated_at - interval '2 hours'
      where tenant_id = $1 and cart_id = $2 and status = 'open'`,
    [cartId],
  );

t.test('a beginning is told once more when the payment is taken up, with a later end', async (t) => {
  const db = contribute(t, box, new TestProvider());
  const payment = { cartId: newId(), method: 'card', amount, email: null };
  const before = Date.now();
  const { id } = await beginPayment(db, payment);
  const [first] = await promisesOf(payment.cartId);
  t.match(first, { sessionId: id, begun: 1, ended: 0 });
  const life = Date.parse(first?.endsAt as string) - before;
  t.ok(life >= 3_599_000 && life < 3_700_000, 'it ends when the session does');
  await age(payment.cartId);
  await Promise.all([beginPayment(db, payment), beginPayment(db, payment)]);
  const [again, ...more] = await promisesOf(payment.cartId);
  t.match(again, { sessionId: id, begun: 3, ended: 0 });
  t.strictSame(more, []);
  t.ok(Date.parse(again?.endsAt as string) >= Date.parse(first?.endsAt as string));
  await reconcile(db);
  t.strictSame(await countsOf(payment.cartId), [[3, 0]], 'taken up, its time has begun anew');
  await abandonPayment(db, { id });
});

t.test('one that is replaced, failed, refused, expired or dropped ends once', async (t) => {
  const provider = new TestProvider();
  const db = contribute(t, box, provider);
  const begin = (cartId: string, method = 'card', total = amount) =>
    beginPayment(db, { cartId, method, amount: total, email: null });

  const replaced = newId();
  await begin(replaced);
  const { id } = await begin(replaced, 'wallet');
  t.strictSame(await countsOf(replaced), [
    [1, 1],
    [1, 0],
  ]);
  await Promise.all([abandonPayment(db, { id }), abandonPayment(db, { id })]);
  t.strictSame((await countsOf(replaced))[1], [1, 1], 'dropped twice');

  const failed = newId();
  const begun = await begin(failed);
  provider.confirmed = 'failed';
  await t.rejects(confirmPayment(db, begun), {
    type: { code: 'payment_refused' },
    message: 'The payment failed. Choose another payment method.',
  });
  t.strictSame(await countsOf(failed), [[1, 1]], 'failed');

  const refused = newId();
  await t.rejects(begin(refused, 'card', { amount: 13, currency: 'EUR' }), {
    type: { code: 'payment_refused' },
    message: 'The provider refuses this amount.',
  });
  t.strictSame(await countsOf(refused), [[1, 1]], 'refused as it began');

  const expired = newId();
  const young = newId();
  await begin(expired);
  await begin(young);
  await age(expired);
  await Promise.all([reconcile(db), reconcile(db)]);
  await reconcile(db);
  t.strictSame([await countsOf(expired), await countsOf(young)], [[[1, 1]], [[1, 0]]], 'expired');
  await abandonPayment(db, await begin(young));
});

t.test('one that became an order does not end', async (t) => {
  const db = contribute(t, box, new TestProvider());
  const cartId = newId();
  const begun = await beginPayment(db, { cartId, method: 'card', amount, email: null });
  const { id } = await place(box, 2500, { cartId });
  await db.transaction(async (tx) => {
    await lockBegunPayment(tx, begun);
    await attachPayment(tx, id, begun);
  });
  await age(cartId);
  await beginPayment(db, { cartId, method: 'wallet', amount, email: null });
  await abandonPayment(db, begun);
  await reconcile(db);
  t.strictSame(await countsOf(cartId), [[1, 0]]);
  await t.rejects(
    db.transaction((tx) => lockBegunPayment(tx, begun)),
    { type: { code: 'payment_session_closed' }, message: 'Check out again.' },
  );
  await box.db.query('delete from promises where tenant_id = $1');
});

t.test('a beginning that refuses leaves what was open as it is, and calls no provider', async (t) => {
  const provider = new TestProvider();
  const db = contribute(t, box, provider);
  const carts = [newId(), newId(), newId()];
  for (const cartId of carts) await beginPayment(db, { cartId, method: 'card', amount, email: null });
  provider.calls.length = 0;
  const refused = newId();
  await t.rejects(beginPayment(db, { cartId: refused, method: 'card', amount, email: null }), {
    type: { code: 'all_promised' },
    message: 'All of it is promised',
  });
  t.strictSame(await promisesOf(refused), []);
  const sessions = await box.db.query('select id from payment_sessions where tenant_id = $1 and cart_id = $2', [
    refused,
  ]);
  t.strictSame([sessions, provider.calls], [[], []]);
  await beginPayment(db, { cartId: carts[0] as string, method: 'wallet', amount, email: null });
  t.strictSame(
    await countsOf(carts[0] as string),
    [
      [1, 1],
      [1, 0],
    ],
    'what another lets go is there for its successor',
  );
});
