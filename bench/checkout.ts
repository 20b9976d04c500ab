/**
 * Orders a second of `POST /checkout` (two items in the cart, eight clients, carts prepared before) beside pgbench
 * running the same statements on the same PostgreSQL, in turn, several rounds. PostgreSQL is the embedded one,
 * durable and left to itself: the shop's tables are new, and the warm-up round is their first traffic.
 */
import { openShop, startBox, withPostgres } from './box.ts';
import { cartIdOf, checkOut, clients, prepareCarts, sessionOf } from './checkouts.ts';
import { inTurn, type Measurement } from './measurement.ts';
import { findPgbench, pgbenchScript, runPgbench } from './pgbench.ts';

const rounds = 5;
const ordersARound = 2000;

export function measure(): Promise<Measurement> {
  const pgbench = findPgbench();
  return withPostgres(async ({ url, folder, database }) => {
    const box = await startBox(url);
    try {
      const shop = await openShop(box.url, 2);
      const count = ordersARound * (rounds + 1) + 10;
      const numbers = Array.from({ length: count }, (_, index) => index);
      await prepareCarts(database, shop, numbers);
      // pgbench's clients take their carts from ranges of their own.
      for (let client = 0; client < clients; client++) {
        const own = numbers.slice(0, Math.ceil(count / clients)).map((index) => 1_000_000 + client * 100_000 + index);
        await prepareCarts(database, shop, own, (number) => String(number).padStart(64, '0'));
      }
      await checkOut(box.url, 0, 4);
      const one = await box.statementsOf(() => checkOut(box.url, 4, 1));
      const other = await box.statementsOf(() => checkOut(box.url, 5, 1));
      const script = pgbenchScript(one, other, { id: cartIdOf(4), sessionHash: sessionOf(4).hash });
      console.log(`${one.length} statements a checkout`);

      return await inTurn(
        'checkout',
        rounds,
        {
          what: 'POST /checkout, two items, 8 clients',
          unit: 'orders/s',
          measure: (round) => checkOut(box.url, 6 + round * ordersARound, ordersARound),
        },
        {
          what: 'pgbench, the same statements, 8 clients',
          unit: 'transactions/s',
          measure(round) {
            const base = 1_000_000 + round * (ordersARound / clients);
            return runPgbench({ pgbench, url, folder, script, clients, transactions: ordersARound, base });
          },
        },
      );
    } finally {
      box.stop();
    }
  });
}
