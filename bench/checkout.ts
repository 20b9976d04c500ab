/**
 * Orders per second of `POST /checkout` (prepared carts with two items, eight clients) and transactions per second of
 * pgbench with the same statements on the same server, in alternating rounds. The server is the embedded PostgreSQL with
 * durable writes; its tables are new, and the warm-up is their first traffic. Meanwhile the box dispatches its events and
 * delivers each order's to a subscriber that inserts a row.
 */
import { cartIdOf, checkOut, clients, prepareCarts, sessionOf } from '../tools/load/checkouts.ts';
import { type Measurement, measureAlternately, rounded } from '../tools/load/measurement.ts';
import type { Contest } from './against.ts';
import { openTenant, startBox, withPostgres } from './box.ts';
import { skipEvents, waitForEvents } from './events.ts';
import { withOrderSubscriber } from './order-subscriber.ts';
import { findPgbench, pgbenchScript, runPgbench } from './pgbench.ts';

const rounds = 5;
const ordersPerRound = 2000;

export const contest: Contest = {
  what: 'POST /checkout, two items, 8 clients, with events delivered',
  unit: 'orders/s',
  products: 2,
  rounds,
  async prepare({ box, tenant, database }) {
    const numbers = Array.from({ length: ordersPerRound * (rounds + 1) }, (_, index) => index);
    const tokenOf = await prepareCarts(database, tenant, numbers);
    return async (round) => {
      const rate = await checkOut(box.url, tokenOf, round * ordersPerRound, ordersPerRound);
      await waitForEvents(database.forTenant(tenant.tenantId));
      return rate;
    };
  },
};

export function measure(): Promise<Measurement> {
  const pgbench = findPgbench();
  return withPostgres(async ({ url, folder, database }) => {
    const cleanups: (() => Promise<void>)[] = [];
    const box = await startBox(url, await withOrderSubscriber({ teardown: (cleanup) => cleanups.push(cleanup) }));
    try {
      const tenant = await openTenant(box.url, 2);
      const count = ordersPerRound * (rounds + 1) + 10;
      const numbers = Array.from({ length: count }, (_, index) => index);
      const tokenOf = await prepareCarts(database, tenant, numbers);
      // Each client of pgbench has a range of carts.
      for (let client = 0; client < clients; client++) {
        const own = numbers.slice(0, Math.ceil(count / clients)).map((index) => 1_000_000 + client * 100_000 + index);
        await prepareCarts(database, tenant, own, (number) => String(number).padStart(64, '0'));
      }
      await checkOut(box.url, tokenOf, 0, 4);
      const one = await box.statementsOf(() => checkOut(box.url, tokenOf, 4, 1));
      const other = await box.statementsOf(() => checkOut(box.url, tokenOf, 5, 1));
      const script = pgbenchScript(one, other, { id: cartIdOf(4), sessionHash: sessionOf(4).hash });
      console.log(`${one.length} statements per checkout`);

      const db = database.forTenant(tenant.tenantId);
      const measured = await measureAlternately(
        'checkout',
        rounds,
        {
          what: 'POST /checkout, two items, 8 clients, with events delivered',
          unit: 'orders/s',
          async measure(round) {
            const rate = await checkOut(box.url, tokenOf, 6 + round * ordersPerRound, ordersPerRound);
            await waitForEvents(db);
            return rate;
          },
        },
        {
          what: 'pgbench, the same statements, 8 clients',
          unit: 'transactions/s',
          measure(round) {
            const base = 1_000_000 + round * (ordersPerRound / clients);
            return box.whilePaused(async () => {
              const rate = await runPgbench({
                pgbench,
                url,
                folder,
                script,
                clients,
                transactions: ordersPerRound,
                base,
              });
              await skipEvents(db);
              return rate;
            });
          },
        },
      );
      const mebibytes = rounded((await box.peakMemory()) / 2 ** 20, 0);
      console.log(`the box used at most ${mebibytes} MiB of memory`);
      return { ...measured, peakMemory: { what: 'peak resident memory of the box', value: mebibytes, unit: 'MiB' } };
    } finally {
      box.stop();
      for (const cleanup of cleanups) await cleanup();
    }
  });
}
