/**
 * What a package reserves for a payment lasts as long as the payment, and is released once.
 */

import { abandonPayment, attachPayment, confirmPayment, lockStartedPayment, startPayment } from '@carton/payment';
import { newId } from '@carton/runtime';
import { createTestBox, writePackage } from '@carton/runtime/testing';
import t from 'tap';
import { reconcile } from '../reconcile.ts';
import { TestProvider } from '../testing/provider.ts';
import { contribute, packageNames, place } from './helpers.ts';

/** A package that allows three reservations at a time. */
const reservation = {
  name: 'reservation',
  dependencies: ['payment'],
  index: `
    import { paymentStartHooks, paymentAbandonHooks } from '@carton/payment';
    import { definePackage, defineProblem } from '@carton/runtime';

    const allReserved = defineProblem({ code: 'all_reserved', status: 409, title: 'Everything is reserved' });

    export default definePackage({
      routes: [],
      extends: [
        paymentStartHooks.with({
          problems: [allReserved],
          async start(tx, { sessionId, cartId, endsAt }) {
            await tx.query(
              \`insert into reservations as reservation (tenant_id, session_id, cart_id, ends_at) values ($1, $2, $3, $4)
               on conflict (tenant_id, session_id) do update set ends_at = excluded.ends_at, started = reservation.started + 1\`,
              [sessionId, cartId, endsAt],
            );
            const [{ active }] = await tx.query('select count(*) as active from reservations where tenant_id = $1 and ended = 0');
            if (active > 3) throw allReserved();
          },
        }),
        paymentAbandonHooks.with(async (tx, { sessionId }) => {
          await tx.query('update reservations set ended = ended + 1 where tenant_id = $1 and session_id = $2', [sessionId]);
        }),
      ],
    });
  `,
  migration: `
    export const up = (knex) => knex.raw(\`
      create table reservations (
        tenant_id uuid not null references tenants (id),
        session_id uuid not null,
        cart_id uuid not null,
        ends_at timestamptz(3) not null,
        started integer not null default 1,
        ended integer not null default 0,
        primary key (tenant_id, session_id)
      )\`);
    export const down = (knex) => knex.raw('drop table reservations');
  `,
};

const box = await createTestBox(t, await writePackage(t, reservation, packageNames));
const amount = { amount: 2500, currency: 'EUR' };

interface Reservation {
  sessionId: string;
  endsAt: string;
  started: number;
  ended: number;
}

const reservationsOf = (cartId: string) =>
  box.db.query<Reservation>('select * from reservations where tenant_id = $1 and cart_id = $2 order by session_id', [
    cartId,
  ]);

const countsOf = async (cartId: string) => (await reservationsOf(cartId)).map(({ started, ended }) => [started, ended]);

/** Makes the cart's open session expire. */
const expire = (cartId: string) =>
  box.db.query(
    `update payment_sessions set updated_at = updated_at - interval '2 hours'
      where tenant_id = $1 and cart_id = $2 and status = 'open'`,
    [cartId],
  );

t.test('the start hook runs again when a payment is resumed, with a later end', async (t) => {
  const db = contribute(t, box, new TestProvider());
  const payment = { cartId: newId(), method: 'card', amount, email: null };
  const before = Date.now();
  const { id } = await startPayment(db, payment);
  const [first] = await reservationsOf(payment.cartId);
  t.match(first, { sessionId: id, started: 1, ended: 0 });
  const life = Date.parse(first?.endsAt as string) - before;
  t.ok(life >= 3_599_000 && life < 3_700_000, 'it ends with the session');
  await expire(payment.cartId);
  await Promise.all([startPayment(db, payment), startPayment(db, payment)]);
  const [again, ...more] = await reservationsOf(payment.cartId);
  t.match(again, { sessionId: id, started: 3, ended: 0 });
  t.strictSame(more, []);
  t.ok(Date.parse(again?.endsAt as string) >= Date.parse(first?.endsAt as string));
  await reconcile(db);
  t.strictSame(await countsOf(payment.cartId), [[3, 0]], 'resuming restarts its lifetime');
  await abandonPayment(db, { id });
});

t.test('the abandon hook runs once for a payment that does not become an order', async (t) => {
  const provider = new TestProvider();
  const db = contribute(t, box, provider);
  const start = (cartId: string, method = 'card', total = amount) =>
    startPayment(db, { cartId, method, amount: total, email: null });

  const replaced = newId();
  await start(replaced);
  const { id } = await start(replaced, 'wallet');
  t.strictSame(await countsOf(replaced), [
    [1, 1],
    [1, 0],
  ]);
  await Promise.all([abandonPayment(db, { id }), abandonPayment(db, { id })]);
  t.strictSame((await countsOf(replaced))[1], [1, 1], 'abandoned twice');

  const failed = newId();
  const started = await start(failed);
  provider.confirmed = 'failed';
  await t.rejects(confirmPayment(db, started), {
    type: { code: 'payment_refused' },
    message: 'The payment failed. Choose another payment method.',
  });
  t.strictSame(await countsOf(failed), [[1, 1]], 'failed');

  const refused = newId();
  await t.rejects(start(refused, 'card', { amount: 13, currency: 'EUR' }), {
    type: { code: 'payment_refused' },
    message: 'The provider refuses this amount.',
  });
  t.strictSame(await countsOf(refused), [[1, 1]], 'refused at the start');

  const expired = newId();
  const current = newId();
  await start(expired);
  await start(current);
  await expire(expired);
  await Promise.all([reconcile(db), reconcile(db)]);
  await reconcile(db);
  t.strictSame([await countsOf(expired), await countsOf(current)], [[[1, 1]], [[1, 0]]], 'expired');
  await abandonPayment(db, await start(current));
});

t.test("the abandon hook does not run for an order's payment", async (t) => {
  const db = contribute(t, box, new TestProvider());
  const cartId = newId();
  const started = await startPayment(db, { cartId, method: 'card', amount, email: null });
  const { id } = await place(box, 2500, { cartId });
  await db.transaction(async (tx) => {
    await lockStartedPayment(tx, started);
    await attachPayment(tx, id, started);
  });
  await expire(cartId);
  await startPayment(db, { cartId, method: 'wallet', amount, email: null });
  await abandonPayment(db, started);
  await reconcile(db);
  t.strictSame(await countsOf(cartId), [[1, 0]]);
  await t.rejects(
    db.transaction((tx) => lockStartedPayment(tx, started)),
    { type: { code: 'payment_session_closed' }, message: 'Check out again.' },
  );
  await box.db.query('delete from reservations where tenant_id = $1');
});

t.test('a start hook that throws leaves the open session unchanged, and no provider is called', async (t) => {
  const provider = new TestProvider();
  const db = contribute(t, box, provider);
  const carts = [newId(), newId(), newId()];
  for (const cartId of carts) await startPayment(db, { cartId, method: 'card', amount, email: null });
  provider.calls.length = 0;
  const refused = newId();
  await t.rejects(startPayment(db, { cartId: refused, method: 'card', amount, email: null }), {
    type: { code: 'all_reserved' },
    message: 'Everything is reserved',
  });
  t.strictSame(await reservationsOf(refused), []);
  const sessions = await box.db.query('select id from payment_sessions where tenant_id = $1 and cart_id = $2', [
    refused,
  ]);
  t.strictSame([sessions, provider.calls], [[], []]);
  await startPayment(db, { cartId: carts[0] as string, method: 'wallet', amount, email: null });
  t.strictSame(
    await countsOf(carts[0] as string),
    [
      [1, 1],
      [1, 0],
    ],
    "a replaced payment's reservation is available to its successor",
  );
});
