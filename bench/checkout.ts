/**
 * Orders a second of `POST /checkout` (two items in the cart, eight clients, carts prepared before) beside pgbench
 * running the same statements on the same PostgreSQL, in turn, several rounds. PostgreSQL is the embedded one,
 * durable and left to itself: the shop's tables are new, and the warm-up round is their first traffic. The box
 * dispatches its events meanwhile, and delivers each order's to a subscriber that writes a row.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import type { TenantDatabase } from '@carton/runtime';
import { cartIdOf, checkOut, clients, prepareCarts, sessionOf } from '../tools/load/checkouts.ts';
import { inTurn, type Measurement, rounded } from '../tools/load/measurement.ts';
import { withAudience } from './audience.ts';
import { openTenant, startBox, withPostgres } from './box.ts';
import { findPgbench, pgbenchScript, runPgbench } from './pgbench.ts';

const rounds = 5;
const ordersARound = 2000;

export function measure(): Promise<Measurement> {
  const pgbench = findPgbench();
  return withPostgres(async ({ url, folder, database }) => {
    const ends: (() => Promise<void>)[] = [];
    const box = await startBox(url, await withAudience({ teardown: (end) => ends.push(end) }));
    try {
      const tenant = await openTenant(box.url, 2);
      const count = ordersARound * (rounds + 1) + 10;
      const numbers = Array.from({ length: count }, (_, index) => index);
      const tokenOf = await prepareCarts(database, tenant, numbers);
      // pgbench's clients take their carts from ranges of their own.
      for (let client = 0; client < clients; client++) {
        const own = numbers.slice(0, Math.ceil(count / clients)).map((index) => 1_000_000 + client * 100_000 + index);
        await prepareCarts(database, tenant, own, (number) => String(number).padStart(64, '0'));
      }
      await checkOut(box.url, tokenOf, 0, 4);
      const one = await box.statementsOf(() => checkOut(box.url, tokenOf, 4, 1));
      const other = await box.statementsOf(() => checkOut(box.url, tokenOf, 5, 1));
      const script = pgbenchScript(one, other, { id: cartIdOf(4), sessionHash: sessionOf(4).hash });
      console.log(`${one.length} statements a checkout`);

      const db = database.forTenant(tenant.tenantId);
      const measured = await inTurn(
        'checkout',
        rounds,
        {
          what: 'POST /checkout, two items, 8 clients, events told of meanwhile',
          unit: 'orders/s',
          async measure(round) {
            const rate = await checkOut(box.url, tokenOf, 6 + round * ordersARound, ordersARound);
            await holdEvents(db);
            return rate;
          },
        },
        {
          what: 'pgbench, the same statements, 8 clients',
          unit: 'transactions/s',
          measure(round) {
            const base = 1_000_000 + round * (ordersARound / clients);
            return box.frozen(async () => {
              const rate = await runPgbench({
                pgbench,
                url,
                folder,
                script,
                clients,
                transactions: ordersARound,
                base,
              });
              // Nobody is told of these.
              await db.query(
                'update event_outbox set dispatched_at = now() where tenant_id = $1 and dispatched_at is null',
              );
              return rate;
            });
          },
        },
      );
      const mebibytes = rounded((await box.peakMemory()) / 2 ** 20, 0);
      console.log(`the box took ${mebibytes} MiB of memory at most`);
      return { ...measured, peakMemory: { what: 'largest resident set of the box', value: mebibytes, unit: 'MiB' } };
    } finally {
      box.stop();
      for (const end of ends) await end();
    }
  });
}

interface Told {
  /** Events that wait to be dealt out. */
  waiting: number;
  untold: number;
  failed: number;
}

/** Tells how far the events had come with the last order, and waits for the rest. @throws Error if one fails */
async function holdEvents(db: TenantDatabase): Promise<void> {
  const count = async () => {
    const [row] = await db.query<Told>(
      `select (select count(*) from event_outbox where tenant_id = $1 and dispatched_at is null) as waiting,
              (select count(*) from event_deliveries where tenant_id = $1 and status = 'pending') as untold,
              (select count(*) from event_deliveries where tenant_id = $1 and error is not null) as failed`,
    );
    return row as Told;
  };
  const began = performance.now();
  const { waiting, untold } = await count();
  for (let now = await count(); now.waiting + now.untold > 0; now = await count()) {
    if (now.failed > 0 || performance.now() - began > 120_000) throw new Error(`events stay: ${JSON.stringify(now)}`);
    await sleep(50);
  }
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  console.log(
    `with the last order ${waiting} events waited and ${untold} were on their way; the rest took ${seconds} s`,
  );
}
