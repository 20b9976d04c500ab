/**
 * Orders a second of `POST /checkout` (two items in the cart, eight clients, carts prepared before) beside pgbench
 * running the same statements on the same PostgreSQL, in turn, several rounds. PostgreSQL is the embedded one,
 * durable and left to itself: the shop's tables are new, and the warm-up round is their first traffic.
 */
import { openShop, startBox, withPostgres } from './box.ts';
import { cartIdOf, checkOut, clients, prepareCarts, sessionOf } from './checkouts.ts';
import { type Measurement, median, rounded } from './measurement.ts';
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

      const rates: { box: number[]; pgbench: number[] } = { box: [], pgbench: [] };
      for (let round = 0; round <= rounds; round++) {
        const own = await checkOut(box.url, 6 + round * ordersARound, ordersARound);
        const base = 1_000_000 + round * (ordersARound / clients);
        const peer = await runPgbench({ pgbench, url, folder, script, clients, transactions: ordersARound, base });
        const name = round === 0 ? 'warm-up' : `round ${round} of ${rounds}`;
        console.log(`${name}: box ${own.toFixed(0)} orders/s, pgbench ${peer.toFixed(0)} transactions/s`);
        if (round === 0) continue;
        rates.box.push(own);
        rates.pgbench.push(peer);
      }
      const [own, peer] = [median(rates.box), median(rates.pgbench)];
      return {
        name: 'checkout',
        ratio: rounded(own / peer),
        box: { what: 'POST /checkout, two items, 8 clients', value: Math.round(own), unit: 'orders/s' },
        peer: { what: 'pgbench, the same statements, 8 clients', value: Math.round(peer), unit: 'transactions/s' },
      };
    } finally {
      box.stop();
    }
  });
}
